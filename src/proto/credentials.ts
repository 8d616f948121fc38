/** The gRPC contract between operator and sidecar, loaded from credentials.proto, with its messages' types. */
import { readFileSync } from 'node:fs'
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'
import protobuf from 'protobufjs'

/** Version of the conversation. A server refuses one that it does not speak. */
export const CREDENTIALS_PROTOCOL = 1

/** Bound of a Grant: a thousand providers with long keys fit many times. */
export const MAX_GRANT_BYTES = 4 * 1024 * 1024

/** Bound of what a sidecar sends. */
export const MAX_SIDECAR_MESSAGE_BYTES = 16 * 1024

/** As protobuf gives it: every field present, absent ones empty. */
export interface SidecarMessage {
  readonly hello?: HelloMessage | null
  readonly applied?: { readonly version: string } | null
}

export interface HelloMessage {
  readonly protocol: number
  readonly namespace: string
  readonly pod: string
  readonly uid: string
}

export interface OperatorMessage {
  readonly grant?: GrantMessage | null
  readonly hint?: object | null
}

export interface GrantMessage {
  readonly version: string
  readonly serviceAccount: string
  readonly shardKeys: readonly Uint8Array[]
  readonly redis: RedisAccessMessage | null
  readonly credentials: Readonly<Record<string, string>>
  readonly keyPepper: string
  readonly organizations: Readonly<Record<string, OrganizationSecretsMessage>>
  readonly trustBundle: string
}

export interface RedisAccessMessage {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly ca: string
}

export interface OrganizationSecretsMessage {
  readonly redactionSecret: string
  readonly cacheKey: string
}

export type SubscribeMethod = MethodDefinition<SidecarMessage, OperatorMessage>

const PACKAGE = 'tollgate.credentials.v1'
const { root } = protobuf.parse(readFileSync(new URL('credentials.proto', import.meta.url), 'utf8'))

/** Messages are plain objects, with every field in them. */
function messageType<Message>(name: string) {
  const type = root.lookupType(`${PACKAGE}.${name}`)
  return {
    serialize(message: Message): Buffer {
      const bytes = type.encode(type.fromObject(message as object)).finish()
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    },
    // The library's types know nothing of the file's content, which the interfaces above repeat.
    deserialize: (bytes: Buffer) =>
      type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true }) as Message,
  }
}

const fromSidecar = messageType<SidecarMessage>('SidecarMessage')
const fromOperator = messageType<OperatorMessage>('OperatorMessage')

export const CREDENTIALS_SERVICE = {
  Subscribe: {
    path: `/${PACKAGE}.Credentials/Subscribe`,
    requestStream: true,
    responseStream: true,
    requestSerialize: fromSidecar.serialize,
    requestDeserialize: fromSidecar.deserialize,
    responseSerialize: fromOperator.serialize,
    responseDeserialize: fromOperator.deserialize,
  },
} as const satisfies ServiceDefinition & { readonly Subscribe: SubscribeMethod }

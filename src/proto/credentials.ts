/** The gRPC contract between operator and sidecar, loaded from credentials.proto, with its messages' types. */
import { fileURLToPath } from 'node:url'
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

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

const definition = loadSync(fileURLToPath(new URL('credentials.proto', import.meta.url)), {
  defaults: true,
  arrays: true,
  objects: true,
  oneofs: false,
})

// The loader's types know nothing of the file's content, which the interfaces above repeat.
export const CREDENTIALS_SERVICE = definition['tollgate.credentials.v1.Credentials'] as unknown as ServiceDefinition & {
  readonly Subscribe: SubscribeMethod
}

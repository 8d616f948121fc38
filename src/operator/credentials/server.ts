/**
 * Hands credentials to sidecars: one stream each, a Grant at its begin and a new one whenever it has changed.
 *
 *     opened --Hello--> authenticated --Grant--> fed --changed--> Grant ...
 *        |                  |                     |
 *        `- silent, limits  `- refused            `- token expired, pod deleted: ended; the sidecar comes again
 *
 * A refused caller learns that it is refused and nothing else.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { Metadata, Server, status, experimental, type ServerDuplexStream } from '@grpc/grpc-js'
import { Secret } from '../../domain/secret.ts'
import { ownerOfShard } from '../../domain/snapshot/shards.ts'
import {
  CREDENTIALS_PROTOCOL,
  CREDENTIALS_SERVICE,
  MAX_GRANT_BYTES,
  MAX_SIDECAR_MESSAGE_BYTES,
  type GrantMessage,
  type HelloMessage,
  type OperatorMessage,
  type SidecarMessage,
} from '../../proto/credentials.ts'
import { AdmissionLimits } from './admission-limits.ts'
import { Authenticator, type SidecarIdentity } from './authenticate.ts'
import { ServerCertificate } from './certificate.ts'
import { ConnectionLimits } from './connection-limits.ts'
import type { GrantContent, GrantSource, PodLookup, TokenReviewer } from './ports.ts'

/** A peer that connects and says nothing holds a stream for no longer. */
const HELLO_TIMEOUT_MS = 5_000
/** Of a connection without a stream: one costs 80 kB, and whoever reaches the port can open them by the thousand. */
const IDLE_CONNECTION_MS = 5_000
/** Finds peers that vanished without a word. */
const KEEPALIVE_MS = 60_000
const KEEPALIVE_TIMEOUT_MS = 20_000
/** Largest wait of a timer; tokens live for hours. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000
const CLOSE_TIMEOUT_MS = 2_000

type Stream = ServerDuplexStream<SidecarMessage, OperatorMessage>

export interface CredentialsServerOptions {
  readonly reviewer: TokenReviewer
  readonly pods: PodLookup
  readonly grants: GrantSource
  readonly log: CredentialsLog
  /** Wall clock, milliseconds. */
  readonly now: () => number
  /** Told of each ended authentication; `result` is `accepted`, `limited`, `error` or the reason of a refusal. */
  readonly onAuthenticated?: (result: string) => void
}

export interface CredentialsLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A sidecar that is connected to this process. */
export interface ConnectedSidecar {
  readonly identity: SidecarIdentity
  /** The Grant that it says is in force; undefined: none yet. */
  readonly appliedVersion: string | undefined
  /** The Grant that it was sent last; undefined: none yet. */
  readonly sentVersion: string | undefined
}

interface Subscriber {
  readonly stream: Stream
  readonly identity: SidecarIdentity
  appliedVersion: string | undefined
  sentVersion: string | undefined
}

export class CredentialsServer {
  readonly #options: CredentialsServerOptions
  readonly #authenticator: Authenticator
  readonly #limits: AdmissionLimits
  readonly #certificate = new ServerCertificate()
  readonly #connections = new ConnectionLimits()
  readonly #listener = createServer({ noDelay: true })
  readonly #subscribers = new Set<Subscriber>()
  readonly #server = new Server({
    'grpc.max_receive_message_length': MAX_SIDECAR_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_GRANT_BYTES,
    'grpc.max_connection_idle_ms': IDLE_CONNECTION_MS,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
  })

  constructor(options: CredentialsServerOptions) {
    this.#options = options
    this.#authenticator = new Authenticator(options)
    this.#limits = new AdmissionLimits(options.now)
    this.#server.addService(CREDENTIALS_SERVICE, { Subscribe: (stream: Stream) => this.#open(stream) })
  }

  /** The certificate of new connections, PEM; those that are open keep theirs. Needed before `listen`. */
  setCertificate(certificate: string, privateKey: Secret): void {
    this.#certificate.set(certificate, privateKey)
  }

  /** Resolves with the port. `host` undefined: on all addresses of the machine. @throws where the address cannot be had. */
  listen(host: string | undefined, port: number): Promise<number> {
    const credentials = experimental.createCertificateProviderServerCredentials(this.#certificate, null, false)
    const injector = this.#server.createConnectionInjector(credentials)
    const listener = this.#listener
    listener.on('connection', (socket) => {
      if (this.#connections.admit(socket)) injector.injectConnection(socket)
    })
    return new Promise((resolve, reject) => {
      listener.once('error', reject).listen({ host, port }, () => {
        listener.off('error', reject)
        const bound = listener.address()
        resolve(typeof bound === 'object' && bound !== null ? bound.port : port)
      })
    })
  }

  /** Sends a new Grant to the sidecars of an owner (absent: of all) for whom it has changed. */
  pushGrants(owner?: string): void {
    for (const subscriber of this.#subscribers)
      if (owner === undefined || subscriber.identity.namespace === owner) this.#feed(subscriber)
  }

  /** Tells the sidecars that these shards concern to look now. The catalogue and organizations concern all. */
  hint(shards: readonly string[]): void {
    const owners = shards.map(ownerOfShard)
    const all = owners.includes(undefined)
    for (const { identity, stream, sentVersion } of this.#subscribers)
      if (sentVersion !== undefined && (all || owners.includes(identity.namespace))) stream.write({ hint: {} })
  }

  /** A pod is gone: its stream ends, and its token is not believed from memory. */
  podDeleted(uid: string): void {
    this.#authenticator.forgetPod(uid)
    for (const { identity, stream } of this.#subscribers) if (identity.uid === uid) fail(stream, status.UNAUTHENTICATED)
  }

  connected(): readonly ConnectedSidecar[] {
    return [...this.#subscribers].map(({ identity, appliedVersion, sentVersion }) => ({
      identity,
      appliedVersion,
      sentVersion,
    }))
  }

  /** Ends all streams; sidecars keep what they have and look for another replica. */
  async close(): Promise<void> {
    this.#listener.close()
    for (const { stream } of this.#subscribers) stream.end()
    await new Promise<void>((resolve) => {
      const force = setTimeout(() => {
        this.#server.forceShutdown()
        resolve()
      }, CLOSE_TIMEOUT_MS)
      this.#server.tryShutdown(() => {
        clearTimeout(force)
        resolve()
      })
    })
    this.#connections.cutAll()
  }

  #open(stream: Stream): void {
    const address = peerAddress(stream)
    const leave = this.#limits.enter(address)
    // A broken connection is no news; 'cancelled' or 'end' follows.
    stream.on('error', () => undefined)
    if (leave === undefined) {
      this.#options.onAuthenticated?.('limited')
      return fail(stream, status.RESOURCE_EXHAUSTED)
    }
    const silence = setTimeout(() => fail(stream, status.DEADLINE_EXCEEDED), HELLO_TIMEOUT_MS)
    const ended = new AbortController()
    const end = () => {
      if (ended.signal.aborted) return
      ended.abort()
      clearTimeout(silence)
      leave()
    }
    stream.once('cancelled', end).once('close', end).once('end', end).once('finish', end)
    stream.once('data', ({ hello }: SidecarMessage) => {
      clearTimeout(silence)
      void this.#greet(stream, address, hello ?? undefined, ended.signal)
    })
  }

  async #greet(stream: Stream, address: string, hello: HelloMessage | undefined, ended: AbortSignal): Promise<void> {
    const { log, onAuthenticated } = this.#options
    if (hello?.protocol !== CREDENTIALS_PROTOCOL) return fail(stream, status.INVALID_ARGUMENT)
    try {
      const outcome = await this.#authenticator.authenticate(bearerToken(stream.metadata), address, hello)
      onAuthenticated?.(outcome.type === 'accepted' ? 'accepted' : outcome.reason)
      if (ended.aborted) return
      if (outcome.type === 'accepted') return this.#subscribe(stream, outcome.identity, ended)
      const { namespace, pod } = hello
      log.warn({ address, claimed: `${namespace}/${pod}`.slice(0, 320), reason: outcome.reason }, 'sidecar refused')
      fail(stream, UNPROVEN.has(outcome.reason) ? status.UNAUTHENTICATED : status.PERMISSION_DENIED)
    } catch (error) {
      onAuthenticated?.('error')
      log.error({ address, reason: error instanceof Error ? error.message : undefined }, 'sidecar not authenticated')
      fail(stream, status.UNAVAILABLE)
    }
  }

  #subscribe(stream: Stream, identity: SidecarIdentity, ended: AbortSignal): void {
    const subscriber: Subscriber = { stream, identity, appliedVersion: undefined, sentVersion: undefined }
    this.#subscribers.add(subscriber)
    const lifetimeMs = Math.min(MAX_TIMER_MS, identity.expiresAtMs - this.#options.now())
    const expiry = setTimeout(() => fail(stream, status.UNAUTHENTICATED), lifetimeMs)
    expiry.unref()
    ended.addEventListener('abort', () => {
      clearTimeout(expiry)
      this.#subscribers.delete(subscriber)
    })
    stream.on('data', ({ applied }: SidecarMessage) => {
      if (applied) subscriber.appliedVersion = applied.version
    })
    const { namespace, pod, serviceAccount } = identity
    this.#options.log.info({ namespace, pod, serviceAccount }, 'sidecar connected')
    this.#feed(subscriber)
  }

  #feed(subscriber: Subscriber): void {
    const { identity, stream } = subscriber
    const content = this.#options.grants.grantFor(identity.namespace)
    if (content === undefined) return
    const message = renderGrant(content, identity)
    if (message.version === subscriber.sentVersion) return
    // Beyond the bound the sidecar would only drop the connection; so it keeps what it has.
    const bytes = CREDENTIALS_SERVICE.Subscribe.responseSerialize({ grant: message }).length
    if (bytes > MAX_GRANT_BYTES) {
      this.#options.log.error({ namespace: identity.namespace, bytes }, 'grant too large')
      return
    }
    subscriber.sentVersion = message.version
    stream.write({ grant: message })
  }
}

/** Refusals where the token itself proves nothing; all others are about what a good token may do. */
const UNPROVEN: ReadonlySet<string> = new Set(['no-token', 'not-authenticated', 'wrong-audience', 'expired'])

function renderGrant(content: GrantContent, { serviceAccount }: SidecarIdentity): GrantMessage {
  const { shardKeys, redis, credentials, keyPepper, organizations, trust } = content
  const message = {
    serviceAccount,
    shardKeys: shardKeys.map((key) => Buffer.from(key)),
    redis: { url: redis.url, username: redis.username, password: redis.password.reveal(), ca: redis.ca ?? '' },
    credentials: Object.fromEntries([...credentials].map(([name, secret]) => [name, secret.reveal()])),
    keyPepper: keyPepper.reveal(),
    trustBundle: trust ?? '',
    organizations: Object.fromEntries(
      [...organizations].map(([name, { redactionSecret, cacheKey }]) => [
        name,
        { redactionSecret: redactionSecret.reveal(), cacheKey: cacheKey.reveal() },
      ]),
    ),
  }
  const version = createHash('sha256').update(JSON.stringify(message)).digest('hex').slice(0, 16)
  return { ...message, version }
}

function bearerToken(metadata: Metadata): Secret | undefined {
  const values = metadata.get('authorization')
  const match = values.length === 1 ? /^Bearer (\S+)$/i.exec(String(values[0])) : null
  return match?.[1] === undefined ? undefined : new Secret(match[1])
}

/** Without the port; brackets of IPv6 taken off. */
function peerAddress(stream: Stream): string {
  const peer = stream.getPeer()
  const end = peer.lastIndexOf(':')
  return (end < 0 ? peer : peer.slice(0, end)).replace(/^\[|\]$/g, '')
}

/** Ends a stream with a status and no words. */
function fail(stream: Stream, code: status): void {
  stream.emit('error', { code, details: '', metadata: new Metadata() })
}

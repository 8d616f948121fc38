/**
 * The sidecar's side of the credentials service: a stream that is opened again for ever. The last good Grant stays in
 * force while the operator is away; token and CA are read anew for every connection, because both are renewed.
 */
import { isIP } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import {
  Client,
  credentials,
  Metadata,
  status,
  type ChannelOptions,
  type ClientDuplexStream,
  type ServiceError,
  type VerifyOptions,
} from '@grpc/grpc-js'
import {
  CREDENTIALS_PROTOCOL,
  CREDENTIALS_SERVICE,
  MAX_GRANT_BYTES,
  type GrantMessage,
  type OperatorMessage,
  type SidecarMessage,
} from '../../proto/credentials.ts'
import { parseGrant, type Grant } from './grant.ts'

const BACKOFF_MIN_MS = 250
/** With jitter ten thousand sidecars are then a thousand attempts a second at most. */
const BACKOFF_MAX_MS = 10_000
/** A connection that opens and stays silent: the operator does not know the namespace yet. It is left open. */
const CONNECT_TIMEOUT_MS = 5_000
/** Of asking why there is none. */
const EXPLAIN_TIMEOUT_MS = 250
/** Finds an operator that vanished without a word; the server allows pings this often. */
const KEEPALIVE_MS = 30_000
const KEEPALIVE_TIMEOUT_MS = 10_000

export interface CredentialsClientOptions {
  /** `host:port` of the operator. */
  readonly address: string
  /** PEM of the authority that has signed the operator's certificate, read for each connection. */
  readonly readCa: () => Promise<string>
  /** The projected token, read for each connection. */
  readonly readToken: () => Promise<string>
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string }
  /** Puts a grant in force. What it throws refuses the grant. */
  readonly onGrant: (grant: Grant) => void
  /** Shards have changed. */
  readonly onHint: () => void
  readonly log: ClientLog
  /** 0..1, for the jitter. */
  readonly random: () => number
}

export interface ClientLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

type Stream = ClientDuplexStream<SidecarMessage, OperatorMessage>

export class CredentialsClient {
  readonly #options: CredentialsClientOptions
  readonly #closing = new AbortController()
  readonly #done: Promise<void>
  /** As granted, added to what the sidecar was started with: an authority is changed while it runs. */
  #trust = ''
  #connected = false
  #failures = 0

  constructor(options: CredentialsClientOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  /** Whether the operator has answered on the stream that is open now. */
  get connected(): boolean {
    return this.#connected
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted) {
      const wasConnected = await this.#connect().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'operator not reached')
        return false
      })
      this.#connected = false
      this.#failures = wasConnected ? 1 : this.#failures + 1
      if (!signal.aborted) await pause(this.#backoffMs(), signal)
    }
  }

  /** One connection from begin to end. Returns whether a grant came. @throws where it could not be opened. */
  async #connect(): Promise<boolean> {
    const { address, readCa, readToken } = this.#options
    const [ca, token] = await Promise.all([readCa(), readToken()])
    const { verifyOptions, channelOptions } = identityAt(address)
    const trust = Buffer.from(`${ca}\n${this.#trust}`)
    const client = new Client(address, credentials.createSsl(trust, null, null, verifyOptions), {
      ...channelOptions,
      'grpc.max_receive_message_length': MAX_GRANT_BYTES,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      // Or a second client in this process would get the connection of the first, with its old CA.
      'grpc.use_local_subchannel_pool': 1,
      // A company's forward proxy, which many clusters put into every container, does not lead to a Service, and the
      // operator would see its address in place of the pod's.
      'grpc.enable_http_proxy': 0,
    })
    const close = () => client.close()
    try {
      if (!(await becomesReady(client))) throw await whyUnconnected(client)
      return await this.#converse(this.#subscribe(client, token.trim()))
    } finally {
      close()
    }
  }

  #subscribe(client: Client, token: string): Stream {
    const { path, requestSerialize, responseDeserialize } = CREDENTIALS_SERVICE.Subscribe
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${token}`)
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata)
    const { namespace, name, uid } = this.#options.pod
    stream.write({ hello: { protocol: CREDENTIALS_PROTOCOL, namespace, pod: name, uid } })
    return stream
  }

  #converse(stream: Stream): Promise<boolean> {
    const { log } = this.#options
    const { signal } = this.#closing
    let granted = false
    return new Promise((resolve) => {
      const cancel = () => stream.cancel()
      const end = () => {
        signal.removeEventListener('abort', cancel)
        resolve(granted)
      }
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
      stream.on('data', ({ grant, hint }: OperatorMessage) => {
        this.#connected = true
        if (grant) granted = this.#receive(stream, grant) || granted
        if (hint) this.#options.onHint()
      })
      stream.once('error', (error: ServiceError) => {
        if (!signal.aborted) log.warn({ status: status[error.code] }, 'operator ended the stream')
        end()
      })
      stream.once('end', end)
    })
  }

  /** A grant that is not one is refused whole: the last good one stays. */
  #receive(stream: Stream, message: GrantMessage): boolean {
    const { log, onGrant } = this.#options
    try {
      const grant = parseGrant(message)
      onGrant(grant)
      this.#trust = grant.trust ?? this.#trust
      stream.write({ applied: { version: message.version } })
      log.info({ version: message.version, providers: Object.keys(message.credentials).length }, 'grant in force')
      return true
    } catch (error) {
      log.warn({ version: message.version, reason: reasonOf(error) }, 'grant refused')
      return false
    }
  }

  /** Exponential, with full jitter above the minimum. */
  #backoffMs(): number {
    const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** Math.min(this.#failures, 10))
    return BACKOFF_MIN_MS + this.#options.random() * (ceiling - BACKOFF_MIN_MS)
  }
}

/**
 * grpc-js names a server by its address, too. TLS knows names of hosts only, and Node.js 26 throws at an address: a name
 * that no host has is sent, and the certificate is still asked for the address.
 */
function identityAt(address: string): { verifyOptions?: VerifyOptions; channelOptions?: ChannelOptions } {
  const host = address.replace(/:\d+$/u, '').replace(/^\[|\]$/gu, '')
  if (isIP(host) === 0) return {}
  return {
    verifyOptions: { checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate) },
    channelOptions: { 'grpc.ssl_target_name_override': 'address.invalid' },
  }
}

function becomesReady(client: Client): Promise<boolean> {
  return new Promise((resolve) => {
    client.waitForReady(Date.now() + CONNECT_TIMEOUT_MS, (error) => resolve(error === undefined || error === null))
  })
}

/** Waiting says that there is no connection, and not why; a call, which need not say who calls, is told. */
function whyUnconnected(client: Client): Promise<Error> {
  const { path, requestSerialize, responseDeserialize } = CREDENTIALS_SERVICE.Subscribe
  const options = { deadline: Date.now() + EXPLAIN_TIMEOUT_MS }
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, options)
  return new Promise((resolve) => {
    call.on('error', () => undefined)
    call.once('status', ({ details }) => resolve(new Error(`no connection to the operator: ${details}`)))
    call.resume()
  })
}

/** Messages of file and connection errors; they hold paths and addresses, never contents. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}

/**
 * Keep-alive connections to providers, one pool for all endpoints that may share them. A pool whose endpoint has left
 * the configuration closes when its last exchange has ended.
 */
import { unescape } from 'node:querystring'
import { Pool, ProxyAgent } from 'undici'
import type { Dispatcher, buildConnector } from 'undici'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Endpoint } from './endpoint.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { checkLiteralAddress, guardedLookup } from './address-guard.ts'
import { attemptErrorOf } from './attempt-error.ts'
import { oneAddressMs } from './name-lookup.ts'

/**
 * Exchanges with one provider at once; more are refused, so that nothing queues unseen with its body in memory.
 * A sidecar serves one application; a provider's own `maxConcurrent` is usually far below.
 */
const MAX_CONNECTIONS = 1024
/**
 * For the question whether a server lives, beside those: it matters most where calls that wait have taken them all, and
 * an idle one of them may be as dead as what it asks for. One is on its way, and few more where entries share the pool
 * (before and after a reload) or one was given up unconnected.
 */
const MAX_QUESTIONS = 4
/** Response header lines together. Vendors send 2-4 KiB. */
const MAX_HEADER_BYTES = 32_768
/**
 * Idle connections are kept this long unless the server names a time. Common model servers (uvicorn) close after 5 s
 * without saying so, and a request that meets the closing is lost.
 */
const KEEP_ALIVE_MS = 4_000
/**
 * Whatever time the server names: NATs, firewalls and load balancers forget idle connections earlier than it, some after
 * a minute (Azure's after four, AWS's after 350 s), and many without a word. A request over such a one is lost in silence,
 * and a whole answer is then waited for as long as the server answers others.
 */
const LONGEST_KEEP_ALIVE_MS = 50_000

export interface PoolOptions {
  readonly maxConnections?: number
  readonly longestKeepAliveMs?: Milliseconds
}

/** One pool and how many exchanges it carries. */
export class Connections {
  readonly dispatcher: Dispatcher
  readonly #endpoint: Endpoint
  readonly #max: number
  #inFlight = 0
  #isNew = false

  constructor(endpoint: Endpoint, max: number, longestKeepAliveMs: Milliseconds) {
    this.dispatcher = openPool(endpoint, { connections: max, longestKeepAliveMs }, () => this.#connected())
    this.#endpoint = endpoint
    this.#max = max
  }

  /** For a request that starts now: its connection was made for it, and not kept from another. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** @throws {AttemptError} `busy` where there is no room. */
  take(): void {
    if (this.#inFlight >= this.#max) throw new AttemptError('busy', 'too many connections to the provider')
    this.#inFlight += 1
  }

  release(): void {
    this.#inFlight -= 1
  }

  /** Sends over a connection that is made for this and closed after it. */
  dispatchAfresh(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const once = openPool(this.#endpoint, { connections: 1 }, () => undefined)
    once.dispatch(request, handler)
    void once.close()
  }

  /** undici starts the request that a connection was made for before it does anything else. */
  #connected(): void {
    this.#isNew = true
    queueMicrotask(() => (this.#isNew = false))
  }
}

export class ConnectionPools {
  readonly #pools = new Map<string, Connections>()
  readonly #questions = new Map<string, Connections>()
  readonly #maxConnections: number
  readonly #longestKeepAliveMs: Milliseconds

  constructor(options: PoolOptions = {}) {
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS
    this.#longestKeepAliveMs = options.longestKeepAliveMs ?? LONGEST_KEEP_ALIVE_MS
  }

  /**
   * The pool for one exchange, to be released once when that has ended.
   * @throws {AttemptError} `busy` where it has no room, `refused-address` where its forward proxy must not be used.
   */
  take(endpoint: Endpoint): Connections {
    return this.#take(this.#pools, endpoint, this.#maxConnections)
  }

  /** The same for a question whether the server lives, over connections of its own. @throws {AttemptError} */
  takeForQuestion(endpoint: Endpoint): Connections {
    return this.#take(this.#questions, endpoint, MAX_QUESTIONS)
  }

  /** Closes the pools of other keys, each when its exchanges have ended. */
  async retain(poolKeys: ReadonlySet<string>): Promise<void> {
    await Promise.all([this.#pools, this.#questions].map((pools) => retain(pools, poolKeys)))
  }

  #take(pools: Map<string, Connections>, endpoint: Endpoint, max: number): Connections {
    let pool = pools.get(endpoint.poolKey)
    if (pool === undefined) {
      pool = new Connections(endpoint, max, this.#longestKeepAliveMs)
      pools.set(endpoint.poolKey, pool)
    }
    pool.take()
    return pool
  }
}

async function retain(pools: Map<string, Connections>, poolKeys: ReadonlySet<string>): Promise<void> {
  const leaving = [...pools].filter(([key]) => !poolKeys.has(key))
  for (const [key] of leaving) pools.delete(key)
  await Promise.all(leaving.map(([, { dispatcher }]) => dispatcher.close()))
}

interface PoolBounds {
  readonly connections: number
  readonly longestKeepAliveMs?: Milliseconds
}

function openPool(
  { origin, provider, proxyUrl }: Endpoint,
  { connections, longestKeepAliveMs = LONGEST_KEEP_ALIVE_MS }: PoolBounds,
  onConnect: () => void,
): Dispatcher {
  const { endpoint, timeouts } = provider
  const tls = endpoint.ca === undefined ? {} : { ca: endpoint.ca }
  const socket = (allowLoopback: boolean) => ({
    lookup: guardedLookup(allowLoopback),
    timeout: timeouts.connectMs,
    autoSelectFamilyAttemptTimeout: oneAddressMs(timeouts.connectMs),
  })
  const options = {
    connections,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: longestKeepAliveMs,
    // The attempt's own clocks run instead.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  }
  const pool = (to: string | URL, tunnelled: object) =>
    new Pool(to, { ...options, ...tunnelled }).on('connect', onConnect)
  if (proxyUrl === undefined) return pool(origin, { connect: { ...socket(endpoint.allowInsecureHttp), ...tls } })
  const uri = parseProxyUrl(proxyUrl)
  return new ProxyAgent({
    ...options,
    uri: uri.href,
    ...loginOf(uri),
    factory: pool,
    requestTls: { timeout: timeouts.connectMs, ...tls },
    // The proxy is the operator's own, often on this machine.
    proxyTls: { ...socket(true), ...tls },
    clientFactory: (proxyOrigin, { connect }: { readonly connect: buildConnector.connector }) =>
      new ForwardProxy(proxyOrigin, {
        connect: unnamed(connect),
        connections,
        headersTimeout: timeouts.connectMs,
      }),
  })
}

/**
 * undici names a proxy by its host, be it an address. TLS knows names only, and Node.js 26 throws at an address; unnamed, a
 * connector takes the name from the host itself, where that is one.
 */
function unnamed(connect: buildConnector.connector): buildConnector.connector {
  return ({ servername: _servername, ...options }, callback) => connect(options, callback)
}

/**
 * To undici, a proxy that closes the connection instead of answering, or answers in the provider's place, is one to be
 * asked again at once, without end and also after the exchange was given up. As an error that undici does not know, it
 * ends what waits for the tunnel.
 */
class ForwardProxy extends Pool {
  readonly #peer: string

  constructor(origin: URL, options: Pool.Options) {
    super(origin, options)
    this.#peer = `the forward proxy at ${origin.origin}`
  }

  override connect(options: ConnectOptions): Promise<Dispatcher.ConnectData>
  override connect(options: ConnectOptions, callback: Connected): void
  override connect(options: ConnectOptions, callback?: Connected): Promise<Dispatcher.ConnectData> | void {
    if (callback !== undefined) return super.connect(options, callback)
    return super.connect(options).then(
      (tunnel) => emptyTunnel(tunnel, this.#peer),
      (error: unknown) => {
        throw attemptErrorOf(error, 'connecting', this.#peer)
      },
    )
  }
}

/** No provider speaks before it is asked. Of a refusal undici would keep the status to itself: it says whom to ask for help. */
function emptyTunnel(tunnel: Dispatcher.ConnectData, peer: string): Dispatcher.ConnectData {
  const { socket, statusCode } = tunnel
  if (statusCode === 200 && socket.readableLength === 0) return tunnel
  socket.on('error', () => undefined).destroy()
  throw statusCode === 200
    ? new AttemptError('protocol', `${peer} answered in the provider's place`)
    : new AttemptError('connect', `${peer} opens no tunnel (status ${statusCode})`)
}

type ConnectOptions = Parameters<Pool['connect']>[0]
type Connected = Parameters<Pool['connect']>[1]

/** undici would leave out a name without a password, and fail at a lone percent sign. */
function loginOf({ username, password }: URL): { token?: string } {
  if (username === '' && password === '') return {}
  const login = `${unescape(username)}:${unescape(password)}`
  return { token: `Basic ${Buffer.from(login).toString('base64')}` }
}

function parseProxyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AttemptError('refused-address', 'the forward proxy is no http or https URL')
  }
  checkLiteralAddress(url.hostname, true)
  // undici throws at a path, and a proxy has none.
  url.pathname = ''
  url.search = ''
  url.hash = ''
  return url
}

/**
 * Opens one connection to a server, to the master that Sentinels name, or to a cluster. What comes out is used until
 * it is lost and then thrown away: reconnecting, bounds and health are the business of `redis-client.ts`, in the same
 * way for all three.
 */
import { isIP } from 'node:net'
import { createClient, createCluster, RESP_TYPES } from '@redis/client'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { authorityError, because, loginError } from './redis-errors.ts'
import type { RedisAddress, RedisHost } from './redis-url.ts'

/** A connection in use. `send` settles late or never while the server is frozen; `destroy` rejects what is open. */
export interface RedisWire {
  send(key: string, args: readonly RedisArgument[], returnBuffers: boolean): Promise<unknown>
  /** To every master of a cluster, elsewhere to the one server. */
  sendToAll(args: readonly RedisArgument[]): Promise<readonly unknown[]>
  destroy(): void
}

export type RedisArgument = string | Buffer

export interface RedisTls {
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** PEM, for servers that ask for a client certificate. */
  readonly cert?: string
  readonly key?: string
}

export interface WireOptions {
  readonly tls: RedisTls
  readonly connectTimeoutMs: Milliseconds
  /** Bound of the client library's own queue. */
  readonly maxInFlight: number
  /** Called at most once per loss; the wire is of no use afterwards (a cluster's may be in part). */
  readonly onLost: (cause: Error) => void
}

/** @throws {Error} where the server refuses or cannot be reached; may hang while it is frozen, so bound it */
export async function openWire(address: RedisAddress, options: WireOptions, signal: AbortSignal): Promise<RedisWire> {
  try {
    return await openByType(address, options, signal)
  } catch (error) {
    throw authorityError(error)
  }
}

function openByType(address: RedisAddress, options: WireOptions, signal: AbortSignal): Promise<RedisWire> {
  switch (address.type) {
    case 'server':
      return openDataServer(firstHost(address), address, options, signal)
    case 'sentinel':
      return openMaster(address, options, signal)
    case 'cluster':
      return openCluster(address, options, signal)
    default:
      return address.type satisfies never
  }
}

const NO_PASSWORD = 'the address has no password'
const NO_SENTINEL_LOGIN = 'the address has no login of the Sentinels'
const SENTINEL_LOGIN_REFUSED = 'the Sentinel refuses the login that the address has for it (?sentinel=)'

async function openDataServer(
  host: RedisHost,
  address: RedisAddress,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisWire> {
  try {
    return await openServer(host, address, options, signal)
  } catch (error) {
    throw loginError(error, address.password, NO_PASSWORD)
  }
}

type Credentials = Pick<RedisAddress, 'username' | 'password' | 'database' | 'tls'>

async function openServer(
  host: RedisHost,
  credentials: Credentials,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisWire> {
  const client = createClient({
    ...clientOptions(credentials, options),
    socket: socketOptions(host, credentials, options),
  })
  client.on('error', options.onLost)
  try {
    await untilAborted(signal, client, () => client.connect())
  } catch (error) {
    client.destroy()
    throw error
  }
  // Options given with a command are merged into the client's anew each time.
  const asBytes = client.withTypeMapping(BYTES)
  return {
    send: (_key, args, returnBuffers) => (returnBuffers ? asBytes : client).sendCommand(args),
    sendToAll: async (args) => [await client.sendCommand(args)],
    destroy: () => client.destroy(),
  }
}

/** What `work` resolves with; where the signal comes before, what it works with is destroyed, which fails it. */
async function untilAborted<Result>(
  signal: AbortSignal,
  connection: { destroy(): void },
  work: () => Promise<Result>,
): Promise<Result> {
  const destroy = () => connection.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  try {
    return await work()
  } finally {
    signal.removeEventListener('abort', destroy)
  }
}

/** Asks the Sentinels one after the other, and believes the answer only if the server calls itself a master. */
async function openMaster(address: RedisAddress, options: WireOptions, signal: AbortSignal): Promise<RedisWire> {
  let lastError: unknown
  for (const sentinel of address.hosts) {
    if (signal.aborted) break
    try {
      const master = await askSentinel(sentinel, address, options, signal)
      return await openConfirmedMaster(master, address, options, signal)
    } catch (error) {
      lastError = error
    }
  }
  throw because('no Sentinel named a reachable master', lastError)
}

async function askSentinel(
  sentinel: RedisHost,
  address: RedisAddress,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisHost> {
  const credentials = {
    username: address.sentinelUsername,
    password: address.sentinelPassword,
    database: 0,
    tls: address.tls,
  }
  // A frozen Sentinel must not use up the time of the others.
  const own = AbortSignal.any([signal, AbortSignal.timeout(options.connectTimeoutMs)])
  try {
    const wire = await openServer(sentinel, credentials, { ...options, onLost: () => undefined }, own)
    return await masterNamedBy(wire, address.masterName, own)
  } catch (error) {
    if (own.aborted && !signal.aborted) {
      throw new Error(`the Sentinel ${sentinel.host}:${sentinel.port} did not answer`, { cause: error })
    }
    throw loginError(error, address.sentinelPassword, NO_SENTINEL_LOGIN, SENTINEL_LOGIN_REFUSED)
  }
}

/** Ends the wire. */
async function masterNamedBy(wire: RedisWire, masterName: string, signal: AbortSignal): Promise<RedisHost> {
  try {
    const question = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName]
    const reply = await untilAborted(signal, wire, () => wire.send('', question, false))
    if (!Array.isArray(reply)) throw new Error(`the Sentinel knows no master "${masterName}"`)
    return { host: String(reply[0]), port: Number(reply[1]) }
  } finally {
    wire.destroy()
  }
}

async function openConfirmedMaster(
  host: RedisHost,
  address: RedisAddress,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisWire> {
  const wire = await openDataServer(host, address, options, signal)
  try {
    const role = await untilAborted(signal, wire, () => wire.send('', ['ROLE'], false))
    if (Array.isArray(role) && role[0] === 'master') return wire
  } catch (error) {
    wire.destroy()
    throw error
  }
  wire.destroy()
  throw new Error('the server that the Sentinels name is not a master (yet)')
}

async function openCluster(address: RedisAddress, options: WireOptions, signal: AbortSignal): Promise<RedisWire> {
  const shared = clientOptions(address, options)
  const cluster = createCluster({
    commandOptions: shared.commandOptions,
    // Only for finding out who serves what; a frozen node must not hold that up.
    rootNodes: address.hosts.map((host) => ({
      ...shared,
      socket: { ...socketOptions(host, address, options), socketTimeout: options.connectTimeoutMs },
    })),
    defaults: { ...shared, socket: sharedSocketOptions(address, options) },
    nodeAddressMap: (node) => {
      const at = node.lastIndexOf(':')
      const host = node.slice(0, at)
      return { host, port: Number(node.slice(at + 1)), ...serverName(host, address) }
    },
    // One dead master must not keep us from the others: nodes are connected when first asked.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: false,
  })
  // The library itself says only that no node is there.
  let lastError: unknown
  const onError = (error: Error) => {
    lastError = error
    options.onLost(error)
  }
  cluster.on('error', onError)
  cluster.on('node-error', onError)
  try {
    await untilAborted(signal, cluster, () => cluster.connect())
  } catch (error) {
    cluster.destroy()
    const reason = loginError(lastError ?? error, address.password, NO_PASSWORD)
    throw because('no node of the cluster could be asked for the others', reason)
  }
  const asBytes = cluster.withTypeMapping(BYTES)
  /** The library learns of another master only by a command that meets the former one. */
  const requireCurrentMasters = async (): Promise<void> => {
    const current = mastersIn(await cluster.sendCommand(undefined, true, ['CLUSTER', 'SLOTS']))
    const known = new Set(cluster.masters.map(({ id }) => id))
    if (current.size === known.size && [...current].every((id) => known.has(id))) return
    const changed = new Error('the cluster has other masters')
    options.onLost(changed)
    throw changed
  }
  return {
    send: (key, args, returnBuffers) => (returnBuffers ? asBytes : cluster).sendCommand(key, false, [...args]),
    sendToAll: async (args) => {
      await requireCurrentMasters()
      return Promise.all(cluster.masters.map(async (node) => (await cluster.nodeClient(node)).sendCommand(args)))
    },
    destroy: () => cluster.destroy(),
  }
}

/** Of `CLUSTER SLOTS`, whose ranges are [first, last, [host, port, id, ...] of the master, ...of its replicas]. */
function mastersIn(slots: unknown): ReadonlySet<string> {
  const ranges: readonly unknown[] = Array.isArray(slots) ? slots : []
  return new Set(
    ranges.flatMap((range) => {
      const master: unknown = Array.isArray(range) ? range[2] : undefined
      return Array.isArray(master) ? [String(master[2])] : []
    }),
  )
}

const BYTES = { [RESP_TYPES.BLOB_STRING]: Buffer }

function clientOptions({ username, password, database }: Credentials, { maxInFlight }: WireOptions) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(database === 0 ? {} : { database }),
    name: 'tollgate',
    // Nothing waits for a connection: the caller decides what to do without one.
    disableOfflineQueue: true,
    // Calls are bounded by `redis-call.ts`. The library's own clock would be a signal and, five seconds later, an
    // exception object for each call. Without a mapping it would make an empty one for each part of a reply.
    commandOptions: { timeout: 0, typeMapping: {} },
    commandsQueueMaxLength: maxInFlight * 2,
    disableClientInfo: true,
    maintNotifications: 'disabled' as const,
  }
}

function socketOptions({ host, port }: RedisHost, credentials: Credentials, options: WireOptions) {
  return { ...sharedSocketOptions(credentials, options), host, port, ...serverName(host, credentials) }
}

/** For servers behind one address that are told apart by name. Neither Node nor the library sends it unasked; an address is no name, and a name has no final dot there (RFC 6066 section 3). */
function serverName(host: string, { tls }: Credentials): { readonly servername?: string } {
  return tls && isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}
}

function sharedSocketOptions({ tls }: Credentials, { connectTimeoutMs, tls: { ca, cert, key } }: WireOptions) {
  const common = { connectTimeout: connectTimeoutMs, reconnectStrategy: false as const }
  if (!tls) return common
  return {
    ...common,
    tls: true as const,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

function firstHost({ hosts }: RedisAddress): RedisHost {
  const [host] = hosts
  if (host === undefined) throw new TypeError('a Redis address without a host')
  return host
}

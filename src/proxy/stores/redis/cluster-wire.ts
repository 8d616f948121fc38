/** A connection to each node of a cluster, by the client library, which follows the slots. */
import { createCluster, RESP_TYPES } from '@redis/client'
import type { RedisAddress, RedisHost } from './redis-url.ts'
import type { RedisWire, WireOptions } from './redis-wire.ts'
import type { Login } from './server-wire.ts'

/** @throws {Error} where no node can be reached; may hang while they are frozen, until `signal` fires */
export async function openClusterWire(
  address: RedisAddress,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisWire> {
  const shared = clientOptions(address, options)
  const cluster = createCluster({
    commandOptions: shared.commandOptions,
    // Only for finding out who serves what; a frozen node must not hold that up.
    rootNodes: address.hosts.map((host) => ({
      ...shared,
      socket: { ...socketOptions(host, address, options), socketTimeout: options.connectTimeoutMs },
    })),
    defaults: { ...shared, socket: sharedSocketOptions(address, options) },
    // One dead master must not keep us from the others: nodes are connected when first asked.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: false,
  })
  cluster.on('error', options.onLost)
  cluster.on('node-error', options.onLost)
  const destroy = () => cluster.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  try {
    await cluster.connect()
  } catch (error) {
    cluster.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', destroy)
  }
  return {
    send: (key, args, returnBuffers) => cluster.sendCommand(key, false, [...args], returnBuffers ? BUFFERS : undefined),
    destroy,
  }
}

const BUFFERS = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }

function clientOptions({ username, password, database }: Login, { maxInFlight }: WireOptions) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(database === 0 ? {} : { database }),
    name: 'tollgate',
    // Nothing waits for a connection: the caller decides what to do without one.
    disableOfflineQueue: true,
    // Calls are bounded by `redis-call.ts`. The library's own clock would be a signal and, five seconds later, an
    // exception object for each call.
    commandOptions: { timeout: 0 },
    commandsQueueMaxLength: maxInFlight * 2,
    disableClientInfo: true,
    maintNotifications: 'disabled' as const,
  }
}

function socketOptions({ host, port }: RedisHost, credentials: Login, options: WireOptions) {
  return { ...sharedSocketOptions(credentials, options), host, port }
}

function sharedSocketOptions({ tls }: Login, { connectTimeoutMs, tls: { ca, cert, key, serverName } }: WireOptions) {
  const common = { connectTimeout: connectTimeoutMs, reconnectStrategy: false as const }
  if (!tls) return common
  return {
    ...common,
    tls: true as const,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  }
}

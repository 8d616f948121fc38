/** Starts the two servers of a data plane, and ends them in order when the process is asked to. */
import type { Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Services } from '../pipeline/services.ts'
import { buildAdmin, type AdminOptions } from './admin.ts'
import { buildApp } from './app.ts'
import { Drain, DRAIN_LIMIT_MS } from './drain.ts'
import { releaseStartUpMemory, settleHeap } from './heap.ts'
import { RunningAnswers } from './running-answers.ts'

/** Where a server listens. */
export interface Address {
  /** Undefined: on all addresses of the machine, of both families where it has both. */
  readonly host: string | undefined
  readonly port: number
}

export interface StartOptions {
  readonly services: Services
  readonly metricsPage: AdminOptions['metrics']
  readonly listen: Address
  readonly admin: Address
  readonly maxBodyBytes: number
  readonly bodyMemoryBytes: number
  /** @see ServerOptions */
  readonly sendTimeoutMs?: Milliseconds | undefined
  /** Called when answers in progress have taken too long, before they are cut. */
  readonly onDrainLimit: () => void
  /** What the data plane lacks, for people and without an address; undefined: nothing. Draining is added here. */
  readonly problem: () => string | undefined
}

export interface RunningServers {
  /** `http://host:port` of each. */
  readonly data: string
  readonly admin: string
  /** Drains: no new connections, answers in progress finish within the limit. True where nothing was cut. */
  stop(): Promise<boolean>
}

/** An address that cannot be had; `cause` is the operating system's error. */
export class ListenError extends Error {
  readonly address: 'listen' | 'admin'

  constructor(address: 'listen' | 'admin', cause: unknown) {
    super(`the address ${address} cannot be had`, { cause })
    this.address = address
  }
}

/** Resolves when both listen. @throws {ListenError} */
export async function startServers(options: StartOptions): Promise<RunningServers> {
  const running = new RunningAnswers()
  const drain = new Drain(running)
  const { maxBodyBytes, bodyMemoryBytes, sendTimeoutMs } = options
  const app = buildApp(options.services, { maxBodyBytes, bodyMemoryBytes, sendTimeoutMs, running })
  await app.ready()
  const problem = () => (drain.draining ? 'the gateway is stopping' : options.problem())
  const admin = buildAdmin({ problem, metrics: options.metricsPage })
  settleHeap()
  releaseStartUpMemory()
  const data = await listen(app.server, 'listen', options)
  const servers = {
    data,
    admin: await listen(admin, 'admin', options),
    async stop() {
      if (running.size > 0)
        options.services.log.info({ inFlight: running.size }, 'draining; a second signal ends at once')
      const finished = await drain.start(app.server, DRAIN_LIMIT_MS, options.onDrainLimit)
      admin.close()
      admin.closeAllConnections()
      return finished
    },
  }
  options.services.log.info({ data: servers.data, admin: servers.admin }, 'listening')
  return servers
}

async function listen(server: Server, name: ListenError['address'], options: StartOptions): Promise<string> {
  const { host, port } = options[name]
  server.listen({ host, port })
  await once(server, 'listening').catch((error: unknown) => {
    throw new ListenError(name, error)
  })
  const address = server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

/**
 * A proxy before a control plane that a client speaks plain HTTP with, and that misbehaves on demand: refuses, tells
 * nonsense in watches, or swallows everything with its connections open, as a firewall that forgot them.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ControlPlane } from './control-plane.ts'

export type ApiFault =
  | 'none'
  /** 429 with Retry-After, 500 and 503 in turn. */
  | 'refusing'
  /** Two of three requests are answered, the third with 500 after it has been executed. */
  | 'forgetting'
  /** Nothing is answered, nothing is closed. */
  | 'swallowing'

export interface ApiProxy {
  readonly url: string
  /** Requests so far. */
  readonly requests: number
  fault: ApiFault
  /** Writes a line into every watch that is open. Returns how many. */
  tellWatches(line: string): number
  stop(): Promise<void>
}

export async function startApiProxy(plane: ControlPlane): Promise<ApiProxy> {
  const agent = new Agent({ keepAlive: true, ca: plane.ca, cert: plane.clientCertificate, key: plane.clientKey })
  const watches = new Set<ServerResponse>()
  const open = new Set<ServerResponse>()
  /** Swallowed once: they stay silent for good. */
  const dead = new WeakSet<ServerResponse>()
  let count = 0
  let fault: ApiFault = 'none'
  const server = createServer((incoming, outgoing) => {
    count += 1
    if (fault === 'swallowing') return void incoming.resume()
    if (fault === 'refusing') return refuse(outgoing, count)
    forward(incoming, outgoing, fault === 'forgetting' && count % 3 === 0)
  })

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, isForgotten: boolean): void {
    const { method, url } = incoming
    const { host: _host, ...headers } = incoming.headers
    open.add(outgoing)
    const onward = request(`${plane.url}${url ?? '/'}`, { agent, method, headers })
    onward.on('error', () => outgoing.destroy())
    onward.on('response', (answer) => {
      if (isForgotten) {
        answer.resume()
        return void answer.once('end', () => refuse(outgoing, 1))
      }
      outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' })
      if (new URL(url ?? '/', 'http://x').searchParams.get('watch') === 'true') watches.add(outgoing)
      outgoing.flushHeaders()
      answer.on('data', (chunk: Buffer) => void (dead.has(outgoing) || outgoing.write(chunk)))
      answer.once('end', () => void (dead.has(outgoing) || outgoing.end()))
      answer.once('error', () => outgoing.destroy())
    })
    outgoing.once('close', () => {
      watches.delete(outgoing)
      open.delete(outgoing)
      onward.destroy()
    })
    incoming.pipe(onward)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // An AddressInfo, because it listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return count
    },
    get fault() {
      return fault
    },
    set fault(wanted) {
      fault = wanted
      if (wanted === 'swallowing') for (const outgoing of open) dead.add(outgoing)
    },
    tellWatches(line) {
      for (const watch of watches) watch.write(`${line}\n`)
      return watches.size
    },
    stop: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function refuse(outgoing: ServerResponse, turn: number): void {
  const code = [500, 429, 503][turn % 3] ?? 500
  outgoing.writeHead(code, { 'content-type': 'application/json', ...(code === 429 ? { 'retry-after': '1' } : {}) })
  outgoing.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'not now' }))
}

/** `/livez`, `/readyz`, `/metrics` of the operator. Liveness never depends on Redis or the API server: a restart cures neither. */
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'

const MAX_CONNECTIONS = 64
const REQUEST_TIMEOUT_MS = 5_000

export interface AdminServerOptions {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined
  readonly port: number
  /** Why the operator is not ready, for people; undefined: it is. */
  readonly problem: () => string | undefined
  readonly metricsPage: () => Promise<{ readonly contentType: string; readonly text: string }>
}

export interface AdminServer {
  readonly port: number
  stop(): Promise<void>
}

/** @throws where the address cannot be had. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', response, options).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port: options.port, host: options.host }, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(url: string, response: ServerResponse, options: AdminServerOptions): Promise<void> {
  switch (url.split('?')[0]) {
    case '/livez':
      return say(response, 200, 'ok\n')
    case '/readyz': {
      const problem = options.problem()
      return problem === undefined ? say(response, 200, 'ok\n') : say(response, 503, `${problem}\n`)
    }
    case '/metrics': {
      const { contentType, text } = await options.metricsPage()
      return say(response, 200, text, contentType)
    }
    default:
      return say(response, 404, 'not found\n')
  }
}

function say(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text)
}

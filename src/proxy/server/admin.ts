/** Health and metrics on their own port. No action can be asked for here. */
import { createServer, type Server, type ServerResponse } from 'node:http'

export interface AdminOptions {
  /** Why requests cannot be served, for people: no configuration, draining; undefined: they can. */
  problem(): string | undefined
  /** The metrics page in Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** For whoever has mistaken the port. */
const OFFERED = 'the admin port has GET /livez, /readyz and /metrics only; models are called on the data port\n'

export function buildAdmin(options: AdminOptions): Server {
  return createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    request.resume()
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(response, 405, OFFERED)
    switch (request.url?.split('?')[0]) {
      case '/livez':
        return plain(response, 200, 'ok\n')
      case '/readyz': {
        const problem = options.problem()
        return problem === undefined ? plain(response, 200, 'ready\n') : plain(response, 503, `not ready: ${problem}\n`)
      }
      case '/metrics':
        return void metrics(response, options)
      default:
        return plain(response, 404, OFFERED)
    }
  })
}

async function metrics(response: ServerResponse, options: AdminOptions): Promise<void> {
  try {
    const { contentType, text } = await options.metrics()
    response.writeHead(200, { 'content-type': contentType }).end(text)
  } catch {
    plain(response, 500, 'metrics failed\n')
  }
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}

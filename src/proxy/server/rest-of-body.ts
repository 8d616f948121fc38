/** What a refused client is still writing. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** nginx' `lingering_time`. */
const LINGER_MS = 30_000

/**
 * Resolves when the rest of the body has come, for nothing, or has taken too long; undefined: nothing to wait for. The answer is sent
 * before, and the connection ended after it: ended while the client still writes, it is reset, which takes the answer
 * away. A connection that goes on is read by Node.
 */
export function restOfBody(response: ServerResponse): Promise<void> | undefined {
  const request = response.req
  if (request.complete || request.destroyed || !hasBody(request) || !endsConnection(response)) return undefined
  refused.add(request.socket)
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS)
    request.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
    request.resume()
  })
}

/** On which a client is refused that is still writing: nothing else is to be said there. */
const refused = new WeakSet<Duplex>()

/** Whether a refusal is the last that its client is to read there. */
export function isRefused(socket: Duplex): boolean {
  return refused.has(socket)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

/** As the client has asked for, or while the server drains. */
function endsConnection({ req, shouldKeepAlive }: ServerResponse): boolean {
  return req.httpVersionMinor === 0 || !shouldKeepAlive
}

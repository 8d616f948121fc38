/** What a refused client is still writing. */
import type { IncomingMessage } from 'node:http'

/** As Node decides whether it closes: an option among others, in any case. */
const CLOSES = /(?:^|\W)close(?:$|\W)/i

/**
 * Resolves when the rest of the body has come, for nothing; undefined: nothing to wait for. A connection that ends with
 * its answer while the client still writes is reset, which takes the answer away; one that goes on is read by Node. How
 * long that may take is bounded by the server.
 */
export function restOfBody(request: IncomingMessage): Promise<void> | undefined {
  if (request.complete || request.destroyed || !hasBody(request) || !endsConnection(request)) return undefined
  return new Promise((resolve) => {
    request.on('close', resolve)
    request.resume()
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

function endsConnection({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 0 || CLOSES.test(headers.connection ?? '')
}

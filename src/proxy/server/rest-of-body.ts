/** What a refused client is still writing. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Resolves when the rest of the body has come, for nothing; undefined: nothing to wait for. A connection that ends with
 * its answer while the client still writes is reset, which takes the answer away; one that goes on is read by Node. How
 * long that may take is bounded by the server.
 */
export function restOfBody(response: ServerResponse): Promise<void> | undefined {
  const request = response.req
  if (request.complete || request.destroyed || !hasBody(request) || !endsConnection(response)) return undefined
  return new Promise((resolve) => {
    request.on('close', resolve)
    request.resume()
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

/** As the client has asked for, or while the server drains. */
function endsConnection({ req, shouldKeepAlive }: ServerResponse): boolean {
  return req.httpVersionMinor === 0 || !shouldKeepAlive
}

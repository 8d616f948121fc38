/** What a refused client is still writing. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isWaiting } from './invitation.ts'

/** nginx' `lingering_timeout`: who has sent nothing for so long is not waited for. */
const LINGER_IDLE_MS = 5_000
/** nginx' `lingering_time`, in these. */
const LINGER_ROUNDS = 6

/**
 * Resolves when the rest of the body has come, for nothing, or comes no more or too long; undefined: nothing to wait for. The answer is sent
 * before, and the connection ended after it: ended while the client still writes, it is reset, which takes the answer
 * away. A connection that goes on is read by Node.
 */
export function restOfBody(response: ServerResponse): Promise<void> | undefined {
  const request = response.req
  const { socket } = request
  if (request.complete || request.destroyed || !hasBody(request)) return undefined
  refused.add(socket)
  // The next request there is another matter.
  request.on('end', () => refused.delete(socket))
  if (!endsConnection(response)) return undefined
  return new Promise((resolve) => {
    let { bytesRead } = socket
    let rounds = 0
    const clock = setInterval(() => {
      rounds += 1
      if (socket.bytesRead === bytesRead || rounds === LINGER_ROUNDS) end()
      bytesRead = socket.bytesRead
    }, LINGER_IDLE_MS)
    const end = (): void => {
      clearInterval(clock)
      resolve()
    }
    request.on('close', end)
    request.resume()
  })
}

/** On which a client is refused that is still writing: nothing else is to be said there. */
const refused = new WeakSet<Duplex>()

/** Whether a refusal is the last that its client is to read there. */
export function isRefused(socket: Duplex): boolean {
  return refused.has(socket)
}

/** Whether the head announces one. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

/** As the client has asked for, while the server drains, or where it waits to be told to send its body. */
function endsConnection({ req, shouldKeepAlive }: ServerResponse): boolean {
  return req.httpVersionMinor === 0 || !shouldKeepAlive || isWaiting(req)
}

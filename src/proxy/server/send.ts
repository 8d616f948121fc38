/** Writing an answer to the client's socket, as fast as the client reads and no faster. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Outgoing } from '../pipeline/exchange.ts'

/** Resolves when the answer is written or the client has gone. Never throws. */
export async function send(response: ServerResponse, outgoing: Outgoing): Promise<void> {
  if (response.destroyed) return drop(outgoing)
  if (outgoing.type === 'whole') {
    response.writeHead(outgoing.status, { ...outgoing.headers, 'content-length': Buffer.byteLength(outgoing.body) })
    response.end(outgoing.body)
    return
  }
  response.writeHead(outgoing.status, outgoing.headers)
  for await (const chunk of outgoing.chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await writable(response)
  }
  response.end()
}

/**
 * A stream whose client has gone before it began still has to settle. Ending a generator that was never started would
 * skip its `finally`: it is started first.
 */
async function drop(outgoing: Outgoing): Promise<void> {
  if (outgoing.type !== 'stream') return
  const chunks = outgoing.chunks[Symbol.asyncIterator]()
  await chunks.next()
  await chunks.return?.()
}

/** Until the socket takes more, or is gone. */
async function writable(response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const stop = () => gone.abort()
  response.once('close', stop)
  try {
    await once(response, 'drain', { signal: gone.signal })
  } catch {
    // closed: the loop sees `destroyed`
  } finally {
    response.off('close', stop)
  }
}

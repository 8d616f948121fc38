/** An answer of the pipeline on its way to the client: its framing, its sending, and what is let go of after it. */
import type { ServerResponse } from 'node:http'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { ClientAdapter } from '../adapters/adapter.ts'
import type { Incoming, Outgoing } from '../pipeline/exchange.ts'
import type { Services } from '../pipeline/services.ts'
import type { BodyShare } from './body-shares.ts'
import { restOfBody } from './rest-of-body.ts'
import { send } from './send.ts'

/** The status of a body that comes too slowly: its rest is not waited for. */
const BODY_TOO_SLOW = 408

/** Of an answer to what has reached a route. */
export interface Serving {
  readonly share?: BodyShare
  readonly sendTimeoutMs?: Milliseconds | undefined
}

/** Sends the answer when it is there; then nothing of the request is left in memory. Never rejects. */
export async function serve(
  answer: Promise<Outgoing> | Outgoing,
  { adapter, query }: Pick<Incoming, 'adapter' | 'query'>,
  response: ServerResponse,
  services: Pick<Services, 'log'>,
  { share, sendTimeoutMs }: Serving = {},
): Promise<void> {
  try {
    const outgoing = await answer
    const rest = outgoing.status === BODY_TOO_SLOW ? undefined : restOfBody(response)
    // It goes on for as long as the model writes. @see pipeline/guarding/forget-request.ts
    if (outgoing.type === 'stream') share?.forgetContents()
    const requestId = outgoing.headers['x-request-id']
    const sending = send(response, framed(outgoing, adapter, query), {
      timeoutMs: sendTimeoutMs,
      rest,
      onStalled: (waitingBytes) => logStalled(requestId, waitingBytes, services),
    })
    if (sending !== undefined) await sending
  } catch (err) {
    services.log.error({ err }, 'answer broke off')
    breakOff(response)
  } finally {
    share?.release()
  }
}

/**
 * Ends the connection of an answer that is not to go on. Behind an earlier one there it has no socket yet: that one is sent to
 * its end, and what waits of this one is not, which would look as if it were whole, or never end.
 */
export function breakOff(response: ServerResponse): void {
  response.on('socket', (socket) => socket.destroy())
  response.destroy()
}

/** Of a client that is let go of with so many bytes waiting in the process. */
export function logStalled(requestId: string | undefined, waitingBytes: number, { log }: Pick<Services, 'log'>): void {
  log.info({ requestId, waitingBytes }, 'client has stopped reading')
}

/** A stream in the framing that the client asked for. */
function framed(outgoing: Outgoing, adapter: ClientAdapter, query: string): Outgoing {
  if (outgoing.type !== 'stream') return outgoing
  const framing = adapter.streamFraming?.(new URLSearchParams(query))
  if (framing === undefined) return outgoing
  const headers = { ...outgoing.headers, 'content-type': framing.contentType }
  return { ...outgoing, headers, chunks: framing.frame(outgoing.chunks) }
}

/** Reading a client's body: bounded in bytes, kind and time, and in what all bodies of the process take together. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { GatewayError } from '../../domain/errors.ts'
import type { Cancellation } from '../pipeline/ports.ts'
import { structureCost } from '../pipeline/reading/structure-cost.ts'
import type { BodyShare } from './body-shares.ts'
import { bodyCost, SMALL_BODY_BYTES } from './body-memory.ts'
import { BROKEN_BODY, clientGone, collectBody, tooLarge } from './collect-body.ts'

/** Blanks may stand before parameters. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6 */
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json[ \t]*(?:;|$)/i

/** What is in a body of this size takes less than its request and connection, even where it is nothing but structure. */
const NOT_LOOKED_INTO_BYTES = 1024

/**
 * The whole body. A body that is announced or turns out larger than `maxBytes` is refused without being kept; one for
 * which `share` has no room is not read before there is.
 * @throws {GatewayError} 400 `invalid_request_error` where it is malformed, 408 `request_timeout` where it does not come in time, 413 `request_too_large`,
 * 415 `unsupported_media_type`, 429 `rate_limit_exceeded` where other bodies leave no room in time, 499 where the client
 * breaks off.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  share: BodyShare,
  client: Cancellation,
): Promise<Uint8Array> {
  const refusal = refusalOf(request, maxBytes)
  if (refusal !== undefined) return Promise.reject(refusal)
  const announced = announcedLength(request)
  const room = share.hold(bodyCost(announced ?? SMALL_BODY_BYTES))
  if (announced !== undefined && announced <= NOT_LOOKED_INTO_BYTES && room === undefined) {
    return collectBody(request, maxBytes, announced, share, client)
  }
  return readAndLookInto(request, maxBytes, announced, share, client, room)
}

/** Waits for room where that is needed, and counts what is in the body. */
async function readAndLookInto(
  request: IncomingMessage,
  maxBytes: number,
  announced: number | undefined,
  share: BodyShare,
  client: Cancellation,
  room: Promise<void> | undefined,
): Promise<Uint8Array> {
  try {
    if (room !== undefined) await unlessGone(room, request, client)
    const body = await collectBody(request, maxBytes, announced, share, client)
    const roomForValues = share.hold(bodyCost(body.length) + densityCost(body))
    // The request has ended by itself, the connection has not.
    if (roomForValues !== undefined) await unlessGone(roomForValues, request.socket, client)
    return body
  } catch (refusal) {
    void share.hold(0)
    throw refusal
  }
}

/**
 * What a body's structure takes beyond what is counted for texts, which ordinary documents stay below. A small one must
 * be nothing but structure to be counted as more: with many tools it is still one for which the reserve is.
 */
function densityCost(body: Uint8Array): number {
  if (body.length <= NOT_LOOKED_INTO_BYTES) return 0
  const counted = body.length > SMALL_BODY_BYTES ? body.length : bodyCost(body.length)
  return Math.max(0, structureCost(body) - counted)
}

/** Rejects where the client breaks off before there is room. */
function unlessGone(room: Promise<void>, source: Readable, client: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(clientGone())
    source.on('close', gone).on(BROKEN_BODY, reject)
    client.addEventListener('abort', gone)
    if (source.destroyed || client.aborted) gone()
    room.then(resolve, reject).finally(() => {
      source.off('close', gone).off(BROKEN_BODY, reject)
      client.removeEventListener('abort', gone)
    })
  })
}

/** Whether the body is said to be JSON. */
function hasJsonType({ headers }: IncomingMessage): boolean {
  const type = headers['content-type']
  return type !== undefined && JSON_TYPE.test(type)
}

/** What the head says against the body. */
function refusalOf(request: IncomingMessage, maxBytes: number): GatewayError | undefined {
  if (!hasJsonType(request)) {
    return new GatewayError('unsupported_media_type', 'The content type must be application/json.', {
      param: 'content-type',
    })
  }
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } = request.headers
  if (encoding.toLowerCase() !== 'identity') return compressed('content-encoding')
  // Node takes the chunks off and nothing else.
  if (transfer.toLowerCase() !== 'chunked') return compressed('transfer-encoding')
  return (announcedLength(request) ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

function compressed(param: string): GatewayError {
  return new GatewayError('unsupported_media_type', 'Compressed bodies are not accepted.', { param })
}

/** Bytes; undefined where the head does not say, because the body is chunked or there is none. */
function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Reading a client's body: bounded in bytes, kind and time, and in what all bodies of the process take together. */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../domain/errors.ts'
import { bodyCost, SMALL_BODY_BYTES, type BodyShare } from './body-budget.ts'
import { structureCost } from './structure-cost.ts'

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i

/**
 * The whole body. A body that is announced or turns out larger than `maxBytes` is refused without being kept; one for
 * which `share` has no room is not read before there is.
 * @throws {GatewayError} 408 `request_timeout` where it comes slowly and others wait, 413 `request_too_large`,
 * 415 `unsupported_media_type`, 429 `rate_limit_exceeded` where other bodies leave no room in time, 499 where the client
 * breaks off.
 */
export function readBody(request: IncomingMessage, maxBytes: number, share: BodyShare): Promise<Uint8Array> {
  const refusal = refusalOf(request, maxBytes)
  if (refusal !== undefined) return Promise.reject(refusal)
  const announced = announcedLength(request)
  const room = share.hold(bodyCost(announced ?? SMALL_BODY_BYTES))
  if (announced !== undefined && announced <= SMALL_BODY_BYTES && room === undefined) {
    return collect(request, maxBytes, announced, share)
  }
  return readLarge(request, maxBytes, announced, share, room)
}

/** Waits for room where that is needed, and looks into what turns out large. */
async function readLarge(
  request: IncomingMessage,
  maxBytes: number,
  announced: number | undefined,
  share: BodyShare,
  room: Promise<void> | undefined,
): Promise<Uint8Array> {
  try {
    if (room !== undefined) await unlessGone(room, request)
    const body = await collect(request, maxBytes, announced, share)
    await share.hold(bodyCost(body.length) + densityCost(body))
    return body
  } catch (refusal) {
    void share.hold(0)
    if (endsConnection(request) && !isTooSlow(refusal)) await dropped(request)
    throw refusal
  }
}

/** What a large body's structure takes beyond what is counted for texts, which ordinary documents stay below. */
function densityCost(body: Uint8Array): number {
  return body.length > SMALL_BODY_BYTES ? Math.max(0, structureCost(body) - body.length) : 0
}

/** Whether the connection ends with the answer: ended while the client still writes, it would lose the answer. */
function endsConnection({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 0 || headers.connection?.toLowerCase() === 'close'
}

/** Resolves when the rest of the body has come, for nothing. How long that may take is bounded by the server. */
function dropped(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    request.on('close', resolve)
    request.resume()
    if (request.destroyed || request.readableEnded) resolve()
  })
}

/** By events: iterating a stream costs more than all else that is done with a body of ordinary size. */
function collect(
  request: IncomingMessage,
  maxBytes: number,
  announced: number | undefined,
  share: BodyShare,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const isLarge = announced !== undefined && announced > SMALL_BODY_BYTES
    const kept = isLarge ? new Filled(announced) : new Chunks()
    let length = 0
    let isRefused = false
    // An unknown length counts as small while it is, then as the largest: who held a part and waited for the next would
    // wait for others that do the same.
    let held = announced ?? SMALL_BODY_BYTES
    const refuse = (error: unknown) => {
      isRefused = true
      stopWatching?.()
      kept.drop()
      reject(error)
    }
    // Who has been given room and does not use it would keep all others from theirs.
    const watchPace = () => (isRefused ? undefined : share.watchPace(() => refuse(tooSlow())))
    let stopWatching = isLarge ? watchPace() : undefined
    const brokenOff = (cause?: unknown) => refuse(clientGone(cause))
    const onData = (chunk: Buffer) => {
      length += chunk.length
      // A client that is still writing reads the refusal only when it is through; one that does not end is cut off.
      if (length > 2 * maxBytes) request.destroy()
      if (isRefused) return
      if (length > maxBytes) return refuse(tooLarge(maxBytes))
      kept.add(chunk)
      if (length <= held) return
      held = maxBytes
      whenRoom(share.hold(bodyCost(maxBytes)), request, refuse, () => (stopWatching = watchPace()))
    }
    const onEnd = () => {
      // An error is dear to make: not for a request that has come as a whole.
      request.off('close', brokenOff)
      stopWatching?.()
      // The request lives until its answer has ended, and by its listeners what the promise resolves with.
      if (length > SMALL_BODY_BYTES) request.off('data', onData).off('end', onEnd).off('error', brokenOff)
      if (!isRefused) resolve(kept.take(length))
    }
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('error', brokenOff)
    request.on('close', brokenOff)
    if (request.destroyed) brokenOff()
  })
}

/** Nothing more is read until there is room. What comes after a refusal is read to be dropped. */
function whenRoom(
  room: Promise<void> | undefined,
  request: IncomingMessage,
  refuse: (error: unknown) => void,
  goOn: () => void,
): void {
  if (room === undefined) return goOn()
  request.pause()
  void room.then(goOn, refuse).then(() => request.resume())
}

/** Rejects where the client breaks off before there is room. */
function unlessGone(room: Promise<void>, request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(clientGone())
    request.on('close', gone)
    if (request.destroyed) gone()
    room.then(resolve, reject).finally(() => request.off('close', gone))
  })
}

/** What has come, in pieces. Dropped once it is taken: the request outlives its body, by minutes where it is streamed to. */
class Chunks {
  #chunks: Buffer[] = []

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  take(length: number): Uint8Array {
    const chunks = this.#chunks
    const [only] = chunks
    this.drop()
    return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length)
  }

  drop(): void {
    this.#chunks = []
  }
}

/** What has come, in one piece from the beginning: pieces of many bodies at once would be twice their memory. */
class Filled {
  #bytes: Uint8Array
  #length = 0

  constructor(length: number) {
    // Not of the pool, whose pieces share a page with others'.
    this.#bytes = Buffer.allocUnsafeSlow(length)
  }

  add(chunk: Buffer): void {
    this.#bytes.set(chunk, this.#length)
    this.#length += chunk.length
  }

  take(): Uint8Array {
    const bytes = this.#bytes
    this.drop()
    return bytes
  }

  drop(): void {
    this.#bytes = NOTHING
  }
}

const NOTHING = new Uint8Array()

/** Whether the body is said to be JSON. */
export function hasJsonType({ headers }: IncomingMessage): boolean {
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
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new GatewayError('unsupported_media_type', 'Compressed bodies are not accepted.', {
      param: 'content-encoding',
    })
  }
  return (announcedLength(request) ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

/** Bytes; undefined where the head does not say, because the body is chunked or there is none. */
function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}

function tooSlow(): GatewayError {
  return new GatewayError('request_timeout', 'The body came too slowly while others waited for the room it takes.')
}

function isTooSlow(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'request_timeout'
}

function clientGone(cause?: unknown): GatewayError {
  return new GatewayError('client_closed_request', 'The client broke off its body.', { cause })
}

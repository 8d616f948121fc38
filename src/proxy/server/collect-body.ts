/**
 * A body as it comes, chunk by chunk: kept while it is within its bounds, dropped from a refusal on. By events: iterating
 * a stream costs more than all else that is done with a body of ordinary size.
 */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../domain/errors.ts'
import type { Cancellation } from '../pipeline/ports.ts'
import type { BodyShare } from './body-shares.ts'
import { bodyCost, SMALL_BODY_BYTES } from './body-memory.ts'
import { invite } from './invitation.ts'

/**
 * The whole body. `share` has room for `announced` bytes, or for a small body where no length was announced.
 * @param client whose going ends the reading; as one that goes counts who is still sending when the process leaves
 * @throws {GatewayError} 400 `invalid_request_error`, 408 `request_timeout`, 413 `request_too_large`,
 * 429 `rate_limit_exceeded`, 499.
 */
export function collectBody(
  request: IncomingMessage,
  maxBytes: number,
  announced: number | undefined,
  share: BodyShare,
  client: Cancellation,
): Promise<Uint8Array> {
  return new BodyCollection(request, maxBytes, announced, share, client).collected
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}

export function clientGone(cause?: unknown): GatewayError {
  return new GatewayError('client_closed_request', 'The client broke off its body.', { cause })
}

/** Emitted by a request whose body comes no further, with the refusal: it is malformed, or too late. */
export const BROKEN_BODY = Symbol('broken body')

class BodyCollection {
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #share: BodyShare
  readonly #client: Cancellation
  readonly #kept: Chunks | Filled
  readonly #end = Promise.withResolvers<Uint8Array>()
  /** What there is room for, bytes of body. */
  #room: number
  #length = 0
  #isRefused = false

  constructor(
    request: IncomingMessage,
    maxBytes: number,
    announced: number | undefined,
    share: BodyShare,
    client: Cancellation,
  ) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#share = share
    this.#client = client
    this.#room = announced ?? SMALL_BODY_BYTES
    this.#kept = this.#room > SMALL_BODY_BYTES ? new Filled(this.#room) : new Chunks()
    share.watchPace(this.#onLate)
    request.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onGone).on('close', this.#onGone)
    request.on(BROKEN_BODY, this.#refuse)
    client.addEventListener('abort', this.#onGone)
    if (request.destroyed || client.aborted) this.#onGone()
    else invite(request)
  }

  get collected(): Promise<Uint8Array> {
    return this.#end.promise
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#length += chunk.length
    // Many a client reads the refusal only when it is through with writing: the rest comes for nothing, as that of an
    // announced body does, for as long as a request may take.
    if (this.#isRefused) return
    if (this.#length > this.#maxBytes) return this.#refuse(tooLarge(this.#maxBytes))
    this.#kept.add(chunk)
    if (this.#length > this.#room) this.#askForMost()
  }

  readonly #onEnd = (): void => {
    this.#share.stopWatching()
    // An error is dear to make: not for a request that has come as a whole.
    this.#request.off('close', this.#onGone)
    this.#client.removeEventListener('abort', this.#onGone)
    // The request lives until its answer has ended, and by its listeners what the promise resolves with.
    if (this.#length > SMALL_BODY_BYTES) {
      this.#request.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onGone)
    }
    if (!this.#isRefused) this.#end.resolve(this.#kept.take(this.#length))
  }

  readonly #onGone = (cause?: unknown): void => this.#refuse(clientGone(cause))

  readonly #onLate = (): void => this.#refuse(tooSlow())

  readonly #refuse = (error: unknown): void => {
    this.#isRefused = true
    this.#share.stopWatching()
    this.#kept.drop()
    this.#end.reject(error)
  }

  /**
   * A length that was not announced counts as small while it is, then as the largest: bodies that held a part each and
   * waited for the next would wait for each other. Nothing more is read until there is room.
   */
  #askForMost(): void {
    this.#room = this.#maxBytes
    // It is not slow while it waits, and has its time again when it need not any more.
    this.#share.stopWatching()
    const room = this.#share.hold(bodyCost(this.#maxBytes))
    if (room === undefined) return this.#share.watchPace(this.#onLate)
    this.#request.pause()
    void room.then(this.#onRoom, this.#refuse).then(() => this.#request.resume())
  }

  readonly #onRoom = (): void => {
    if (!this.#isRefused) this.#share.watchPace(this.#onLate)
  }
}

function tooSlow(): GatewayError {
  return new GatewayError('request_timeout', 'The body came too slowly while others waited for the room it takes.')
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

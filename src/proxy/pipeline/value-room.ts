/**
 * How many different values that are masked the requests under way may have together. Each is kept with its token until its
 * request has ended, in several times the memory of its characters, for which bodies are counted: times each other, the bound
 * of each request is more than a process has.
 */
import { GatewayError } from '../../domain/errors.ts'
import { MAX_VALUES } from '../../domain/guardrails/masking/finding.ts'

/** Nearly no request has more: so many are not counted. */
const UNCOUNTED_VALUES = 100
/** Measured with addresses in texts of 600 KB, with what masking makes of these. */
const BYTES_A_VALUE = 320
const RETRY_AFTER_SECONDS = 5

/** A quarter of the heap, and what one request may have at least. @param heapLimit of V8, bytes */
export function roomForMaskedValues(heapLimit: number): number {
  return Math.max(MAX_VALUES, Math.floor(heapLimit / 4 / BYTES_A_VALUE))
}

export class ValueRoom {
  #left: number

  /** @param values of all requests together */
  constructor(values: number) {
    this.#left = values
  }

  /** For shares only. @throws {GatewayError} 429 `rate_limit_exceeded` where there is no room */
  take(): void {
    if (this.#left <= 0)
      throw new GatewayError(
        'rate_limit_exceeded',
        'More values to be masked are under way than the gateway has memory for.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      )
    this.#left--
  }

  /** For shares only. */
  give(values: number): void {
    this.#left += values
  }
}

/** One request's part of the room. */
export class ValueShare {
  readonly #room: ValueRoom
  #values = 0
  #isReleased = false

  constructor(room: ValueRoom) {
    this.#room = room
  }

  /** For one value more. @throws as `ValueRoom.take` */
  claim(): void {
    // What is still masked for a request that has ended would never be given back.
    if (this.#isReleased) return
    if (this.#values >= UNCOUNTED_VALUES) this.#room.take()
    this.#values++
  }

  /** Gives all of it back, for good. */
  release(): void {
    this.#isReleased = true
    this.#room.give(Math.max(0, this.#values - UNCOUNTED_VALUES))
    this.#values = 0
  }
}

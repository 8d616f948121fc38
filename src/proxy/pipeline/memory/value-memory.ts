/**
 * How many different values that are masked the requests under way may have together. Each is kept with its token until its
 * request has ended, in several times the memory of its characters, for which bodies are counted: times each other, the bound
 * of each request is more than a process has.
 */
import { MAX_VALUES } from '../../../domain/guardrails/masking/finding.ts'
import type { RoomForValues } from '../../../domain/guardrails/masking/restoring/redaction-map.ts'
import { NoMemoryError } from './no-memory.ts'

/** Nearly no request has more: so many are not counted. */
const UNCOUNTED_VALUES = 100
/** Measured with addresses in texts of 600 KB, with what masking makes of these. */
const BYTES_A_VALUE = 320

/** A quarter of the heap, and what one request may have at least. @param heapLimit of V8, bytes */
export function roomForMaskedValues(heapLimit: number): number {
  return Math.max(MAX_VALUES, Math.floor(heapLimit / 4 / BYTES_A_VALUE))
}

export class ValueMemory {
  #left: number

  /** @param values of all requests together */
  constructor(values: number) {
    this.#left = values
  }

  /** For shares only. @throws {NoMemoryError} */
  take(values: number): void {
    if (values > this.#left)
      throw new NoMemoryError('More values to be masked are under way than the gateway has memory for.')
    this.#left -= values
  }

  /** For shares only. */
  give(values: number): void {
    this.#left += values
  }
}

/** One request's part of it. Its methods throw as `ValueMemory.take`. */
export class ValueShare implements RoomForValues {
  readonly #memory: ValueMemory
  /** That are kept. */
  #values = 0
  /** For how many it has room. */
  #roomFor = UNCOUNTED_VALUES
  #isReleased = false

  constructor(memory: ValueMemory) {
    this.#memory = memory
  }

  /** Beside those that are kept. More than a request may have are refused when they are, so no room is asked for them. */
  readonly expect = (values: number): void => this.#makeRoom(Math.min(this.#values + values, MAX_VALUES))

  claim(): void {
    // What is still masked for a request that has ended would never be given back.
    if (this.#isReleased) return
    this.#makeRoom(this.#values + 1)
    this.#values++
  }

  settle(): void {
    const needed = Math.max(UNCOUNTED_VALUES, this.#values)
    this.#memory.give(this.#roomFor - needed)
    this.#roomFor = needed
  }

  /** Gives all of it back, for good. */
  release(): void {
    this.#isReleased = true
    this.#values = 0
    this.settle()
  }

  #makeRoom(values: number): void {
    if (values <= this.#roomFor || this.#isReleased) return
    this.#memory.take(values - this.#roomFor)
    this.#roomFor = values
  }
}

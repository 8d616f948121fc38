/**
 * One budget of memory for all request bodies under way: what connections and bodies are bounded by singly, times each
 * other, is more than any process has.
 *
 *   nothing --hold--> held --hold more, less--> held --release--> nothing
 *      `--hold--> waiting --room--> held
 *                    `-- no room in time, too many waiting: refused
 *
 * Who comes first gets room first, but for two: a body that has been read in part goes before those that have not begun,
 * and small bodies have a reserve that large ones never touch. A refused body has not been read, but for one whose values turn
 * out to take more than there is room for.
 */
import { GatewayError } from '../../domain/errors.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { NoMemoryError } from '../pipeline/memory/no-memory.ts'
import type { Now } from '../pipeline/ports.ts'
import { COST_PER_BYTE } from '../pipeline/memory/process-memory.ts'
import { bodyCost, SMALL_BODY_BYTES } from './body-memory.ts'
import { ComingBodies, type Coming } from './coming-bodies.ts'

/** Of the budget, the part that is for small bodies alone. */
const RESERVE_PART = 1 / 4

/** However little memory there is: the largest body, and a quarter for large ones whose answers are being streamed. */
const LARGEST_AND_MORE = 5 / 4

/** Socket and parser hold up to two reads of 64 KiB of a body that waits: an eighth of the budget at most. */
const BUDGET_PER_WAITING_BYTES = 1024 * 1024
const MAX_WAITING = 256

/** Long enough for some requests to end, short enough for a client to come back later. */
const MAX_WAIT_MS = 10_000

/** A body that has not come after this time gives way to those that wait. As long as they wait, so that they see it. */
const SLOW_AFTER_MS = 10_000

export interface BodyMemoryOptions {
  /** Memory for all bodies, bytes. Raised to what the largest body and the reserve need. */
  readonly bytes: number
  /** The largest body taken, bytes: alone, it always fits. */
  readonly maxBodyBytes: number
  readonly maxWaitMs?: Milliseconds
  readonly maxWaiting?: number
  readonly slowAfterMs?: Milliseconds
  readonly now?: Now
}

/** A body's part of the budget. */
export interface BodyShare {
  /**
   * Holds `bytes` of memory from now on, more or less than before.
   * What is judged larger than all that large bodies may hold gets that, when it is alone.
   * @returns undefined where that is so at once, else a promise of it. @throws {GatewayError} (the promise rejects)
   * 429 `rate_limit_exceeded` where there is no room in time, 413 `request_too_large` above the whole budget.
   */
  hold(bytes: number): Promise<void> | undefined
  /** The body comes from now on. Calls `late`, once, where that has taken long and others wait for room. */
  watchPace(late: () => void): void
  /** It has come, or waits for room itself. */
  stopWatching(): void
  /**
   * The body is needed no more: what stays of a large one is what was sent on, which the provider's connection keeps until
   * the answer has ended.
   */
  forgetContents(): void
  /** Gives all of it back and waits for nothing any more. Calling it again does nothing. */
  release(): void
}

interface Waiting {
  readonly share: Share
  readonly bytes: number
  readonly granted: () => void
  readonly refused: (error: GatewayError) => void
  readonly timer: NodeJS.Timeout
}

export class BodyMemory {
  readonly #bytes: number
  readonly #reserve: number
  readonly #maxWaitMs: Milliseconds
  readonly #maxWaiting: number
  /** For shares only. */
  readonly coming: ComingBodies
  /** In the order in which they get room. */
  readonly #queue: Waiting[] = []
  #held = 0
  /** Of that, by bodies that are not small. */
  #heldByLarge = 0

  constructor(options: BodyMemoryOptions) {
    const { bytes, maxBodyBytes, maxWaitMs = MAX_WAIT_MS, maxWaiting = MAX_WAITING } = options
    const least = bodyCost(Math.max(maxBodyBytes, SMALL_BODY_BYTES)) * LARGEST_AND_MORE
    this.#bytes = Math.max(bytes, least / (1 - RESERVE_PART))
    this.#reserve = this.#bytes * RESERVE_PART
    this.#maxWaitMs = maxWaitMs
    this.#maxWaiting = Math.min(maxWaiting, Math.ceil(this.#bytes / BUDGET_PER_WAITING_BYTES))
    const { slowAfterMs = SLOW_AFTER_MS, now = () => performance.now() } = options
    this.coming = new ComingBodies({ slowAfterMs, now, isAwaited: () => this.#queue.length > 0 })
  }

  /** Held by all shares, bytes of memory. */
  get heldBytes(): number {
    return this.#held
  }

  /** How many wait for room. */
  get waiting(): number {
    return this.#queue.length
  }

  /** A share that holds nothing yet. */
  open(): BodyShare {
    return new Share(this)
  }

  /** For shares only. @see BodyShare.hold */
  hold(share: Share, wanted: number): Promise<void> | undefined {
    if (wanted > this.#bytes) return Promise.reject(neverFits())
    const bytes = Math.min(wanted, this.#bytes - this.#reserve)
    if (bytes <= share.held || this.#fits(share, bytes, this.#placeOf(share) === 0)) return this.#set(share, bytes)
    if (this.#queue.length >= this.#maxWaiting) return Promise.reject(noRoom())
    return this.#wait(share, bytes)
  }

  /** For shares only. */
  release(share: Share): void {
    const waiting = this.#queue.find((other) => other.share === share)
    if (waiting !== undefined) this.#remove(waiting)
    this.#set(share, 0)
    if (waiting !== undefined) this.#admitWaiting()
  }

  #set(share: Share, bytes: number): undefined {
    const { held, heldAsLarge } = share
    share.isLarge ||= isLarge(bytes)
    share.held = bytes
    this.#held += bytes - held
    this.#heldByLarge += share.heldAsLarge - heldAsLarge
    if (bytes < held && this.#queue.length > 0) this.#admitWaiting()
  }

  /** @param isNext nobody else is to get room before */
  #fits(share: Share, bytes: number, isNext: boolean): boolean {
    const all = this.#held + bytes - share.held
    if (share.isLarge || isLarge(bytes)) {
      const byLarge = this.#heldByLarge + bytes - share.heldAsLarge
      return isNext && all <= this.#bytes && byLarge <= this.#bytes - this.#reserve
    }
    return all - this.#heldByLarge <= this.#reserve || (isNext && all <= this.#bytes)
  }

  #wait(share: Share, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#refuse(waiting)
        this.#admitWaiting()
      }, this.#maxWaitMs)
      const waiting: Waiting = { share, bytes, granted: resolve, refused: reject, timer }
      this.#queue.splice(this.#placeOf(share), 0, waiting)
      this.#refuseWhereAllWait()
      this.coming.hurry()
    })
  }

  /** Where it would wait: at the end, or behind the last that holds a part already as it does. */
  #placeOf({ held }: Share): number {
    const behind = held > 0 ? this.#queue.findIndex((other) => other.share.held === 0) : -1
    return behind === -1 ? this.#queue.length : behind
  }

  /** Bodies that all hold a part and wait for more would wait for each other: the last of them gives up for the others. */
  #refuseWhereAllWait(): void {
    const begun = this.#queue.filter(({ share }) => share.isLarge)
    const last = begun.at(-1)
    if (last === undefined || begun.length === 1) return
    if (begun.reduce((sum, { share }) => sum + share.held, 0) < this.#heldByLarge) return
    this.#refuse(last)
  }

  #refuse(waiting: Waiting): void {
    this.#remove(waiting)
    waiting.refused(noRoom())
  }

  #remove(waiting: Waiting): void {
    clearTimeout(waiting.timer)
    this.#queue.splice(this.#queue.indexOf(waiting), 1)
  }

  #admitWaiting(): void {
    for (let index = 0; index < this.#queue.length;) {
      const waiting = this.#queue[index]
      if (waiting !== undefined && this.#fits(waiting.share, waiting.bytes, index === 0)) {
        this.#remove(waiting)
        this.#set(waiting.share, waiting.bytes)
        waiting.granted()
      } else index++
    }
    if (this.#queue.length > 0) this.#refuseWhereAllWait()
  }
}

class Share implements BodyShare {
  readonly #memory: BodyMemory
  held = 0
  /** Once it has been: what stays of a large body may be little, and the reserve is not for it all the same. */
  isLarge = false
  #coming: Coming | undefined
  #released = false

  constructor(memory: BodyMemory) {
    this.#memory = memory
  }

  /** Of the part that is for large bodies, bytes. */
  get heldAsLarge(): number {
    return this.isLarge ? this.held : 0
  }

  hold(bytes: number): Promise<void> | undefined {
    // What comes for a request that has ended is dropped by whoever reads it.
    return this.#released ? undefined : this.#memory.hold(this, bytes)
  }

  watchPace(late: () => void): void {
    this.#coming = this.#memory.coming.begin(late)
  }

  stopWatching(): void {
    if (this.#coming !== undefined) this.#memory.coming.end(this.#coming)
    this.#coming = undefined
  }

  forgetContents(): void {
    if (this.isLarge) void this.hold(this.held / COST_PER_BYTE)
  }

  release(): void {
    if (this.#released) return
    this.#released = true
    this.#memory.release(this)
  }
}

function isLarge(bytes: number): boolean {
  return bytes > SMALL_BODY_BYTES * COST_PER_BYTE
}

function noRoom(): NoMemoryError {
  return new NoMemoryError(
    'More request bodies are under way than the gateway has memory for. The request was not sent.',
  )
}

function neverFits(): GatewayError {
  return new GatewayError('request_too_large', 'The body holds more values than the gateway has memory for.')
}

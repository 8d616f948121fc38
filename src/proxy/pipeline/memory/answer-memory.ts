/**
 * One budget of memory for all that is held of providers' answers at once: whole answers, what comes before a stream's
 * first content, an event that has not ended, what a codec puts in order. Each is bounded by itself; times each other,
 * these bounds are more than any process has.
 *
 * 1. Up to `UNCOUNTED_BYTES` an answer is not counted: nearly all are not.
 * 2. Where there is no room, the provider is not read on, so that its sending stops too.
 * 3. The request that has read for the longest may go beyond the budget, with all its shares (an answer has several, and
 *    a repair's stands beside the first): one of them always ends, and its room is the others'. So the budget may be
 *    exceeded by the largest answers that one request can have.
 * 4. Who has waited for `MAX_WAIT_MS` is refused. Another provider's answer would need the same room: nobody else is asked.
 * 5. What is known whole and waits for its client (from the cache as well) is counted until the client has taken it or has
 *    gone: as it is, without what its reading took. A slow client holds up nobody by rule 3, but where such answers have
 *    more than half of the budget, nobody goes beyond it. Who takes nothing is let go by server/send-clock.ts. One of the
 *    cache that finds no room is refused at once: it would wait with all its memory.
 */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { NoMemoryError } from './no-memory.ts'
import { AttemptError, type Cancellation } from '../ports.ts'
import { COST_PER_BYTE, memoryBesideProcess } from './process-memory.ts'

/** So much of an answer is held for nothing. */
export const UNCOUNTED_BYTES = 256 * 1024

/** Long enough for some answers to end, short enough for a client to come back later. As for bodies of requests. */
const MAX_WAIT_MS: Milliseconds = 10_000

/** Large answers are few: embeddings by the thousand, pictures. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * The part of a process's memory that is for answers; bodies of requests have theirs.
 * @param heapLimit of V8, bytes. @param containerLimit `process.constrainedMemory()`, bytes; 0: there is none.
 */
export function memoryForAnswers(heapLimit: number, containerLimit: number): number {
  return Math.min(MOST_BYTES, heapLimit / 8, memoryBesideProcess(containerLimit) / 6)
}

/**
 * What the values of one chat answer may take beside its text, bytes, as structure-cost.ts judges them: with what is made of
 * them they must fit the heap, and none can be given up by halves. Large answers of tiny calls, parts and choices take two or
 * three times as much as judged; 5,000 tokens with 20 log probabilities each are below it in a heap of 96 MiB.
 * @param heapLimit of V8, bytes
 */
export function memoryForValues(heapLimit: number): number {
  return heapLimit / 4
}

/** For an answer that found no room in time. */
export function noMemoryForAnswer(): NoMemoryError {
  return new NoMemoryError('More large answers are under way than the gateway has memory for. This one was given up.')
}

/** An answer's part of the budget. */
export interface AnswerShare {
  /** What the values of a chat answer may take, bytes. @see memoryForValues */
  readonly mostValueBytes: number
  /**
   * The answer takes `bytes` of itself from now on, more or less than before.
   * @returns undefined where there is room at once, else a promise of it. @throws (the promise rejects) {NoMemoryError}
   * 429 `rate_limit_exceeded` where there is none in time, {AttemptError} where the call is given up meanwhile.
   */
  hold(bytes: number): Promise<void> | undefined
  /**
   * The answer is known whole, and `memoryBytes` of memory wait for the client.
   * @returns false where there is no room for so much; what the share held it still holds. True where that was no less
   */
  holdUnread(memoryBytes: number): boolean
  /** Gives all of it back. It may hold again. */
  release(): void
}

interface Waiting {
  readonly share: Share
  readonly bytes: number
  readonly granted: () => void
  readonly refused: (error: Error) => void
}

export class AnswerMemory {
  readonly #bytes: number
  /** For shares only. */
  readonly mostValueBytes: number
  readonly #maxWaitMs: Milliseconds
  /** Who holds something of what is still read, the one that began first before all others. */
  readonly #reading = new Set<Share>()
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>()
  #held = 0
  /** Of `#held`, what waits for clients. */
  #unread = 0

  /** @param bytes memory for all answers together. @param mostValueBytes @see memoryForValues */
  constructor(bytes: number, mostValueBytes = Infinity, maxWaitMs: Milliseconds = MAX_WAIT_MS) {
    this.#bytes = bytes
    this.mostValueBytes = mostValueBytes
    this.#maxWaitMs = maxWaitMs
  }

  /** Memory held by all shares, bytes. */
  get heldBytes(): number {
    return this.#held
  }

  /** How many wait for room. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** A share that holds nothing yet. @param signal ends its waiting; by it the shares of one request know each other */
  open(signal: Cancellation): AnswerShare {
    return new Share(this, signal)
  }

  /** For shares only. @param bytes of memory */
  hold(share: Share, bytes: number): Promise<void> | undefined {
    return this.#fits(share, bytes) ? this.#set(share, bytes) : this.#wait(share, bytes)
  }

  /** For shares only. @param bytes of memory */
  holdUnread(share: Share, bytes: number): boolean {
    if (!this.#fits(share, bytes)) return false
    this.#set(share, bytes, bytes)
    return true
  }

  /** For shares only. */
  release(share: Share): void {
    for (const waiting of this.#waiting) {
      if (waiting.share === share) waiting.refused(new AttemptError('aborted', 'the answer is not wanted any more'))
    }
    this.#set(share, 0)
  }

  #fits(share: Share, bytes: number): boolean {
    if (bytes <= share.held || this.#held + bytes - share.held <= this.#bytes) return true
    if (this.#unread > this.#bytes / 2) return false
    const [first = share] = this.#reading
    return first.signal === share.signal
  }

  /** @param unread what of `bytes` waits for the client */
  #set(share: Share, bytes: number, unread = 0): undefined {
    const isLess = bytes < share.held
    this.#held += bytes - share.held
    this.#unread += unread - share.unread
    share.held = bytes
    share.unread = unread
    if (bytes === unread) this.#reading.delete(share)
    else this.#reading.add(share)
    if (isLess && this.#waiting.size > 0) this.#admitWaiting()
  }

  #wait(share: Share, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = share
      const leave = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#waiting.delete(waiting)
      }
      const refused = (error: Error): void => {
        leave()
        // What it has got is of no use to it: before others are refused as well.
        share.release()
        reject(error)
      }
      const aborted = () => refused(new AttemptError('aborted', 'the attempt was aborted'))
      const timer = setTimeout(() => refused(noMemoryForAnswer()), this.#maxWaitMs)
      const granted = (): void => {
        leave()
        resolve()
      }
      const waiting: Waiting = { share, bytes, granted, refused }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', aborted, { once: true })
    })
  }

  #admitWaiting(): void {
    for (const { share, bytes, granted } of this.#waiting) {
      if (!this.#fits(share, bytes)) continue
      granted()
      this.#set(share, bytes)
    }
  }
}

class Share implements AnswerShare {
  readonly #memory: AnswerMemory
  readonly signal: Cancellation
  /** Bytes of memory. */
  held = 0
  /** Of these, what waits for the client. */
  unread = 0

  constructor(memory: AnswerMemory, signal: Cancellation) {
    this.#memory = memory
    this.signal = signal
  }

  get mostValueBytes(): number {
    return this.#memory.mostValueBytes
  }

  hold(bytes: number): Promise<void> | undefined {
    return this.#memory.hold(this, bytes * COST_PER_BYTE)
  }

  holdUnread(memoryBytes: number): boolean {
    return this.#memory.holdUnread(this, memoryBytes)
  }

  release(): void {
    this.#memory.release(this)
  }
}

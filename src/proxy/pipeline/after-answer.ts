/**
 * Work whose end no answer waits for. What a request leaves for the time after its answer is bounded in number, and all
 * is finished before the process ends. It is begun
 * - when the answer has been handed to the connection, before another request is read: what an admission must find done;
 * - when the process is idle: while a request waits for its provider, when there is enough of it, or ten milliseconds later at the
 *   latest: all else. Done before the next read it would be a part of what that client waits for, whose request is mostly
 *   there by then; done one by one, each would find its code no longer in the processor's caches.
 */
import { LinkedList, type Linked } from '../../domain/linked-list.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from './ports.ts'

/** Beyond this, work is begun at once: the queue never holds more than a second or so of requests. */
const MAX_WAITING = 10_000

/** What waits for idle time waits no longer. */
const LONGEST_WAIT_MS: Milliseconds = 10

/** So many works are begun together: those of eight requests, half a millisecond or so. 4 % less of the processor than one by one. */
const ENOUGH = 16

/** Ends at once, or with its promise. */
export type Work = () => void | Promise<void>

interface Underway extends Linked<Underway> {
  readonly ended: Promise<void>
}

export interface AfterAnswerOptions {
  readonly maxWaiting?: number
  /** How many are worth idle time. */
  readonly enough?: number
  /** Told of work that has failed: nobody else waits for it. */
  readonly onError?: (error: unknown) => void
}

export class AfterAnswer {
  readonly #now: Now
  readonly #maxWaiting: number
  readonly #enough: number
  readonly #onError: (error: unknown) => void
  /** In the order in which it came. */
  #waiting: Work[] = []
  /** Of the oldest that waits. */
  #sinceMs: Milliseconds = 0
  readonly #underway = new LinkedList<Underway>()
  #isDue = false
  /** For idle time, in the order in which it came. */
  #whenIdle: Work[] = []
  #isIdleTimed = false

  constructor(now: Now, { maxWaiting = MAX_WAITING, enough = ENOUGH, onError = () => {} }: AfterAnswerOptions = {}) {
    this.#now = now
    this.#maxWaiting = maxWaiting
    this.#enough = enough
    this.#onError = onError
  }

  /** Not begun yet of what waits for no idle time. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** How long the oldest of it has been waiting; 0: none is. */
  get lagMs(): Milliseconds {
    return this.#waiting.length === 0 ? 0 : this.#now() - this.#sinceMs
  }

  run(work: Work): void {
    if (this.#waiting.length >= this.#maxWaiting) return this.begin(work)
    if (this.#waiting.length === 0) this.#sinceMs = this.#now()
    this.#waiting.push(work)
    if (this.#isDue) return
    this.#isDue = true
    // Ticks come after the microtasks in which the answer is written and, unlike immediates, always before the next read.
    process.nextTick(() => this.#beginAll())
  }

  runWhenIdle(work: Work): void {
    if (this.#whenIdle.length >= this.#maxWaiting) return this.begin(work)
    this.#whenIdle.push(work)
    if (this.#isIdleTimed) return
    this.#isIdleTimed = true
    setTimeout(() => {
      this.#isIdleTimed = false
      this.catchUp()
    }, LONGEST_WAIT_MS)
  }

  /** A request is being sent to its provider. */
  idleBegins(): void {
    if (this.#whenIdle.length < this.#enough) return
    // When it has been written to the provider's connection.
    process.nextTick(() => this.catchUp())
  }

  /** Begins what waits for idle time: for whoever must find it done. */
  catchUp(): void {
    const works = this.#whenIdle
    if (works.length === 0) return
    this.#whenIdle = []
    this.#beginEach(works)
  }

  /** Work that is begun before the answer leaves, which does not wait for its end. */
  begin(work: Work): void {
    try {
      const running = work()
      if (running !== undefined) this.#follow(running)
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Resolves when all work so far has been done. */
  async drain(): Promise<void> {
    this.#beginAll()
    this.catchUp()
    await Promise.all(Array.from(this.#underway, ({ ended }) => ended))
  }

  #follow(work: Promise<void>): void {
    const end = () => this.#underway.remove(underway)
    const ended = work.then(end, (error: unknown) => {
      end()
      this.#onError(error)
    })
    const underway: Underway = { ended, previous: undefined, next: undefined }
    this.#underway.add(underway)
  }

  #beginAll(): void {
    this.#isDue = false
    const works = this.#waiting
    this.#waiting = []
    this.#beginEach(works)
  }

  #beginEach(works: readonly Work[]): void {
    for (const work of works) this.begin(work)
  }
}

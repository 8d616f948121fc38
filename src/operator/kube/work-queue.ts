/**
 * Keys that need work, each at most once at a time.
 *
 *   add --> queued --take--> processing --done--> (gone)
 *             ^                  |  add meanwhile: noted, and queued again by done
 *             `------------------'
 *   addAfter, addRateLimited: delayed, then add
 *
 * No key is worked on twice at once, and no add is lost: one that comes during the work leads to another round.
 */
import type { Cancel, Milliseconds, Timing } from './timing.ts'
import { TokenBucket } from './token-bucket.ts'

/** Wait before the first retry of a key; doubles with each failure. As client-go's. */
const RETRY_BASE_MS = 5
const RETRY_MAX_MS = 16 * 60_000
/** Retries of all keys together. As client-go's, the burst too. */
const RETRIES_PER_SECOND = 10
const RETRIES_BURST = 100

export interface WorkQueueOptions {
  readonly timing: Timing
  readonly observer?: QueueObserver
  readonly retryBaseMs?: Milliseconds
  readonly retryMaxMs?: Milliseconds
  readonly retriesPerSecond?: number
  readonly retriesBurst?: number
}

/** For histograms; all methods are called synchronously and must not throw. */
export interface QueueObserver {
  /** A key was handed out after waiting for so long. */
  taken(waitedMs: Milliseconds): void
  /** The work on a key ended after so long. */
  finished(workedMs: Milliseconds): void
  retried(): void
}

export interface QueueStats {
  /** Waiting to be handed out. */
  readonly depth: number
  /** Waiting for their time. */
  readonly delayed: number
  readonly processing: number
  readonly added: number
  readonly retries: number
  /** Of the work that has been going on for longest. */
  readonly longestRunningMs: Milliseconds
}

interface Delayed {
  readonly dueAt: Milliseconds
  readonly cancel: Cancel
}

export class WorkQueue {
  readonly #timing: Timing
  readonly #observer: QueueObserver | undefined
  readonly #baseMs: Milliseconds
  readonly #maxMs: Milliseconds
  readonly #retries: TokenBucket
  /** Key, and since when. */
  readonly #queued = new Map<string, Milliseconds>()
  readonly #processing = new Map<string, Milliseconds>()
  readonly #again = new Map<string, Milliseconds>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #failures = new Map<string, number>()
  readonly #takers: ((key: string | undefined) => void)[] = []
  readonly #idle = Promise.withResolvers<void>()
  #draining = false
  #added = 0
  #retried = 0

  constructor(options: WorkQueueOptions) {
    this.#timing = options.timing
    this.#observer = options.observer
    this.#baseMs = options.retryBaseMs ?? RETRY_BASE_MS
    this.#maxMs = options.retryMaxMs ?? RETRY_MAX_MS
    this.#retries = new TokenBucket(
      options.retriesPerSecond ?? RETRIES_PER_SECOND,
      options.retriesBurst ?? RETRIES_BURST,
      options.timing,
    )
  }

  /** Waiting to be handed out. */
  get depth(): number {
    return this.#queued.size
  }

  get stats(): QueueStats {
    const now = this.#timing.elapsed()
    return {
      depth: this.depth,
      delayed: this.#delayed.size,
      processing: this.#processing.size,
      added: this.#added,
      retries: this.#retried,
      longestRunningMs: Math.max(0, ...[...this.#processing.values()].map((since) => now - since)),
    }
  }

  /** Wants `key` to be worked on soon; nothing where it is waiting already. */
  add(key: string): void {
    if (this.#draining) return
    this.#cancelDelay(key)
    const target = this.#processing.has(key) ? this.#again : this.#queued
    if (target.has(key)) return
    target.set(key, this.#timing.elapsed())
    this.#added += 1
    this.#handOut()
  }

  /** As `add`, in `delayMs`; the earliest of several wins, and an `add` before then replaces it. */
  addAfter(key: string, delayMs: Milliseconds): void {
    if (this.#draining) return
    if (delayMs <= 0) return this.add(key)
    const dueAt = this.#timing.elapsed() + delayMs
    const known = this.#delayed.get(key)
    if (known !== undefined && known.dueAt <= dueAt) return
    known?.cancel()
    this.#delayed.set(key, { dueAt, cancel: this.#timing.after(delayMs, () => this.add(key)) })
  }

  /** As `addAfter` the key's own back-off, the common rate, and `atLeastMs` (what a server asked for), whichever is latest. */
  addRateLimited(key: string, atLeastMs: Milliseconds = 0): void {
    if (this.#draining) return
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.#retried += 1
    this.#observer?.retried()
    const backoffMs = Math.min(this.#maxMs, this.#baseMs * 2 ** Math.min(failures, 40))
    this.addAfter(key, Math.max(backoffMs, this.#retries.reserve(), atLeastMs))
  }

  /** The key's work went well: its back-off starts anew. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** How often the key has been retried since `forget`. */
  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** The next key, when there is one; undefined when the queue is drained. `done` must follow. */
  take(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#takers.push(resolve)
    this.#handOut()
    return promise
  }

  /** The work on a taken key has ended, well or not. */
  done(key: string): void {
    const since = this.#processing.get(key)
    if (since === undefined) return
    this.#processing.delete(key)
    this.#observer?.finished(this.#timing.elapsed() - since)
    const addedAt = this.#again.get(key)
    if (addedAt !== undefined) {
      this.#again.delete(key)
      this.#queued.set(key, addedAt)
    }
    this.#handOut()
  }

  /** Takes no more keys, forgets the delayed ones, and waits until the others are worked on. Whether that came within `timeoutMs`. */
  async drain(timeoutMs: Milliseconds): Promise<boolean> {
    this.#draining = true
    for (const key of this.#delayed.keys()) this.#cancelDelay(key)
    this.#handOut()
    const late = Promise.withResolvers<void>()
    const cancel = this.#timing.after(timeoutMs, late.resolve)
    await Promise.race([this.#idle.promise, late.promise])
    cancel()
    return this.#isIdle
  }

  get #isIdle(): boolean {
    return this.#queued.size === 0 && this.#processing.size === 0
  }

  #handOut(): void {
    for (const [key, since] of this.#queued) {
      const taker = this.#takers.shift()
      if (taker === undefined) return
      const now = this.#timing.elapsed()
      this.#queued.delete(key)
      this.#processing.set(key, now)
      this.#observer?.taken(now - since)
      taker(key)
    }
    if (!this.#draining || !this.#isIdle) return
    this.#idle.resolve()
    for (const taker of this.#takers.splice(0)) taker(undefined)
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel()
    this.#delayed.delete(key)
  }
}

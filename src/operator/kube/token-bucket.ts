import type { Milliseconds, Timing } from './timing.ts'

/**
 * A rate that starts with a burst. Every call gets its turn in order: `reserve` takes tokens at once, going into debt,
 * and tells how long to wait until it is paid.
 */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  readonly #timing: Timing
  #tokens: number
  #filledAt: Milliseconds

  /** `perSecond` > 0; `burst` >= 1. */
  constructor(perSecond: number, burst: number, timing: Timing) {
    this.#perMs = perSecond / 1_000
    this.#burst = burst
    this.#timing = timing
    this.#tokens = burst
    this.#filledAt = timing.elapsed()
  }

  /** Takes a token, or so many, and returns the wait until they may be used; 0: now. */
  reserve(count = 1): Milliseconds {
    this.#fill()
    this.#tokens -= count
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  #fill(): void {
    const now = this.#timing.elapsed()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
  }
}

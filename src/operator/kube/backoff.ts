import type { Milliseconds, Timing } from './timing.ts'

/** Waits of a loop that keeps failing: anywhere between `minMs` and a ceiling that doubles up to `maxMs`. */
export class Backoff {
  readonly #minMs: Milliseconds
  readonly #maxMs: Milliseconds
  readonly #timing: Timing
  #failures = 0

  constructor(minMs: Milliseconds, maxMs: Milliseconds, timing: Timing) {
    this.#minMs = minMs
    this.#maxMs = maxMs
    this.#timing = timing
  }

  /** How many failures since the last `reset`. */
  get failures(): number {
    return this.#failures
  }

  /** The wait after one more failure; at least `atLeastMs` (what the server asked for). The floor keeps the rate bounded. */
  next(atLeastMs: Milliseconds = 0): Milliseconds {
    this.#failures += 1
    const ceilingMs = Math.min(this.#maxMs, this.#minMs * 2 ** Math.min(this.#failures, 30))
    return Math.max(atLeastMs, this.#minMs + this.#timing.random() * (ceilingMs - this.#minMs))
  }

  reset(): void {
    this.#failures = 0
  }
}

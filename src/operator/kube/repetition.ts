import type { Milliseconds } from './timing.ts'

const FIRST_GAP_MS: Milliseconds = 10_000
const MAX_GAP_MS: Milliseconds = 10 * 60_000
/** Messages with a number in them would be kept without an end. */
const MAX_KNOWN = 16

/** Whether to say again what keeps failing: each message at once, then after gaps that double from ten seconds to ten minutes. */
export class Repetition {
  readonly #elapsed: () => Milliseconds
  readonly #known = new Map<string, { readonly dueAt: Milliseconds; readonly gapMs: Milliseconds }>()

  constructor(elapsed: () => Milliseconds) {
    this.#elapsed = elapsed
  }

  isDue(message: string): boolean {
    const now = this.#elapsed()
    const last = this.#known.get(message)
    if (last !== undefined && now < last.dueAt) return false
    if (last === undefined && this.#known.size >= MAX_KNOWN) this.#known.clear()
    const gapMs = last === undefined ? FIRST_GAP_MS : Math.min(MAX_GAP_MS, last.gapMs * 2)
    this.#known.set(message, { dueAt: now + gapMs, gapMs })
    return true
  }

  /** It has succeeded: what fails next is new. */
  over(): void {
    this.#known.clear()
  }
}

/** Lets work that can wait come after work that somebody waits for. */
import { pause, type Milliseconds, type Timing } from './timing.ts'

const LOOK_MS = 250
/**
 * Where nobody has looked for so long, nobody saw whether the last one has ended: the next counts anew. Longer than a call to
 * the API server may take: all who could look may be at one.
 */
const UNSEEN_MS = 60_000
/** From then on the backlog is taken for the usual state, and nobody waits for its end. */
const MAX_MS = 60_000

export interface BacklogOptions {
  readonly timing: Timing
  /** How many wait that go before. */
  readonly depth: () => number
}

export class Backlog {
  readonly #options: BacklogOptions
  readonly #stopping = new AbortController()
  /** When somebody first had to wait for this one. */
  #since: Milliseconds | undefined
  /** When somebody last saw that it goes on. */
  #lookedMs: Milliseconds = 0

  constructor(options: BacklogOptions) {
    this.#options = options
  }

  /** Resolves when nothing waits that goes before, or that has lasted for a minute. False: stopped, do not begin. */
  async over(): Promise<boolean> {
    const { timing } = this.#options
    while (!this.#isOver() && !this.#stopping.signal.aborted) await pause(timing, LOOK_MS, this.#stopping.signal)
    return !this.#stopping.signal.aborted
  }

  stop(): void {
    this.#stopping.abort()
  }

  #isOver(): boolean {
    const { timing, depth } = this.#options
    if (depth() === 0) {
      this.#since = undefined
      return true
    }
    const nowMs = timing.elapsed()
    if (this.#since === undefined || nowMs - this.#lookedMs > UNSEEN_MS) this.#since = nowMs
    this.#lookedMs = nowMs
    return nowMs - this.#since >= MAX_MS
  }
}

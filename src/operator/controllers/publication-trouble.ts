/** Whether publishing has failed for so long that statuses should say so; a shorter failure would only make them flap. */
import type { Milliseconds, Timing } from '../kube/timing.ts'
import type { Problem } from './status.ts'

const PATIENCE_MS = 5_000
/** A little later, so that the patience is over then. */
const TELL_AFTER_MS = 6_000

export class PublicationTrouble {
  readonly #timing: Timing
  readonly #onLasting: () => void
  #since: Milliseconds | undefined
  #problem: Problem | undefined

  /** `onLasting`: it has become worth telling. */
  constructor(timing: Timing, onLasting: () => void) {
    this.#timing = timing
    this.#onLasting = onLasting
  }

  /** What it is; undefined where there is none, or none that has lasted. */
  get lasting(): Problem | undefined {
    return this.#since !== undefined && this.#timing.elapsed() - this.#since > PATIENCE_MS ? this.#problem : undefined
  }

  succeeded(): void {
    this.#since = undefined
  }

  failed(problem: Problem): void {
    this.#problem = problem
    if (this.#since !== undefined) return
    this.#since = this.#timing.elapsed()
    this.#timing.after(TELL_AFTER_MS, () => {
      if (this.lasting !== undefined) this.#onLasting()
    })
  }
}

/** Whether publishing has failed for so long that statuses should say so; a shorter failure would only make them flap. */
import type { Milliseconds, Timing } from '../kube/timing.ts'

const PATIENCE_MS = 5_000
/** A little later, so that the patience is over then. */
const TELL_AFTER_MS = 6_000

export class PublicationTrouble {
  readonly #timing: Timing
  readonly #onLasting: () => void
  #since: Milliseconds | undefined

  /** `onLasting`: it has become worth telling. */
  constructor(timing: Timing, onLasting: () => void) {
    this.#timing = timing
    this.#onLasting = onLasting
  }

  get isLasting(): boolean {
    return this.#since !== undefined && this.#timing.elapsed() - this.#since > PATIENCE_MS
  }

  succeeded(): void {
    this.#since = undefined
  }

  failed(): void {
    if (this.#since !== undefined) return
    this.#since = this.#timing.elapsed()
    this.#timing.after(TELL_AFTER_MS, () => {
      if (this.isLasting) this.#onLasting()
    })
  }
}

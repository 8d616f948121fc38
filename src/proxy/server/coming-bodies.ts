/**
 * Bodies that have been given room and have not come yet. Who has it and does not use it would keep all others from
 * theirs: while somebody waits, those that have been coming for long give way. Nothing is timed while nobody does.
 */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from '../pipeline/ports.ts'

export interface ComingBodiesOptions {
  /** How long a body may take while others wait. */
  readonly slowAfterMs: Milliseconds
  readonly now: Now
  /** Whether anybody waits. */
  readonly isAwaited: () => boolean
}

export class ComingBodies {
  readonly #options: ComingBodiesOptions
  /** What tells each that it is late, and since when it comes: the one that began first is the first. */
  readonly #coming = new Map<() => void, Milliseconds>()
  /** Set for the first of them, or one that was it. */
  #timer: NodeJS.Timeout | undefined

  constructor(options: ComingBodiesOptions) {
    this.#options = options
  }

  /** @param late called once, where the body has been coming for long and others wait. */
  begin(late: () => void): void {
    const { now, isAwaited } = this.#options
    this.#coming.set(late, now())
    if (isAwaited()) this.hurry()
  }

  /** The body has come, or is not waited for any more. */
  end(late: () => void): void {
    this.#coming.delete(late)
  }

  /** To be called when somebody begins to wait. */
  hurry(): void {
    if (this.#timer !== undefined) return
    const { slowAfterMs, now, isAwaited } = this.#options
    const nowMs = now()
    for (const [late, sinceMs] of this.#coming) {
      const leftMs = sinceMs + slowAfterMs - nowMs
      if (leftMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined
          if (isAwaited()) this.hurry()
        }, leftMs).unref()
        return
      }
      this.#coming.delete(late)
      late()
    }
  }
}

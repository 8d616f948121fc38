/**
 * Bodies that have been given room and have not come yet. Who has it and does not use it would keep all others from
 * theirs: while somebody waits, those that have been coming for long give way. Nothing is timed while nobody does.
 */
import { LinkedList, type Linked } from '../../domain/linked-list.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from '../pipeline/ports.ts'

export interface ComingBodiesOptions {
  /** How long a body may take while others wait. */
  readonly slowAfterMs: Milliseconds
  readonly now: Now
  /** Whether anybody waits. */
  readonly isAwaited: () => boolean
}

/** A body that comes. */
export interface Coming extends Linked<Coming> {
  readonly late: () => void
  readonly sinceMs: Milliseconds
}

export class ComingBodies {
  readonly #options: ComingBodiesOptions
  readonly #coming = new LinkedList<Coming>()
  /** Set for the first of them, or one that was it. */
  #timer: NodeJS.Timeout | undefined

  constructor(options: ComingBodiesOptions) {
    this.#options = options
  }

  /** @param late called once, where the body has been coming for long and others wait. */
  begin(late: () => void): Coming {
    const { now, isAwaited } = this.#options
    const coming: Coming = { late, sinceMs: now(), previous: undefined, next: undefined }
    this.#coming.add(coming)
    if (isAwaited()) this.hurry()
    return coming
  }

  /** The body has come, or is not waited for any more. */
  end(coming: Coming): void {
    this.#coming.remove(coming)
  }

  /** To be called when somebody begins to wait. */
  hurry(): void {
    if (this.#timer !== undefined) return
    const { slowAfterMs, now, isAwaited } = this.#options
    const nowMs = now()
    for (let first = this.#coming.first; first !== undefined; first = this.#coming.first) {
      const leftMs = first.sinceMs + slowAfterMs - nowMs
      if (leftMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined
          if (isAwaited()) this.hurry()
        }, leftMs).unref()
        return
      }
      this.#coming.remove(first)
      first.late()
    }
  }
}

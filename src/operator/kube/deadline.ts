import type { Milliseconds, Timing } from './timing.ts'

/** An abort signal that a time limit and an outer signal share, and which remembers who it was. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timing: Timing
  readonly #limitMs: Milliseconds
  readonly #outer: AbortSignal | undefined
  readonly #abort = (): void => this.#controller.abort()
  #cancel: () => void = () => undefined
  #expired = false
  #isDone = false

  constructor(timing: Timing, limitMs: Milliseconds, outer: AbortSignal | undefined) {
    this.#timing = timing
    this.#limitMs = limitMs
    this.#outer = outer
    if (outer?.aborted === true) this.#abort()
    else outer?.addEventListener('abort', this.#abort, { once: true })
    this.restart()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The time limit was it. */
  get expired(): boolean {
    return this.#expired
  }

  /** The outer signal was it. */
  get outerAborted(): boolean {
    return this.#outer?.aborted === true
  }

  /** The whole limit again from now. */
  restart(): void {
    this.#cancel()
    this.#cancel = this.#timing.after(this.#limitMs, () => {
      this.#expired = true
      this.#abort()
    })
  }

  /** No limit from now on; the outer signal still counts. */
  lift(): void {
    this.#cancel()
  }

  /** What it bounds has ended by itself: nothing is left to abort, and an abort would make an error with its stack for nobody. */
  done(): void {
    this.#isDone = true
  }

  /** Aborts what still runs and frees the timer and the listener. */
  end(): void {
    this.#cancel()
    this.#outer?.removeEventListener('abort', this.#abort)
    if (!this.#isDone) this.#abort()
  }
}

/**
 * A cancellation as cheap as what is mostly done with it, which is nothing: an `AbortController` with its signal and a
 * listener costs a request as much as routing it.
 */
import type { Cancellation, CancellationListener } from './ports.ts'

export class CallCancellation implements Cancellation {
  #aborted = false
  readonly #listeners: CancellationListener[] = []

  get aborted(): boolean {
    return this.#aborted
  }

  /** Tells those who listen, once; whoever listens later is not told. */
  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    // One by one: whom a listener removes is not told either.
    for (let listener = this.#listeners.shift(); listener !== undefined; listener = this.#listeners.shift()) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }

  addEventListener(_type: 'abort', listener: CancellationListener): void {
    if (!this.#aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: CancellationListener): void {
    const index = this.#listeners.indexOf(listener)
    if (index !== -1) this.#listeners.splice(index, 1)
  }
}

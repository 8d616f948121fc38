/**
 * Renews reservations as long as their requests run. One timer for all: nearly every request has ended before its first renewal,
 * and a timer of its own would only be made to be cancelled.
 */
import { LinkedList, type Linked } from '../../../domain/linked-list.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'

/** What is renewed. In one list at most. */
export interface Renewable extends Linked<Renewable> {
  /** Assigned by its list. */
  dueAtMs: Milliseconds
  /** Must not throw. */
  renew(): void
}

export class Renewals {
  readonly #everyMs: Milliseconds
  /** The first is due first, as all are renewed as often. */
  readonly #kept = new LinkedList<Renewable>()
  /** Present while something is kept, and a little longer. */
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: Milliseconds) {
    this.#everyMs = everyMs
  }

  /** For the first time when it has been kept for as long as lies between two. */
  keep(item: Renewable): void {
    item.dueAtMs = performance.now() + this.#everyMs
    this.#kept.add(item)
    if (this.#timer === undefined) this.#look(this.#everyMs)
  }

  /** Does nothing where it is not kept any more. */
  drop(item: Renewable): void {
    this.#kept.remove(item)
  }

  #look(inMs: Milliseconds): void {
    this.#timer = setTimeout(() => this.#renewDue(), Math.max(1, Math.ceil(inMs)))
    this.#timer.unref()
  }

  #renewDue(): void {
    const nowMs = performance.now()
    let next = this.#kept.first
    for (; next !== undefined && next.dueAtMs <= nowMs; next = this.#kept.first) {
      this.#kept.remove(next)
      this.keep(next)
      next.renew()
    }
    if (next === undefined) this.#timer = undefined
    else this.#look(next.dueAtMs - nowMs)
  }
}

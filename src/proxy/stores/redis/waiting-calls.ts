/**
 * The calls of a connection whose callers wait, in the order in which they came. A list linked through the calls
 * themselves, because each request adds and removes several: a Set costs about a microsecond more for each.
 */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'

export interface Call {
  readonly timeoutMs: Milliseconds
  readonly refuse: (error: Error) => void
  round: number
  /** When its round ends, in time of the process. */
  deadlineMs: Milliseconds
  /** How many replies had come when its round began. */
  repliesBefore: number
  answered: boolean
  /** Its caller has been refused. */
  givenUp: boolean
  previous: Call | undefined
  next: Call | undefined
}

export class WaitingCalls {
  #first: Call | undefined
  #last: Call | undefined

  get first(): Call | undefined {
    return this.#first
  }

  add(call: Call): void {
    call.previous = this.#last
    if (this.#last === undefined) this.#first = call
    else this.#last.next = call
    this.#last = call
  }

  /** Does nothing where the call is no longer there. */
  remove(call: Call): void {
    const { previous, next } = call
    if (previous === undefined && this.#first !== call) return
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    // A call that has survived to the old generation would keep all that came after it from being collected.
    call.previous = undefined
    call.next = undefined
  }
}

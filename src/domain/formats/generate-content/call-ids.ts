/**
 * Ids for function calls that have none. Other formats tie a result to its call by an id; here the name and the order did
 * until ids came, and both are still allowed. A call without an id is numbered over the whole conversation, so that it has
 * the same id in every later turn (a prefix that changes is not cached). A result without an id belongs to the oldest
 * unanswered call of its name.
 */

interface Queue {
  readonly ids: string[]
  next: number
}

/** One per request, fed in the document's order. Every step is constant time, whatever the client sends. */
export class CallIds {
  readonly #unanswered = new Map<string, Queue>()
  readonly #answered = new Set<string>()
  #calls = 0

  /** The id of a call: its own, else a made-up one. */
  ofCall(name: string, given: string | undefined): string {
    const id = given || `call_${this.#calls}`
    this.#calls += 1
    // An id that stands again names another call, which has no result yet.
    this.#answered.delete(id)
    const queue = this.#unanswered.get(name)
    if (queue === undefined) this.#unanswered.set(name, { ids: [id], next: 0 })
    else queue.ids.push(id)
    return id
  }

  /** The id of the call that a result answers; one of its own where no call is left to be answered. */
  ofResult(name: string, given: string | undefined): string {
    const id = given || this.#oldest(name) || `call_${name}`
    this.#answered.add(id)
    return id
  }

  #oldest(name: string): string | undefined {
    const queue = this.#unanswered.get(name)
    if (queue === undefined) return undefined
    for (; queue.next < queue.ids.length; queue.next += 1) {
      const id = queue.ids[queue.next]
      if (id !== undefined && !this.#answered.has(id)) return id
    }
    return undefined
  }
}

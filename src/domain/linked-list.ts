/**
 * What is under way, in the order in which it began: a list linked through its items.
 *
 * Not a Set or Map for what comes and goes with each request: their tables are replaced every few additions, and a
 * replaced table refers to its successor (for iterators) and to all that it held. As soon as one has survived to the
 * old generation, the young collector keeps every later table and every request in it from being collected: a third of
 * the processor at 32 connections, measured. Here what is removed refers to nothing, and costs a microsecond less.
 */

export interface Linked<Item> {
  previous: Item | undefined
  next: Item | undefined
}

export class LinkedList<Item extends Linked<Item>> {
  #first: Item | undefined
  #last: Item | undefined
  #size = 0

  get first(): Item | undefined {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  /** At the end. @param item in no list */
  add(item: Item): void {
    item.previous = this.#last
    if (this.#last === undefined) this.#first = item
    else this.#last.next = item
    this.#last = item
    this.#size++
  }

  /** Does nothing where the item is no longer there. */
  remove(item: Item): void {
    const { previous, next } = item
    if (previous === undefined && this.#first !== item) return
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    item.previous = undefined
    item.next = undefined
    this.#size--
  }

  /** The item just given may be removed meanwhile, others not. */
  *[Symbol.iterator](): Generator<Item, void> {
    let next: Item | undefined
    for (let item = this.#first; item !== undefined; item = next) {
      next = item.next
      yield item
    }
  }
}

/**
 * Puts the items of blocks that may overlap in an order in which they do not: the block that was opened first passes at
 * once, those after it wait until it is closed. Memory is that of what waits.
 */

interface Waiting<Item> {
  readonly key: string
  readonly items: Item[]
  closed: boolean
  /** The one that was opened after it. */
  next: Waiting<Item> | undefined
}

export class BlockSequence<Item> {
  readonly #open = new Map<string, Waiting<Item>>()
  /** The block that passes; undefined: there is none, so there are no others either. */
  #first: Waiting<Item> | undefined
  #last: Waiting<Item> | undefined

  has(key: string): boolean {
    return this.#open.has(key)
  }

  /** Opens a block. No block of this key is open. */
  open(key: string): void {
    const block: Waiting<Item> = { key, items: [], closed: false, next: undefined }
    this.#open.set(key, block)
    if (this.#first === undefined) this.#first = block
    else if (this.#last !== undefined) this.#last.next = block
    this.#last = block
  }

  /** Adds an item of an open block; returns what may pass now. An item of an unknown block is dropped. */
  push(key: string, item: Item): Item[] {
    const block = this.#open.get(key)
    if (block === undefined) return []
    if (block === this.#first) return [item]
    block.items.push(item)
    return []
  }

  /** Closes a block with its last item; returns what may pass now. */
  close(key: string, last: Item): Item[] {
    const block = this.#open.get(key)
    if (block === undefined) return []
    const passed = this.push(key, last)
    block.closed = true
    this.#open.delete(key)
    this.#advance(passed)
    return passed
  }

  /** Whether blocks wait behind the one that passes. */
  get hasWaiting(): boolean {
    return this.#first !== undefined && this.#first !== this.#last
  }

  /** Keys of the blocks that are still open, the one that passes first. */
  get openKeys(): string[] {
    return [...this.#open.keys()]
  }

  /** Drops closed blocks at the head; what waits in the blocks up to the next open one passes. */
  #advance(passed: Item[]): void {
    while (this.#first?.closed === true) {
      this.#first = this.#first.next
      for (const item of this.#first?.items.splice(0) ?? []) passed.push(item)
    }
  }
}

/**
 * Puts the items of blocks that may overlap in an order in which they do not: the block that was opened first passes at
 * once, those after it wait until it is closed. Memory is that of what waits.
 */

interface Waiting<Item> {
  readonly key: string
  readonly items: Item[]
  closed: boolean
}

export class BlockSequence<Item> {
  #blocks: Waiting<Item>[] = []

  has(key: string): boolean {
    return this.#blocks.some((block) => block.key === key && !block.closed)
  }

  /** Opens a block. */
  open(key: string): void {
    this.#blocks.push({ key, items: [], closed: false })
  }

  /** Adds an item of an open block; returns what may pass now. An item of an unknown block is dropped. */
  push(key: string, item: Item): Item[] {
    const block = this.#blocks.find((one) => one.key === key && !one.closed)
    if (block === undefined) return []
    if (block === this.#blocks[0]) return [item]
    block.items.push(item)
    return []
  }

  /** Closes a block with its last item; returns what may pass now. */
  close(key: string, last: Item): Item[] {
    const block = this.#blocks.find((one) => one.key === key && !one.closed)
    if (block === undefined) return []
    const passed = this.push(key, last)
    block.closed = true
    return [...passed, ...this.#advance()]
  }

  /** Keys of the blocks that are still open, the one that passes first. */
  get openKeys(): string[] {
    return this.#blocks.filter((block) => !block.closed).map((block) => block.key)
  }

  /** Drops closed blocks at the head; what waits in the blocks up to the next open one passes. */
  #advance(): Item[] {
    const passed: Item[] = []
    while (this.#blocks[0]?.closed === true) {
      this.#blocks.shift()
      const next = this.#blocks[0]
      for (const item of next?.items.splice(0) ?? []) passed.push(item)
    }
    return passed
  }
}

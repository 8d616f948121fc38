/**
 * Layers between a provider's items and the client that only hand on. As objects, not as generators: a generator costs
 * several turns of the microtask queue for each batch, which on a stream is a chunk.
 */

export interface ItemSource<Item> extends AsyncIterableIterator<Item, undefined, undefined> {
  next(): Promise<IteratorResult<Item, undefined>>
  return(): Promise<IteratorResult<Item, undefined>>
}

/** `first`, then the rest of `source`. Who leaves early ends the source, begun or not. */
export function replayFirst<Item>(first: Item, source: AsyncGenerator<Item, unknown, undefined>): ItemSource<Item> {
  let replayed = false
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      if (replayed) return source.next().then(handOn)
      replayed = true
      return Promise.resolve({ done: false, value: first })
    },
    async return() {
      replayed = true
      await source.return(undefined)
      return ENDED
    },
  }
}

/** The items of `source`; `ended` is called once when they have ended, failed, or are not wanted any more. */
export function tellEnd<Item>(source: AsyncIterable<Item>, ended: () => void): ItemSource<Item> {
  const items = source[Symbol.asyncIterator]()
  let told = false
  const tell = () => {
    if (told) return
    told = true
    ended()
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () =>
      items.next().then(
        (result) => {
          if (result.done === true) tell()
          return handOn(result)
        },
        (error: unknown) => {
          tell()
          throw error
        },
      ),
    async return() {
      try {
        await items.return?.()
      } finally {
        tell()
      }
      return ENDED
    },
  }
}

const ENDED = { done: true, value: undefined } as const

function handOn<Item>(result: IteratorResult<Item, unknown>): IteratorResult<Item, undefined> {
  return result.done === true ? ENDED : result
}

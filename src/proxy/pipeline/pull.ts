/**
 * Pulling from a stream by calls. A chunk of an answer passes several layers; where each waits for the one before it by a
 * promise, the promises and the turns of the microtask queue cost as much as all that is done with the chunk. So a layer
 * is asked for the next value by a call, and answers by one: at once where it has a value, or when there is one.
 */

/** Who has pulled. One of its methods is called once for each pull. What one throws fails the pull. */
export interface Taker<Value> {
  take(value: Value): void
  /** There are no more values. */
  end(): void
  fail(error: unknown): void
}

export interface Pullable<Value> {
  /** Asks for the next value. The pull before has been answered. */
  pull(taker: Taker<Value>): void
  /** The reader leaves, begun or not. A pull that was not answered yet is answered. */
  return(): Promise<unknown>
}

/** What is both, for readers that rather wait. */
export type PullableIterator<Value> = AsyncIterableIterator<Value, undefined, undefined> & Pullable<Value>

/** The end, as an iterator tells it. */
export const DONE = { done: true, value: undefined } as const

/** One pull as an iterator's `next`. */
export function nextOf<Value>(source: Pullable<Value>): Promise<IteratorResult<Value, undefined>> {
  return new Promise((resolve, reject) => {
    source.pull({ take: (value) => resolve({ done: false, value }), end: () => resolve(DONE), fail: reject })
  })
}

/** Answers a pull when the promise settles. */
export function answerPull<Value>(taker: Taker<Value>, pulled: Promise<IteratorResult<Value, unknown>>): void {
  pulled
    .then((result) => (result.done === true ? taker.end() : taker.take(result.value)))
    .catch((error: unknown) => taker.fail(error))
}

/**
 * A pull that nobody is behind who would catch what is thrown, by the source or by those whom its answer passes on the
 * way: it fails this pull, where it would end the process.
 */
export function pullAlone<Value>(source: Pullable<Value>, taker: Taker<Value>): void {
  try {
    source.pull(taker)
  } catch (error) {
    taker.fail(error)
  }
}

/** Any iterable, to be pulled from. */
export function pullFrom<Value>(iterable: AsyncIterable<Value>): Pullable<Value> {
  if (isPullable(iterable)) return iterable
  const iterator = iterable[Symbol.asyncIterator]()
  return {
    pull: (taker) => answerPull(taker, iterator.next()),
    return: async () => iterator.return?.(),
  }
}

function isPullable<Value>(iterable: AsyncIterable<Value>): iterable is AsyncIterable<Value> & Pullable<Value> {
  return 'pull' in iterable
}

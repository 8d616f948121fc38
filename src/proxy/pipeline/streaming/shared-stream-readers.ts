/** How a shared stream is read: batch by batch by a follower, and as a stream to be watched by its leader's request. */
import type { ItemStream, ItemWatcher, StreamItem } from './item-stream.ts'
import { DONE, nextOf, type PullableIterator, type Taker } from '../pull.ts'

type Batch = readonly StreamItem[]
export type Pulled = IteratorResult<Batch, undefined>

/** What one follower reads. */
export class SharedStreamReader implements PullableIterator<Batch> {
  readonly #read: (taker: Taker<Batch>) => void
  readonly #leave: () => void | Promise<void>

  constructor(read: (taker: Taker<Batch>) => void, leave: () => void | Promise<void>) {
    this.#read = read
    this.#leave = leave
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Pulled> {
    return nextOf(this)
  }

  pull(taker: Taker<Batch>): void {
    this.#read(taker)
  }

  async return(): Promise<Pulled> {
    await this.#leave()
    return DONE
  }
}

/** What the leader's request reads and watches. */
export class LeaderReader extends SharedStreamReader implements ItemStream {
  readonly #source: ItemStream

  constructor(source: ItemStream, read: (taker: Taker<Batch>) => void, leave: () => Promise<void>) {
    super(read, leave)
    this.#source = source
  }

  get restsAt(): number | undefined {
    return this.#source.restsAt
  }

  watch(watcher: ItemWatcher): void {
    this.#source.watch(watcher)
  }

  unread(items: Batch): void {
    this.#source.unread(items)
  }
}

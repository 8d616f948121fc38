/** How a shared stream is read: as the stream that its leader's request reads and watches, and batch by batch by a follower. */
import type { ItemStream, ItemWatcher, StreamItem } from './item-stream.ts'
import type { Place, SharedStream } from './shared-stream.ts'

type Batch = readonly StreamItem[]
type Pulled = IteratorResult<Batch, undefined>

/** What the leader's request reads and watches. */
export class LeaderView implements ItemStream {
  readonly #source: ItemStream
  readonly #shared: SharedStream

  constructor(source: ItemStream, shared: SharedStream) {
    this.#source = source
    this.#shared = shared
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Pulled> {
    return this.#shared.readAsLeader()
  }

  async return(): Promise<Pulled> {
    await this.#shared.leaveAsLeader()
    return DONE
  }

  watch(watcher: ItemWatcher): void {
    this.#source.watch(watcher)
  }

  unread(items: Batch): void {
    this.#source.unread(items)
  }
}

/** What one follower reads. */
export class FollowerBatches implements AsyncIterableIterator<Batch, undefined, undefined> {
  readonly #shared: SharedStream
  readonly #place: Place

  constructor(shared: SharedStream, place: Place) {
    this.#shared = shared
    this.#place = place
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<Pulled> {
    const pulled = await this.#shared.read(this.#place)
    if (pulled.done === true) this.#shared.leave(this.#place)
    return pulled
  }

  async return(): Promise<Pulled> {
    this.#shared.leave(this.#place)
    return DONE
  }
}

const DONE = { done: true, value: undefined } as const

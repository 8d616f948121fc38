/**
 * The items of one streamed answer, pulled by the chunk.
 *
 * Layers between the provider and the client watch it instead of wrapping it: a wrapper, as a generator even more, costs
 * turns of the microtask queue for each batch, which on a stream is a chunk. What waits for a batch is called (pull.ts).
 */
import type { SseEvent } from '../../../domain/formats/format.ts'
import type { StreamPart } from '../../../domain/completion/stream-part.ts'
import {
  answerPull,
  DONE,
  nextOf,
  pullAlone,
  pullFrom,
  type Pullable,
  type PullableIterator,
  type Taker,
} from '../pull.ts'

/** An event with its parts; no event where parts stand for themselves (closing parts, an answer that was no stream). */
export interface StreamItem {
  readonly event?: SseEvent
  readonly parts: readonly StreamPart[]
}

/** From the pieces of a body to items. Throws where a piece makes no sense. */
export interface ItemDecoder<Piece> {
  push(piece: Piece): readonly StreamItem[]
  /** The body has ended. */
  end(): readonly StreamItem[]
  /** Why nothing more is to be read, although the body may go on: thrown when the items so far have been taken. */
  readonly failure?: Error | undefined
  /** The stream has ended, although the body may go on. */
  readonly isOver?: boolean
  /** What is to be waited for before more is read. Fails the stream where it rejects. */
  readonly room?: Promise<void> | undefined
}

/** `left`: whoever read it wanted no more. */
export type StreamEnd = { readonly type: 'complete' | 'left' } | { readonly type: 'failed'; readonly error: unknown }

/** Must not throw. */
export interface ItemWatcher {
  /** Each batch, before its reader gets it. */
  saw?(items: readonly StreamItem[]): void
  /** Once, however the stream ends. */
  ended(end: StreamEnd): void
}

export interface ItemStream extends PullableIterator<readonly StreamItem[]> {
  next(): Promise<Pulled>
  /** Ends the source, begun or not. */
  return(): Promise<Pulled>
  watch(watcher: ItemWatcher): void
  /** Puts back, at its front, what was pulled from it. For watchers it is then new. */
  unread(items: readonly StreamItem[]): void
  /** How many batches its reader has got, where it asks for no more for now; undefined: it waits for the next. */
  readonly restsAt: number | undefined
}

type Pulled = IteratorResult<readonly StreamItem[], undefined>

/** Nothing is read ahead of the consumer: one pull reads until one batch is there. */
export function decodeItems<Piece>(pieces: AsyncIterable<Piece>, decoder: ItemDecoder<Piece>): ItemStream {
  return new DecodedItems(pullFrom(pieces), decoder)
}

/** A stream of what is known already. */
export function knownItems(items: readonly StreamItem[]): ItemStream {
  return decodeItems(NOTHING, { push: () => [], end: () => items })
}

class DecodedItems<Piece> implements ItemStream, Taker<Piece> {
  readonly #pieces: Pullable<Piece>
  readonly #decoder: ItemDecoder<Piece>
  readonly #watchers: ItemWatcher[] = []
  /** Of the pull that is not answered yet. */
  #taker: Taker<readonly StreamItem[]> | undefined
  #isAwaited = false
  #batches = 0
  #unread: readonly StreamItem[] | undefined
  #isRead = false
  #isEnded = false

  constructor(pieces: Pullable<Piece>, decoder: ItemDecoder<Piece>) {
    this.#pieces = pieces
    this.#decoder = decoder
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  watch(watcher: ItemWatcher): void {
    this.#watchers.push(watcher)
  }

  unread(items: readonly StreamItem[]): void {
    this.#unread = items
  }

  get restsAt(): number | undefined {
    return this.#isAwaited ? undefined : this.#batches
  }

  next(): Promise<Pulled> {
    return nextOf(this)
  }

  pull(taker: Taker<readonly StreamItem[]>): void {
    this.#taker = taker
    this.#isAwaited = true
    const items = this.#unread
    this.#unread = undefined
    if (items !== undefined) this.#handOn(items)
    else this.#read()
  }

  async return(): Promise<Pulled> {
    this.#unread = undefined
    if (this.#isEnded) return DONE
    try {
      await this.#pieces.return()
    } finally {
      this.#end({ type: 'left' })
    }
    return DONE
  }

  take(piece: Piece): void {
    let items: readonly StreamItem[]
    try {
      items = this.#decoder.push(piece)
    } catch (error) {
      return this.fail(error)
    }
    this.#decoded(items)
  }

  /** The pieces have ended. */
  end(): void {
    this.#isRead = true
    let items: readonly StreamItem[]
    try {
      items = this.#decoder.end()
    } catch (error) {
      return this.fail(error)
    }
    this.#decoded(items)
  }

  fail(error: unknown): void {
    this.#end({ type: 'failed', error })
    if (this.#taker !== undefined) answerPull(this.#taker, this.#breakOff(error))
  }

  async #breakOff(error: unknown): Promise<never> {
    await this.#pieces.return()
    throw error
  }

  #read(): void {
    if (this.#isEnded) this.#taker?.end()
    else if (this.#decoder.failure !== undefined) this.fail(this.#decoder.failure)
    else if (this.#isRead || this.#decoder.isOver === true) this.#complete()
    else if (this.#decoder.room === undefined) this.#pieces.pull(this)
    else this.#readAfter(this.#decoder.room)
  }

  #readAfter(room: Promise<void>): void {
    const fail = (error: unknown) => this.fail(error)
    // Twice: what a watcher throws fails the reader, too.
    room
      .then(() => pullAlone(this.#pieces, this))
      .catch(fail)
      .catch(fail)
  }

  #decoded(items: readonly StreamItem[]): void {
    if (items.length === 0) this.#read()
    else this.#handOn(items)
  }

  #complete(): void {
    if (!this.#isRead) this.#pieces.return().catch(() => undefined)
    this.#end({ type: 'complete' })
    this.#taker?.end()
  }

  #handOn(items: readonly StreamItem[]): void {
    this.#isAwaited = false
    this.#batches++
    for (const watcher of this.#watchers) watcher.saw?.(items)
    this.#taker?.take(items)
  }

  #end(end: StreamEnd): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const watcher of this.#watchers) watcher.ended(end)
  }
}

const NOTHING: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(DONE) }),
}

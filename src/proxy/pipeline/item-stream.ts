/**
 * The items of one streamed answer, pulled by the chunk.
 *
 * Layers between the provider and the client watch it instead of wrapping it: a wrapper, as a generator even more, costs
 * turns of the microtask queue for each batch, which on a stream is a chunk.
 */
import type { SseEvent } from '../../domain/formats/format.ts'
import type { StreamPart } from '../../domain/completion/stream-part.ts'

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

export interface ItemStream extends AsyncIterableIterator<readonly StreamItem[], undefined, undefined> {
  next(): Promise<Pulled>
  /** Ends the source, begun or not. */
  return(): Promise<Pulled>
  watch(watcher: ItemWatcher): void
  /** Puts back, at its front, what was pulled from it. For watchers it is then new. */
  unread(items: readonly StreamItem[]): void
}

type Pulled = IteratorResult<readonly StreamItem[], undefined>

/** Nothing is read ahead of the consumer: one pull reads until one batch is there. */
export function decodeItems<Piece>(pieces: AsyncIterable<Piece>, decoder: ItemDecoder<Piece>): ItemStream {
  return new DecodedItems(pieces[Symbol.asyncIterator](), decoder)
}

/** A stream of what is known already. */
export function knownItems(items: readonly StreamItem[]): ItemStream {
  return decodeItems(NOTHING, { push: () => [], end: () => items })
}

class DecodedItems<Piece> implements ItemStream {
  readonly #pieces: AsyncIterator<Piece>
  readonly #decoder: ItemDecoder<Piece>
  readonly #watchers: ItemWatcher[] = []
  #unread: readonly StreamItem[] | undefined
  #isRead = false
  #isEnded = false

  constructor(pieces: AsyncIterator<Piece>, decoder: ItemDecoder<Piece>) {
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

  next(): Promise<Pulled> {
    if (this.#unread !== undefined) return this.#again(this.#unread)
    if (this.#isEnded) return Promise.resolve(DONE)
    if (this.#decoder.failure !== undefined) return this.#fail(this.#decoder.failure)
    return this.#isRead ? this.#complete() : this.#pieces.next().then(this.#take, this.#fail)
  }

  async return(): Promise<Pulled> {
    this.#unread = undefined
    if (this.#isEnded) return DONE
    try {
      await this.#pieces.return?.()
    } finally {
      this.#end({ type: 'left' })
    }
    return DONE
  }

  readonly #take = (piece: IteratorResult<Piece, unknown>): Pulled | Promise<Pulled> => {
    let items: readonly StreamItem[]
    try {
      items = piece.done === true ? this.#decoder.end() : this.#decoder.push(piece.value)
    } catch (error) {
      return this.#fail(error)
    }
    if (piece.done === true) this.#isRead = true
    return items.length === 0 ? this.next() : this.#handOn(items)
  }

  async #again(items: readonly StreamItem[]): Promise<Pulled> {
    this.#unread = undefined
    return this.#handOn(items)
  }

  async #complete(): Promise<Pulled> {
    this.#end({ type: 'complete' })
    return DONE
  }

  readonly #fail = async (error: unknown): Promise<never> => {
    this.#end({ type: 'failed', error })
    await this.#pieces.return?.()
    throw error
  }

  #handOn(items: readonly StreamItem[]): Pulled {
    for (const watcher of this.#watchers) watcher.saw?.(items)
    return { done: false, value: items }
  }

  #end(end: StreamEnd): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const watcher of this.#watchers) watcher.ended(end)
  }
}

const DONE = { done: true, value: undefined } as const

const NOTHING: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(DONE) }),
}

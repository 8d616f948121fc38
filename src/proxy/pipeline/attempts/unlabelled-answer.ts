/**
 * An answer to a request for a stream that is not called an event stream. Some servers ignore `stream` and answer whole:
 * their answer becomes the stream it stands for. Others send events and call them JSON, or name no type. The first
 * character tells: a document is an object, and no line of an event begins as one.
 */
import { UpstreamFormatError } from '../../../domain/errors.ts'
import type { AnswerShare } from '../memory/answer-memory.ts'
import type { ItemDecoder, StreamItem } from '../streaming/item-stream.ts'
import type { ProviderReply } from '../ports.ts'
import { readAnswer } from './read-whole.ts'

export class UnlabelledDecoder implements ItemDecoder<Uint8Array> {
  readonly #events: () => ItemDecoder<Uint8Array>
  readonly #whole: () => ItemDecoder<Uint8Array>
  #chosen: ItemDecoder<Uint8Array> | undefined

  constructor(events: () => ItemDecoder<Uint8Array>, whole: () => ItemDecoder<Uint8Array>) {
    this.#events = events
    this.#whole = whole
  }

  push(piece: Uint8Array): readonly StreamItem[] {
    this.#chosen ??= isDocument(piece) ? this.#whole() : this.#events()
    return this.#chosen.push(piece)
  }

  /** @throws {UpstreamFormatError} where nothing has come */
  end(): readonly StreamItem[] {
    if (this.#chosen === undefined) throw new UpstreamFormatError('the answer to a request for a stream is empty')
    return this.#chosen.end()
  }

  get failure(): Error | undefined {
    return this.#chosen?.failure
  }

  get isOver(): boolean {
    return this.#chosen?.isOver === true
  }

  get room(): Promise<void> | undefined {
    return this.#chosen?.room
  }
}

/** In one piece where it is a document, else as it comes. Fails as `readAnswer` and the body. */
export function unlabelledPieces(reply: ProviderReply, openShare: () => AnswerShare): AsyncIterable<Uint8Array> {
  const body = reply.body[Symbol.asyncIterator]()
  const pieces = piecesOf(body, reply, openShare)
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => pieces.next(),
      // A generator that waits would not see its reader leave.
      async return() {
        await body.return?.()
        return pieces.return(undefined)
      },
    }),
  }
}

async function* piecesOf(
  body: AsyncIterator<Uint8Array>,
  reply: ProviderReply,
  openShare: () => AnswerShare,
): AsyncGenerator<Uint8Array, undefined> {
  const begun = await begunOf(body)
  if (begun === undefined) return undefined
  const all = joined(begun, body)
  if (isDocument(begun)) yield await readAnswer({ ...reply, body: all, takeWhole: () => undefined }, openShare)
  else yield* all
  return undefined
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  return undefined
}

/** The first piece from its first character on: what is before it, half a mark among it, is no text. Undefined: there is none. */
async function begunOf(body: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (let next = await body.next(); next.done !== true; next = await body.next()) {
    const at = next.value.findIndex((byte) => !BLANK.has(byte))
    if (at >= 0) return next.value.subarray(at)
  }
  return undefined
}

/** White space, and the bytes of a byte order mark. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** By its first character. */
function isDocument([sign]: Uint8Array): boolean {
  return sign === OBJECT || sign === ARRAY
}

const OBJECT = 0x7b
const ARRAY = 0x5b

/**
 * A provider's answer as a stream of events and what they mean. The decoder sees every event even where the bytes could
 * pass through, because usage, the finish and errors must be known in any case.
 */
import { partsOf } from '../../../domain/completion/assemble.ts'
import type { StreamPart } from '../../../domain/completion/stream-part.ts'
import { UpstreamFormatError } from '../../../domain/errors.ts'
import type { Format, SseEvent, StreamDecoder } from '../../../domain/formats/format.ts'
import { MAX_EVENT_CHARACTERS, SseDecoder } from '../../../domain/formats/sse.ts'
import { UNCOUNTED_BYTES, type AnswerShare } from '../memory/answer-memory.ts'
import { decodeItems, type ItemDecoder, type ItemStream, type StreamItem } from '../streaming/item-stream.ts'
import { AttemptError, type ProviderReply } from '../ports.ts'
import { parseResult } from './read-whole.ts'
import { UnlabelledDecoder, unlabelledPieces } from './unlabelled-answer.ts'

/**
 * Ends when the provider's body ends, or the answer in it has (some servers leave the body open). Fails by an
 * AttemptError where the body breaks off, its own end mark is missing or the provider reports an error in it, by an
 * UpstreamFormatError where it is no stream, or an event of it no JSON object, and as `AnswerShare.hold`.
 */
export function providerItems(reply: ProviderReply, format: Format, openShare: () => AnswerShare): ItemStream {
  const events = () => new EventDecoder(reply, format, openShare)
  if (isEventStream(reply)) return decodeItems(reply.body, events())
  return decodeItems(unlabelledPieces(reply, openShare), new UnlabelledDecoder(events, () => new WholeDecoder(format)))
}

/** Whether something the client would see has come: from here on nothing can be tried elsewhere. */
export function isContent(part: StreamPart): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
    case 'tool-input-delta':
      return part.delta !== ''
    case 'tool-input-start':
    case 'finish':
      return true
    case 'reasoning-start':
      return part.redacted !== undefined
    case 'unknown':
      return part.choice !== undefined
    default:
      return false
  }
}

/** Calls that come beside each other, and what says nothing. As much as may come before the first content. */
const MAX_KEPT_CHARACTERS = MAX_EVENT_CHARACTERS * 1.5

class EventDecoder implements ItemDecoder<Uint8Array> {
  readonly #events = new SseDecoder()
  readonly #codec: StreamDecoder
  readonly #reply: ProviderReply
  /** As the reply knows it. */
  #endsAfterMs = Infinity
  /** Of events that brought out nothing, as long as the codec holds anything: it may be all of it. */
  #kept = 0
  readonly #openShare: () => AnswerShare
  #share: AnswerShare | undefined
  #hasEvents = false
  room: Promise<void> | undefined
  failure: AttemptError | UpstreamFormatError | undefined

  constructor(reply: ProviderReply, format: Format, openShare: () => AnswerShare) {
    this.#codec = format.createStreamDecoder()
    this.#reply = reply
    this.#openShare = openShare
  }

  get isOver(): boolean {
    return this.#endsAfterMs === 0
  }

  push(bytes: Uint8Array): StreamItem[] {
    const items = this.#events.push(bytes).map(this.#itemOf)
    this.#hasEvents ||= items.length > 0
    const { endsAfterMs } = this.#codec
    if (endsAfterMs !== this.#endsAfterMs) {
      this.#endsAfterMs = endsAfterMs
      this.#reply.endsAfter?.(endsAfterMs)
    }
    const held = this.#events.heldCharacters + this.#kept
    if (held > UNCOUNTED_BYTES || this.#share !== undefined) this.#hold(held)
    return this.#upToFailure(items)
  }

  /** Characters of an event that has not ended, and those kept. */
  #hold(held: number): void {
    if (this.#kept > MAX_KEPT_CHARACTERS) this.failure = new AttemptError('protocol', 'too much came out of order')
    this.#share ??= this.#openShare()
    this.room = this.#share.hold(held)
    // Whoever pulls next hears of it; nobody may.
    this.room?.catch(() => undefined)
  }

  /** @throws {UpstreamFormatError} where something else than events has come: that was whole. */
  end(): StreamItem[] {
    const items: StreamItem[] = this.#events.end().map(this.#itemOf)
    if (!this.#hasEvents && items.length === 0 && this.#events.isForeign)
      throw new UpstreamFormatError('the answer to a request for a stream is neither events nor a document')
    items.push({ parts: this.#codec.end() })
    return this.#upToFailure(items)
  }

  readonly #itemOf = (event: SseEvent): StreamItem => {
    const parts = this.#codec.push(event)
    if (parts.length === 0) this.#kept += event.data.length
    if (this.#kept > 0 && this.#codec.holdsBack === false) this.#kept = 0
    return { event, parts }
  }

  /** An error is the last thing read: the client gets one of ours in its place. */
  #upToFailure(items: StreamItem[]): StreamItem[] {
    for (let index = 0; index < items.length; index++) {
      this.failure ??= failureIn(items[index]?.parts ?? [])
      if (this.failure !== undefined) return items.slice(0, index)
    }
    return items
  }
}

class WholeDecoder implements ItemDecoder<Uint8Array> {
  readonly #format: Format

  constructor(format: Format) {
    this.#format = format
  }

  push(bytes: Uint8Array): StreamItem[] {
    return [{ parts: [...partsOf(parseResult(bytes, this.#format))] }]
  }

  end(): StreamItem[] {
    return []
  }
}

function failureIn(parts: readonly StreamPart[]): AttemptError | UpstreamFormatError | undefined {
  for (const part of parts) {
    if (part.type !== 'error') continue
    // The decoders' own word for a body that ended too early.
    if (part.code === 'cut') return new AttemptError('cut', 'the stream ended before the answer was complete')
    // Nor did the provider say it: what came could not be read.
    if (part.raw === undefined) return new UpstreamFormatError(part.message)
    return new AttemptError('protocol', 'the stream reported an error')
  }
  return undefined
}

function isEventStream(reply: ProviderReply): boolean {
  return /^text\/event-stream\b/i.test(String(reply.headers['content-type'] ?? ''))
}

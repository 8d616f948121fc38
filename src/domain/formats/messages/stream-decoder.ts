/**
 * A provider's messages stream -> neutral parts. Strict about nothing but the end: a stream that stops without a stop
 * reason or `message_stop` was cut, and says so by an `error` part. Blocks that overlap, come without a start, are never
 * stopped or share an index (servers that imitate the vendor do all of it) are put in order.
 * @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
import { isCut } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import { LATE_CONTENT, LIKELY_COMPLETE_ENDS_AFTER_MS, type SseEvent, type StreamDecoder } from '../format.ts'
import { StreamedBlocks } from './streamed-blocks.ts'
import { parseError } from './errors.ts'
import { parseStopReason } from './stop-reason.ts'
import { mergeUsage, parseUsage } from './usage.ts'
import { shortName } from '../fields.ts'
import { cutStream, documentIn, malformedEvent, reportedError } from '../stream-fault.ts'
import { countsNothing } from '../usage-counts.ts'

export class MessagesStreamDecoder implements StreamDecoder {
  #blocks = new StreamedBlocks('')
  #usage: JsonObject = {}
  #started = false
  #finished = false
  /** A delta has told what the answer counts. */
  #isCounted = false
  endsAfterMs = Infinity
  /** Complete or failed: nothing more is read. */
  #ended = false

  get holdsBack(): boolean {
    return this.#blocks.holdsBack
  }

  push(event: SseEvent): StreamPart[] {
    if (this.#ended || event.data === '' || event.data === '[DONE]') return []
    const document = documentIn(event.data)
    if (document === undefined) return this.#fail(malformedEvent())
    const type = asString(document.type) ?? event.event ?? ''
    if (type === 'error' || event.event === 'error' || document.error)
      return this.#fail(reportedError(parseError(document), document))
    if (this.#finished && type.startsWith('content_block')) return late(document)
    return this.#event(type, document)
  }

  end(): StreamPart[] {
    if (this.#ended || this.#finished) return []
    this.#ended = true
    return [cutStream()]
  }

  #event(type: string, document: JsonObject): StreamPart[] {
    switch (type) {
      case 'message_start':
        return this.#start(asObject(document.message) ?? {})
      case 'content_block_start':
        return this.#blocks.start(indexOf(document), asObject(document.content_block) ?? {}, document)
      case 'content_block_delta':
        return this.#blocks.delta(indexOf(document), asObject(document.delta) ?? {}, document)
      case 'content_block_stop':
        return this.#blocks.stop(indexOf(document))
      case 'message_delta':
        return this.#delta(document)
      case 'message_stop': {
        if (!this.#started) return this.end()
        const parts = this.#finish(undefined, undefined, [])
        this.#ended = true
        this.endsAfterMs = 0
        return parts
      }
      case 'ping':
        return [{ type: 'ping' }]
      default:
        return [{ type: 'unknown', name: type, raw: document }]
    }
  }

  #start(message: JsonObject): StreamPart[] {
    if (this.#started) return []
    this.#started = true
    const id = shortName(message.id)
    this.#blocks = new StreamedBlocks(id)
    return [{ type: 'response-start', id, model: shortName(message.model) }, ...this.#addUsage(message.usage)]
  }

  #delta(document: JsonObject): StreamPart[] {
    const usage = this.#count(document.usage)
    const delta = asObject(document.delta)
    const reason = asString(delta?.stop_reason)
    return reason === undefined ? usage : this.#finish(reason, asString(delta?.stop_sequence), usage)
  }

  #count(value: JsonObject[string]): StreamPart[] {
    const told = parseUsage(value)
    if (told !== undefined && this.#isCounted && countsNothing(told)) return []
    this.#isCounted ||= (told?.output ?? 0) > 0
    return this.#addUsage(value)
  }

  #addUsage(value: JsonObject[string]): StreamPart[] {
    const later = asObject(value)
    if (later === undefined) return []
    this.#usage = mergeUsage(this.#usage, later)
    const usage = parseUsage(this.#usage)
    return usage === undefined ? [] : [{ type: 'usage', usage }]
  }

  /** What closing the blocks brings out is counted in `usage`: what comes after usage is taken for not counted yet. */
  #finish(reason: string | undefined, stopSequence: string | undefined, usage: StreamPart[]): StreamPart[] {
    if (this.#finished) return usage
    this.#finished = true
    this.endsAfterMs = LIKELY_COMPLETE_ENDS_AFTER_MS
    const finish = parseStopReason(reason, stopSequence, this.#blocks.hasToolCalls)
    return [...this.#blocks.stopAll(isCut(finish)), ...usage, { type: 'finish', choice: 0, finish }]
  }

  #fail(fault: StreamPart): StreamPart[] {
    this.#ended = true
    return [fault]
  }
}

/** The answer is complete; a client of this format gets what comes all the same, so it is counted. */
function late(raw: JsonObject): StreamPart[] {
  const { text, thinking, partial_json: input } = asObject(raw.delta) ?? asObject(raw.content_block) ?? {}
  const generated = { text: [text, thinking, input].map((piece) => asString(piece) ?? '').join('') }
  return generated.text === '' ? [] : [{ type: 'unknown', name: LATE_CONTENT, raw, generated }]
}

function indexOf(document: JsonObject): number {
  return asNumber(document.index) ?? 0
}

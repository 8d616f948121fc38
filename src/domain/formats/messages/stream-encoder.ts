/**
 * Neutral parts -> a messages stream as the vendor sends it: `message_start`, blocks one after the other with contiguous
 * indices, `message_delta`, `message_stop`. What decides how a part may go out:
 *
 * - `message_start` waits for the first block, so that usage which is known by then stands in it;
 * - a text or thinking block begins with its first character: an empty one would be a block that the model never wrote;
 * - parts of overlapping blocks wait for their turn (block-sequence.ts);
 * - a text that ends within what may be a redaction token goes on in the same block, and the thought that came between
 *   follows it: a token in two blocks could not be restored;
 * - `message_delta` waits for the end: other formats tell usage after the finish.
 */
import type { TranslationWarning } from '../../completion/request.ts'
import type { Finish, Usage } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import type { JsonObject } from '../../json.ts'
import { NO_USAGE, type RenderContext, type SseEvent, type StreamEncoder } from '../format.ts'
import { noteLoss } from '../stream-loss.ts'
import { BlockSequence } from './block-sequence.ts'
import { BlockWriter, type BlockPart } from './block-writer.ts'
import { eventOf } from './stream-event.ts'
import { FOREIGN_SIGNATURE, SIGNATURE_LOST } from './result.ts'
import { renderStopReason } from './stop-reason.ts'
import { renderUsage } from './usage.ts'

/** The end of a text within what may be a token, or at its end but for a bracket; no token is longer. */
const WITHIN_TOKEN = /\[(?:\[\w*\]?)?$/
const LONGEST_TOKEN = 128

/** Refusal deltas name no block: they are one until another begins. */
const REFUSAL = 'refusal'

export class MessagesStreamEncoder implements StreamEncoder {
  readonly warnings: TranslationWarning[] = []
  readonly #context: RenderContext
  readonly #sequence = new BlockSequence<BlockPart>()
  readonly #writer = new BlockWriter()
  readonly #held = { toolCalls: false, refusal: false }
  /** The ends of the texts that are open, by key. */
  readonly #tails = new Map<string, string>()
  /** A text that has ended within a token: its key. */
  #unfinished: string | undefined
  /** The text that goes on in the block of another key. */
  #joined: { readonly id: string; readonly key: string } | undefined
  #id = ''
  #model = ''
  #usage: Usage | undefined
  #finish: Finish = { reason: 'other', raw: undefined }
  #started = false
  #failed = false

  constructor(context: RenderContext) {
    this.#context = context
  }

  push(part: StreamPart): SseEvent[] {
    if (this.#failed) return []
    if ('choice' in part && part.choice !== 0)
      return this.#warn('choices', 'messages holds one; the others were left out')
    switch (part.type) {
      case 'response-start':
        this.#id ||= part.id
        this.#model ||= part.model
        return []
      case 'usage':
        this.#usage = part.usage
        return []
      case 'finish':
        this.#finish = part.finish
        return []
      case 'error':
        return this.#fail(part.message)
      case 'ping':
        return this.#started ? [eventOf('ping', {})] : []
      case 'unknown':
        return this.#warn('stream', `messages streams cannot carry the event ${part.name} of another format`)
      case 'refusal-delta':
        return this.#refusal(part.delta)
      default:
        return this.#block(part)
    }
  }

  end(): SseEvent[] {
    if (this.#failed) return []
    const rest = this.#sequence.openKeys.flatMap((key) => this.#sequence.close(key, { type: 'close' }))
    const reason = renderStopReason(this.#finish, this.#held)
    const delta = { stop_reason: reason, stop_sequence: this.#finish.stopSequence ?? null }
    const written = this.#write(rest)
    return [
      ...this.#start(),
      ...written,
      eventOf('message_delta', { delta, usage: renderUsage(this.#usage ?? NO_USAGE) }),
      eventOf('message_stop', {}),
    ]
  }

  #block(part: Exclude<BlockPart, { type: 'close' | 'refusal-delta' }>): SseEvent[] {
    switch (part.type) {
      case 'tool-input-start':
        this.#held.toolCalls = true
        if (part.signature !== undefined) this.#warn('stream', SIGNATURE_LOST)
        return [...this.#closeUnfinished(), ...this.#open(part)]
      case 'text-start':
        return this.#startText(part)
      case 'text-delta':
        return this.#text(part)
      case 'text-end':
        return this.#endText(part)
      case 'reasoning-start':
        return this.#open(part)
      case 'reasoning-end':
        return this.#out(this.#sequence.close(part.id, this.#signed(part)))
      case 'tool-input-end':
        return this.#out(this.#sequence.close(part.id, part))
      default:
        return this.#out(this.#sequence.push(part.id, part))
    }
  }

  #startText(part: Extract<BlockPart, { type: 'text-start' }>): SseEvent[] {
    const key = this.#unfinished
    if (key === undefined || this.#joined !== undefined) return this.#open(part)
    this.#unfinished = undefined
    this.#joined = { id: part.id, key }
    return []
  }

  #text(part: Extract<BlockPart, { type: 'text-delta' }>): SseEvent[] {
    const key = this.#keyOf(part.id)
    const tail = (this.#tails.get(key) ?? '') + part.delta.slice(-LONGEST_TOKEN)
    this.#tails.set(key, tail.slice(-LONGEST_TOKEN))
    return this.#out(this.#sequence.push(key, part))
  }

  #endText(part: Extract<BlockPart, { type: 'text-end' }>): SseEvent[] {
    const key = this.#keyOf(part.id)
    if (this.#joined?.key === key) this.#joined = undefined
    if (!WITHIN_TOKEN.test(this.#tails.get(key) ?? '')) return this.#closeText(key, part)
    const closing = this.#closeUnfinished()
    this.#unfinished = key
    return closing
  }

  #keyOf(id: string): string {
    return this.#joined?.id === id ? this.#joined.key : id
  }

  #closeUnfinished(): SseEvent[] {
    const key = this.#unfinished
    this.#unfinished = undefined
    return key === undefined ? [] : this.#closeText(key, { type: 'close' })
  }

  #closeText(key: string, last: BlockPart): SseEvent[] {
    this.#tails.delete(key)
    return this.#out(this.#sequence.close(key, last))
  }

  #signed(part: Extract<BlockPart, { type: 'reasoning-end' }>): BlockPart {
    if (part.signature === undefined || this.#context.answeredIn === 'messages') return part
    this.#warn('stream', FOREIGN_SIGNATURE)
    return { type: 'reasoning-end', choice: part.choice, id: part.id }
  }

  #open(part: Extract<BlockPart, { toolCallId: string } | { type: 'text-start' | 'reasoning-start' }>): SseEvent[] {
    const closing = this.#sequence.close(REFUSAL, { type: 'close' })
    this.#sequence.open(part.id)
    return this.#out([...closing, ...this.#sequence.push(part.id, part)])
  }

  #refusal(delta: string): SseEvent[] {
    if (delta === '') return []
    this.#held.refusal = true
    const closing = this.#closeUnfinished()
    if (!this.#sequence.has(REFUSAL)) this.#sequence.open(REFUSAL)
    return [...closing, ...this.#out(this.#sequence.push(REFUSAL, { type: 'refusal-delta', choice: 0, delta }))]
  }

  #out(parts: readonly BlockPart[]): SseEvent[] {
    const events = this.#write(parts)
    return events.length === 0 ? events : [...this.#start(), ...events]
  }

  #write(parts: readonly BlockPart[]): SseEvent[] {
    return parts.flatMap((part) => this.#writer.push(part))
  }

  #start(): SseEvent[] {
    if (this.#started) return []
    this.#started = true
    const message: JsonObject = {
      id: this.#id || `msg_${this.#context.requestId}`,
      type: 'message',
      role: 'assistant',
      model: this.#model || this.#context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...renderUsage(this.#usage ?? NO_USAGE) },
    }
    return [eventOf('message_start', { message })]
  }

  #fail(message: string): SseEvent[] {
    this.#failed = true
    return [eventOf('error', { error: { type: 'api_error', message }, request_id: this.#context.requestId })]
  }

  #warn(field: string, message: string): SseEvent[] {
    noteLoss(this.warnings, field, message)
    return []
  }
}

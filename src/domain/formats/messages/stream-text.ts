/**
 * Rewrites the texts inside the events of a messages stream. A channel is one text of one block: its text, its thinking
 * or its tool input. What the rewriter holds back goes out in a delta of its own before the block's signature or stop.
 *
 * Thinking is restored like text, though it is signed: the client sends it back, it is masked by the same tokens, and
 * the signed text stands there again.
 */
import { parseJson } from '../../json-parse.ts'
import { asNumber, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import type { SseEvent, StreamTextPatcher, StreamTextRewriter } from '../format.ts'
import { TextWalk } from '../text-walk.ts'
import { eventOf } from './stream-event.ts'

interface Channel {
  readonly index: number
  readonly kind: 'text' | 'json'
  readonly deltaOf: (text: string) => JsonObject
}

/** The field of each delta that holds text. */
const FIELDS: ReadonlyMap<string, { readonly field: string; readonly kind: Channel['kind'] }> = new Map(
  Object.entries<{ readonly field: string; readonly kind: Channel['kind'] }>({
    text_delta: { field: 'text', kind: 'text' },
    thinking_delta: { field: 'thinking', kind: 'text' },
    input_json_delta: { field: 'partial_json', kind: 'json' },
  }),
)

export class MessagesStreamTextPatcher implements StreamTextPatcher {
  readonly #rewriter: StreamTextRewriter
  readonly #channels = new Map<string, Channel>()
  #leaves = 0

  constructor(rewriter: StreamTextRewriter) {
    this.#rewriter = rewriter
  }

  push(event: SseEvent): SseEvent[] {
    const document = parseObject(event.data)
    if (document === undefined) return [...this.end(), event]
    const index = asNumber(document.index) ?? 0
    switch (document.type) {
      case 'ping':
        return [event]
      case 'content_block_start':
        return [...this.#flush(index), this.#start(event, document)]
      case 'content_block_delta':
        return this.#delta(event, document, index)
      case 'content_block_stop':
        return [...this.#flush(index), event]
      case 'message_delta':
        return [...this.end(), this.#ending(event, document)]
      default: // the message's end, an error, or something unknown: nothing of ours may come after it
        return [...this.end(), event]
    }
  }

  end(): SseEvent[] {
    return this.#flush(undefined)
  }

  #delta(event: SseEvent, document: JsonObject, index: number): SseEvent[] {
    const delta = asObject(document.delta) ?? {}
    const type = asString(delta.type) ?? ''
    const known = FIELDS.get(type)
    if (known === undefined) return type === 'signature_delta' ? [...this.#flush(index), event] : [event]
    const text = asString(delta[known.field])
    if (!text) return [event]
    const channel = `${index}:${known.field}`
    const { field, kind } = known
    if (!this.#channels.has(channel)) {
      this.#channels.set(channel, { index, kind, deltaOf: (held) => ({ type, [field]: held }) })
    }
    const rewritten = this.#rewriter.push(channel, kind, text)
    if (rewritten === text) return [event]
    delta[field] = rewritten
    return [{ ...event, data: JSON.stringify(document) }]
  }

  /** Input or text that stands whole in a block's start. What follows in deltas continues the text, so it is its beginning. */
  #start(event: SseEvent, document: JsonObject): SseEvent {
    const block = asObject(document.content_block)
    if (block === undefined) return event
    const walk = new TextWalk((span) => this.#whole(span.text))
    const place = { scope: 'message', role: 'assistant' } as const
    walk.text(block, 'text', place)
    walk.text(block, 'thinking', place)
    if (isJsonObject(block.input)) walk.values(block, 'input', place)
    return walk.changed ? { ...event, data: JSON.stringify(document) } : event
  }

  /** With the client's own stop sequence, which was masked. */
  #ending(event: SseEvent, document: JsonObject): SseEvent {
    const walk = new TextWalk((span) => this.#whole(span.text))
    walk.text(asObject(document.delta) ?? {}, 'stop_sequence', { scope: 'message', role: 'assistant' })
    return walk.changed ? { ...event, data: JSON.stringify(document) } : event
  }

  #whole(text: string): string {
    const channel = `whole:${this.#leaves++}`
    return this.#rewriter.push(channel, 'text', text) + this.#rewriter.flush(channel)
  }

  /** What is held back for one block, or for all. */
  #flush(index: number | undefined): SseEvent[] {
    const events: SseEvent[] = []
    for (const [name, channel] of this.#channels) {
      if (index !== undefined && channel.index !== index) continue
      this.#channels.delete(name)
      const held = this.#rewriter.flush(name)
      if (held === '') continue
      events.push(eventOf('content_block_delta', { index: channel.index, delta: channel.deltaOf(held) }))
    }
    return events
  }
}

function parseObject(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

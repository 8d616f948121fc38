/**
 * Rewrites the texts inside the events of a messages stream. A channel is one text of one block: its text, its thinking
 * or its tool input. What the rewriter holds back goes out in a delta of its own before the block's signature or stop.
 * What stands whole in an event (a citation, the results of a vendor's tool) is rewritten there.
 *
 * Thinking is restored like text, though it is signed: the client sends it back, it is masked by the same tokens, and
 * the signed text stands there again.
 */
import { parseJson } from '../../json-parse.ts'
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import type { SseEvent, StreamTextPatcher, StreamTextRewriter } from '../format.ts'
import { ASSISTANT } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'
import { wholeTextWalk } from '../whole-text.ts'
import { visitBlock } from './block-text.ts'
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

const DELTA_FIELDS: ReadonlySet<string> = new Set(['type'])

export class MessagesStreamTextPatcher implements StreamTextPatcher {
  readonly #rewriter: StreamTextRewriter
  readonly #channels = new Map<string, Channel>()

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
    if (type === 'signature_delta') return [...this.#flush(index), event]
    // A citation, a compaction: they come whole.
    if (known === undefined)
      return [this.#whole(event, document, (walk) => walk.others(delta, DELTA_FIELDS, ASSISTANT))]
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

  /** What stands whole in a block's start. What follows in deltas continues a text, so it is its beginning. */
  #start(event: SseEvent, document: JsonObject): SseEvent {
    return this.#whole(event, document, (walk) => visitBlock(asObject(document.content_block) ?? {}, ASSISTANT, walk))
  }

  /** With the client's own stop sequence, which was masked. */
  #ending(event: SseEvent, document: JsonObject): SseEvent {
    return this.#whole(event, document, (walk) => walk.text(asObject(document.delta) ?? {}, 'stop_sequence', ASSISTANT))
  }

  /** The event, anew where `visit` changes a text of its document. */
  #whole(event: SseEvent, document: JsonObject, visit: (walk: TextWalk) => void): SseEvent {
    const walk = wholeTextWalk(this.#rewriter)
    visit(walk)
    return walk.changed ? { ...event, data: JSON.stringify(document) } : event
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

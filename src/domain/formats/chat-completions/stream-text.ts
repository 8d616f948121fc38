/**
 * Rewrites the texts inside the events of a chat-completions stream. A channel is one text of one choice that the
 * client puts together: content, reasoning, refusal, or the arguments of one tool call. What the rewriter holds back
 * at a choice's finish is put into the finishing chunk where it holds a piece of the same text, else into a chunk of
 * its own before it, shaped like its neighbours.
 */
import { parseJson } from '../../json-parse.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import type { SseEvent, StreamTextPatcher, StreamTextRewriter } from '../format.ts'
import { wholeTextWalk } from '../whole-text.ts'
import { eachSlot, type Slot } from './delta-slots.ts'
import { streamErrorOf } from './errors.ts'
import { RepeatedChunk } from './repeated-chunk.ts'
import { visitBeside } from './result-text.ts'
import { ToolCallKeys } from './tool-call-keys.ts'

interface Channel {
  readonly choice: number
  /** A delta that carries `text` on this channel. */
  readonly deltaOf: (text: string) => JsonObject
}

export class ChatStreamTextPatcher implements StreamTextPatcher {
  readonly #rewriter: StreamTextRewriter
  /** By choice, then by name: a choice's finish must not cost what all others hold. */
  readonly #channels = new Map<number, Map<string, Channel>>()
  readonly #toolKeys = new Map<number, ToolCallKeys>()
  #lastChunk: JsonObject = {}
  readonly #repeated = new RepeatedChunk()
  /** What was learned of: the chunk and its only channel. */
  #learned: { readonly chunk: JsonObject; readonly choice: number; readonly channel: string } | undefined

  constructor(rewriter: StreamTextRewriter) {
    this.#rewriter = rewriter
  }

  push(event: SseEvent): SseEvent[] {
    const repeated = this.#repeat(event)
    if (repeated !== undefined) return [repeated]
    const chunk = parseObject(event.data)
    // The end mark, an error or what is no chunk at all: nothing of ours may come after it.
    if (chunk === undefined || streamErrorOf(event, chunk) !== undefined) return [...this.end(), event]
    if (Array.isArray(chunk.choices) && chunk.choices.length > 0) this.#lastChunk = chunk
    const isFirst = this.#channels.size === 0
    const before: SseEvent[] = []
    const walk = wholeTextWalk(this.#rewriter)
    visitBeside(chunk, walk)
    let { changed } = walk
    for (const choice of asArray(chunk.choices)) {
      if (isJsonObject(choice) && this.#choice(choice, before)) changed = true
    }
    if (changed) return [...before, { ...event, data: JSON.stringify(chunk) }]
    // The first chunk of a text may have fields that no other has, and one without a text says nothing of those with one.
    if (!isFirst) this.#learn(event, chunk)
    return [...before, event]
  }

  /** The event, rewritten, where it is the last one with another text: most of them, and without parsing it. */
  #repeat(event: SseEvent): SseEvent | undefined {
    const learned = this.#learned
    if (learned === undefined || this.#channels.get(learned.choice)?.has(learned.channel) !== true) return undefined
    const text = this.#repeated.textOf(event)
    if (text === undefined) return undefined
    this.#lastChunk = learned.chunk
    const rewritten = this.#rewriter.push(learned.channel, 'text', text)
    return rewritten === text ? event : { ...event, data: this.#repeated.withText(rewritten) }
  }

  #learn(event: SseEvent, chunk: JsonObject): void {
    const choice = asObject(asArray(chunk.choices)[0]) ?? {}
    if (asString(choice.finish_reason) || !saysContentOnly(asObject(choice.delta) ?? {})) return
    const index = asNumber(choice.index) ?? 0
    if (this.#repeated.learn(event, chunk, index)) this.#learned = { chunk, choice: index, channel: `${index}:content` }
  }

  end(): SseEvent[] {
    return [...this.#channels.keys()].flatMap((choice) => this.#flush(choice))
  }

  /** Rewrites one choice of a chunk in place; what must go out before the chunk is added to `before`. */
  #choice(choice: JsonObject, before: SseEvent[]): boolean {
    const index = asNumber(choice.index) ?? 0
    const delta = asObject(choice.delta) ?? asObject(choice.message) ?? {}
    const finishes = Boolean(asString(choice.finish_reason))
    const last = new Map<string, Slot>()
    let changed = false
    eachSlot(delta, index, this.#keysOf(index), (slot) => {
      if (finishes) last.set(slot.channel, slot)
      if (this.#rewrite(slot, index)) changed = true
    })
    if (!finishes) return changed
    for (const slot of last.values()) if (this.#flushInto(slot, index)) changed = true
    for (const event of this.#flush(index)) before.push(event)
    return changed
  }

  #keysOf(choice: number): ToolCallKeys {
    const known = this.#toolKeys.get(choice) ?? new ToolCallKeys()
    this.#toolKeys.set(choice, known)
    return known
  }

  #rewrite(slot: Slot, choice: number): boolean {
    const { holder, field, channel, kind, text, deltaOf } = slot
    const channels = this.#channels.get(choice) ?? new Map<string, Channel>()
    this.#channels.set(choice, channels)
    if (!channels.has(channel)) channels.set(channel, { choice, deltaOf })
    const rewritten = this.#rewriter.push(channel, kind, text)
    holder[field] = rewritten
    return rewritten !== text
  }

  #flushInto({ holder, field, channel }: Slot, choice: number): boolean {
    this.#channels.get(choice)?.delete(channel)
    const held = this.#rewriter.flush(channel)
    holder[field] = `${asString(holder[field]) ?? ''}${held}`
    return held !== ''
  }

  #flush(choice: number): SseEvent[] {
    const events: SseEvent[] = []
    const channels = this.#channels.get(choice) ?? []
    this.#channels.delete(choice)
    for (const [name, channel] of channels) {
      const held = this.#rewriter.flush(name)
      if (held !== '') events.push(this.#chunkOf(channel, held))
    }
    return events
  }

  #chunkOf({ choice, deltaOf }: Channel, text: string): SseEvent {
    const { choices: _choices, usage: _usage, x_groq: _groq, ...envelope } = this.#lastChunk
    const choices = [{ index: choice, delta: deltaOf(text), finish_reason: null }]
    return { data: JSON.stringify({ ...envelope, choices }) }
  }
}

/** Whether `content`, and no other field of a delta, holds a text. */
function saysContentOnly(delta: JsonObject): boolean {
  for (const field in delta) if (field !== 'content' && field !== 'role' && delta[field] !== null) return false
  return delta.content !== ''
}

function parseObject(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

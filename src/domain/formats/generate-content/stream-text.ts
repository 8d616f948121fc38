/**
 * Rewrites the texts inside the events of a generate-content stream. The texts and the thoughts of a candidate are one
 * channel each, for as long as no part of another kind comes between: what the rewriter holds back then is put into a part
 * before that one, at the finish into the last text of the finishing event. Function calls, other parts and the
 * sources of the answer come whole: of their strings nothing is held back.
 */
import { parseJson } from '../../json-parse.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { SseEvent, StreamTextPatcher, StreamTextRewriter } from '../format.ts'
import { ASSISTANT } from '../text-walk.ts'
import { wholeTextWalk } from '../whole-text.ts'
import { visitPart } from './part-text.ts'
import { visitSources } from './result-text.ts'

type Kind = 'text' | 'thought'

export class GenerateContentStreamTextPatcher implements StreamTextPatcher {
  readonly #rewriter: StreamTextRewriter
  /** The open channel of each candidate. */
  readonly #open = new Map<number, Kind>()
  #lastChunk: JsonObject = {}

  constructor(rewriter: StreamTextRewriter) {
    this.#rewriter = rewriter
  }

  push(event: SseEvent): SseEvent[] {
    const chunk = parseObject(event.data)
    // An error or what is no response at all: nothing of ours may come after it.
    if (chunk === undefined || chunk.error) return [...this.end(), event]
    if (Array.isArray(chunk.candidates)) this.#lastChunk = chunk
    let changed = false
    for (const [position, candidate] of asArray(chunk.candidates).entries()) {
      if (isJsonObject(candidate) && this.#candidate(candidate, asNumber(candidate.index) ?? position)) changed = true
    }
    return [changed ? { ...event, data: JSON.stringify(chunk) } : event]
  }

  end(): SseEvent[] {
    const events: SseEvent[] = []
    for (const index of this.#open.keys()) {
      const part = this.#flush(index)
      if (part !== undefined) events.push(this.#chunkOf(index, part))
    }
    return events
  }

  /** Rewrites one candidate of a chunk in place. @returns whether anything was changed. */
  #candidate(candidate: JsonObject, index: number): boolean {
    const walk = wholeTextWalk(this.#rewriter)
    visitSources(candidate, walk)
    return this.#content(candidate, index) || walk.changed
  }

  #content(candidate: JsonObject, index: number): boolean {
    const content = asObject(candidate.content)
    const before = asArray(content?.parts)
    let parts: JsonValue[] = []
    let changed = false
    for (const part of before) {
      const rewritten = isJsonObject(part) ? this.#part(part, index, parts) : false
      parts.push(part)
      if (rewritten) changed = true
    }
    if (asString(candidate.finishReason)) {
      const rest = this.#flush(index)
      if (rest !== undefined) parts = withRest(parts, rest)
      if (rest !== undefined) changed = true
    }
    if (!changed) return false
    candidate.content = { role: 'model', ...content, parts }
    return true
  }

  /** Rewrites one part in place; what must stand before it is added to `parts`. */
  #part(part: JsonObject, index: number, parts: JsonValue[]): boolean {
    const kind = kindOf(part)
    let changed = false
    const open = this.#open.get(index)
    if (open !== undefined && open !== kind) {
      const held = this.#flush(index)
      if (held !== undefined) parts.push(held)
      changed = held !== undefined
    }
    return (kind === undefined ? this.#whole(part) : this.#text(part, index, kind)) || changed
  }

  #text(part: JsonObject, index: number, kind: Kind): boolean {
    const text = asString(part.text) ?? ''
    if (text === '') return false
    this.#open.set(index, kind)
    const rewritten = this.#rewriter.push(channelOf(index, kind), 'text', text)
    part.text = rewritten
    return rewritten !== text
  }

  #whole(part: JsonObject): boolean {
    const walk = wholeTextWalk(this.#rewriter)
    visitPart(part, ASSISTANT, walk)
    return walk.changed
  }

  /** Closes the candidate's channel: what was held back, as a part. */
  #flush(index: number): JsonObject | undefined {
    const kind = this.#open.get(index)
    if (kind === undefined) return undefined
    this.#open.delete(index)
    const text = this.#rewriter.flush(channelOf(index, kind))
    if (text === '') return undefined
    return kind === 'thought' ? { text, thought: true } : { text }
  }

  #chunkOf(index: number, part: JsonObject): SseEvent {
    const { candidates: _candidates, usageMetadata: _usage, ...envelope } = this.#lastChunk
    return { data: JSON.stringify({ candidates: [{ index, content: { role: 'model', parts: [part] } }], ...envelope }) }
  }
}

function channelOf(index: number, kind: Kind): string {
  return `${index}:${kind}`
}

function kindOf(part: JsonObject): Kind | undefined {
  if (typeof part.text !== 'string') return undefined
  return part.thought === true ? 'thought' : 'text'
}

/** The rest of a text behind its last piece where that is the last part, else in a part of its own. */
function withRest(parts: readonly JsonValue[], rest: JsonObject): JsonValue[] {
  const last = asObject(parts.at(-1))
  if (last === undefined || kindOf(last) !== kindOf(rest)) return [...parts, rest]
  return [...parts.slice(0, -1), { ...last, text: `${asString(last.text)}${asString(rest.text)}` }]
}

function parseObject(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

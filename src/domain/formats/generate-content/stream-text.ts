/**
 * Rewrites the texts inside the events of a generate-content stream. The texts and the thoughts of a candidate are one
 * channel each, as clients join them, whichever comes between; before a part of another kind what the rewriter holds back is
 * put into parts of its own, at the finish into the last text of the finishing event. Function calls, other parts and the
 * sources of the answer come whole: of their strings nothing is held back.
 */
import { parseJson } from '../../json-parse.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { SseEvent, StreamTextPatcher, StreamTextRewriter } from '../format.ts'
import { ASSISTANT } from '../text-place.ts'
import { wholeTextWalk } from '../whole-text.ts'
import { visitPart } from './part-text.ts'
import { visitSources } from './result-text.ts'

type Kind = 'text' | 'thought'

export class GenerateContentStreamTextPatcher implements StreamTextPatcher {
  readonly #rewriter: StreamTextRewriter
  /** The open channels of each candidate. */
  readonly #open = new Map<number, Set<Kind>>()
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
      const parts = this.#flush(index)
      if (parts.length > 0) events.push(this.#chunkOf(index, parts))
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
      parts = withRest(parts, rest)
      if (rest.length > 0) changed = true
    }
    if (!changed) return false
    candidate.content = { role: 'model', ...content, parts }
    return true
  }

  /** Rewrites one part in place; what must stand before it is added to `parts`. */
  #part(part: JsonObject, index: number, parts: JsonValue[]): boolean {
    const kind = kindOf(part)
    if (kind !== undefined) return this.#text(part, index, kind)
    const held = this.#flush(index)
    for (const text of held) parts.push(text)
    return this.#whole(part) || held.length > 0
  }

  #text(part: JsonObject, index: number, kind: Kind): boolean {
    const text = asString(part.text) ?? ''
    if (text === '') return false
    this.#open.set(index, (this.#open.get(index) ?? new Set<Kind>()).add(kind))
    const rewritten = this.#rewriter.push(channelOf(index, kind), 'text', text)
    part.text = rewritten
    return rewritten !== text
  }

  #whole(part: JsonObject): boolean {
    const walk = wholeTextWalk(this.#rewriter)
    visitPart(part, ASSISTANT, walk)
    return walk.changed
  }

  /** Closes the candidate's channels: what was held back, as parts. */
  #flush(index: number): JsonObject[] {
    const parts: JsonObject[] = []
    for (const kind of this.#open.get(index) ?? []) {
      const text = this.#rewriter.flush(channelOf(index, kind))
      if (text !== '') parts.push(kind === 'thought' ? { text, thought: true } : { text })
    }
    this.#open.delete(index)
    return parts
  }

  #chunkOf(index: number, parts: readonly JsonObject[]): SseEvent {
    const { candidates: _candidates, usageMetadata: _usage, ...envelope } = this.#lastChunk
    return {
      data: JSON.stringify({ candidates: [{ index, content: { role: 'model', parts: [...parts] } }], ...envelope }),
    }
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
function withRest(parts: readonly JsonValue[], rest: readonly JsonObject[]): JsonValue[] {
  const last = asObject(parts.at(-1))
  const same = rest.find((part) => last !== undefined && kindOf(last) === kindOf(part))
  const others = rest.filter((part) => part !== same)
  if (last === undefined || same === undefined) return [...parts, ...others]
  return [...parts.slice(0, -1), { ...last, text: `${asString(last.text)}${asString(same.text)}` }, ...others]
}

function parseObject(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

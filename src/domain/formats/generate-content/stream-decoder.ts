/**
 * A provider's generate-content stream -> neutral parts. Every event is a whole response document with the next pieces of
 * each candidate; function calls come whole; usage comes in every event, the last one counts. There is no end mark: a
 * stream whose candidates have not all said why they finished was cut, and says so by an `error` part. Older models say
 * `STOP` in every event, so that a finish counts only when nothing more comes: at the stream's end, or, unless it is
 * said in every event, some time after it where the body does not end.
 */
import type { Finish, Usage } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { COMPLETE_ENDS_AFTER_MS, LIKELY_COMPLETE_ENDS_AFTER_MS, type SseEvent, type StreamDecoder } from '../format.ts'
import { ownCandidateFields } from '../unmodelled-answer.ts'
import { readAnswerPart, type AnswerPart } from './answer-part.ts'
import { parseError } from './errors.ts'
import { blockedFinish, parseFinish } from './finish.ts'
import { madeUpId } from '../made-up-id.ts'
import { usageAfter } from '../usage-counts.ts'
import { parseUsage } from './usage.ts'
import { shortName } from '../fields.ts'
import { cutStream, documentIn, malformedEvent, reportedError } from '../stream-fault.ts'

/** More candidates than any request can ask for; bounds what a provider gone mad makes us keep. */
const MAX_STREAM_CANDIDATES = 256

export class GenerateContentStreamDecoder implements StreamDecoder {
  readonly #candidates = new Map<number, CandidateBlocks>()
  #started = false
  #responseId = ''
  /** Something came without a finish: this vendor does not say `STOP` in every event. */
  #isSparing = false
  /** A candidate said again why it finished. */
  #isRepeating = false
  /** Candidates without a finish. */
  #unfinished = 0
  /** What was told last. */
  #usage: Usage | undefined
  /** Failed or over: nothing more is read. */
  #ended = false

  push(event: SseEvent): StreamPart[] {
    if (this.#ended || event.data === '') return []
    const chunk = documentIn(event.data)
    if (chunk === undefined) return this.#fail(malformedEvent())
    if (event.event === 'error' || chunk.error) return this.#fail(reportedError(parseError(chunk), chunk))
    const parts: StreamPart[] = []
    this.#start(chunk, parts)
    for (const [position, candidate] of asArray(chunk.candidates).entries()) {
      if (isJsonObject(candidate)) this.#candidate(candidate, position, parts)
    }
    this.#blocked(chunk)
    this.#count(chunk, parts)
    return parts
  }

  end(): StreamPart[] {
    if (this.#ended) return []
    this.#ended = true
    if (!this.#isComplete) return [cutStream()]
    return [...this.#candidates.values()].flatMap((one) => one.end())
  }

  #count({ usageMetadata }: JsonObject, parts: StreamPart[]): void {
    const told = parseUsage(usageMetadata)
    const usage = told && usageAfter(this.#usage, told)
    if (usage === undefined) return
    this.#usage = usage
    parts.push({ type: 'usage', usage })
  }

  get endsAfterMs(): number {
    if (!this.#isComplete) return Infinity
    if (this.#isSparing) return COMPLETE_ENDS_AFTER_MS
    return this.#isRepeating ? Infinity : LIKELY_COMPLETE_ENDS_AFTER_MS
  }

  get #isComplete(): boolean {
    return this.#unfinished === 0 && this.#candidates.size > 0
  }

  #start(chunk: JsonObject, parts: StreamPart[]): void {
    if (this.#started) return
    this.#started = true
    this.#responseId = shortName(chunk.responseId)
    parts.push({ type: 'response-start', id: this.#responseId, model: shortName(chunk.modelVersion) })
  }

  #candidate(candidate: JsonObject, position: number, parts: StreamPart[]): void {
    const state = this.#stateOf(asNumber(candidate.index) ?? position)
    if (state === undefined) return
    for (const part of asArray(asObject(candidate.content)?.parts)) {
      if (isJsonObject(part)) state.push(readAnswerPart(part), part, parts)
    }
    for (const name of ownCandidateFields(candidate)) state.push({ type: 'unknown', name }, candidate, parts)
    const raw = asString(candidate.finishReason)
    if (raw) this.#finish(state, parseFinish(raw, state.hasCalls))
    else this.#isSparing = true
  }

  #finish(state: CandidateBlocks, finish: Finish): void {
    if (state.finish === undefined) this.#unfinished -= 1
    else this.#isRepeating = true
    state.finish = finish
  }

  #stateOf(index: number): CandidateBlocks | undefined {
    const known = this.#candidates.get(index)
    if (known !== undefined || this.#candidates.size >= MAX_STREAM_CANDIDATES) return known
    const state = new CandidateBlocks(index, this.#responseId)
    this.#candidates.set(index, state)
    this.#unfinished += 1
    return state
  }

  /** The prompt was refused: there will be no candidate. */
  #blocked(chunk: JsonObject): void {
    const reason = asString(asObject(chunk.promptFeedback)?.blockReason)
    if (reason === undefined || this.#candidates.size > 0) return
    const state = this.#stateOf(0)
    if (state !== undefined) this.#finish(state, blockedFinish(reason))
  }

  #fail(fault: StreamPart): StreamPart[] {
    this.#ended = true
    return [fault]
  }
}

/** The blocks of one candidate. Texts of one kind in a row are one block; a call is a block of its own. */
class CandidateBlocks {
  /** The last reason given. */
  finish: Finish | undefined
  readonly #choice: number
  readonly #responseId: string
  #open: { readonly id: string; readonly type: 'text' | 'reasoning'; signature: string | undefined } | undefined
  #blocks = 0
  #calls = 0

  constructor(choice: number, responseId: string) {
    this.#choice = choice
    this.#responseId = responseId
  }

  push(part: AnswerPart, raw: JsonValue, parts: StreamPart[]): void {
    switch (part.type) {
      case 'text':
        return this.#text('text', part.text, undefined, parts)
      case 'thought':
        return this.#text('reasoning', part.text, part.signature, parts)
      case 'call':
        return this.#call(part, parts)
      case 'unknown':
        parts.push({ type: 'unknown', choice: this.#choice, name: part.name, raw })
    }
  }

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  /** Nothing more comes. */
  end(): StreamPart[] {
    const parts: StreamPart[] = []
    this.#close(parts)
    if (this.finish !== undefined) parts.push({ type: 'finish', choice: this.#choice, finish: this.finish })
    return parts
  }

  #text(type: 'text' | 'reasoning', delta: string, signature: string | undefined, parts: StreamPart[]): void {
    if (delta === '' && signature === undefined) return
    const choice = this.#choice
    // A signature ends its thought: what follows is another one.
    if (this.#open?.type !== type || this.#open.signature !== undefined) {
      this.#close(parts)
      this.#open = { id: this.#nextId(), type, signature: undefined }
      parts.push({ type: `${type}-start`, choice, id: this.#open.id })
    }
    this.#open.signature = signature
    if (delta !== '') parts.push({ type: `${type}-delta`, choice, id: this.#open.id, delta })
  }

  #call(call: Extract<AnswerPart, { type: 'call' }>, parts: StreamPart[]): void {
    this.#close(parts)
    const { name, signature, arguments: delta } = call
    const choice = this.#choice
    const toolCallId = call.id ?? madeUpId(this.#responseId, choice, this.#calls, name, delta)
    this.#calls += 1
    const id = this.#nextId()
    const start = { type: 'tool-input-start', choice, id, toolCallId, toolName: name } as const
    parts.push(signature === undefined ? start : { ...start, signature })
    parts.push({ type: 'tool-input-delta', choice, id, delta }, { type: 'tool-input-end', choice, id })
  }

  #close(parts: StreamPart[]): void {
    if (this.#open === undefined) return
    const { id, type, signature } = this.#open
    const choice = this.#choice
    if (type === 'text' || signature === undefined) parts.push({ type: `${type}-end`, choice, id })
    else parts.push({ type: 'reasoning-end', choice, id, signature })
    this.#open = undefined
  }

  #nextId(): string {
    this.#blocks += 1
    return `${this.#choice}-${this.#blocks - 1}`
  }
}

/**
 * A provider's chat-completions stream -> neutral parts. Strict about nothing but the end: a stream that stops without
 * a finish reason or `[DONE]` was cut, and says so by an `error` part.
 */
import { isCut, type Usage } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { LATE_CONTENT, LIKELY_COMPLETE_ENDS_AFTER_MS, type SseEvent, type StreamDecoder } from '../format.ts'
import { seedOf } from '../made-up-id.ts'
import { ownMessageFields } from '../unmodelled-answer.ts'
import { readContent, readReasoning } from './answer-content.ts'
import { parseError, streamErrorOf } from './errors.ts'
import { parseFinish } from './finish.ts'
import { RepeatedChunk } from './repeated-chunk.ts'
import { ChoiceBlocks } from './stream-blocks.ts'
import { usageAfter } from '../usage-counts.ts'
import { parseUsage } from './usage.ts'
import { shortName } from '../fields.ts'
import { cutStream, documentIn, malformedEvent, reportedError } from '../stream-fault.ts'

/** Data of the event that ends a stream. */
export const DONE = '[DONE]'

/** More choices than any request can ask for; bounds what a provider gone mad makes us keep. */
const MAX_STREAM_CHOICES = 256

interface ChoiceState {
  readonly blocks: ChoiceBlocks
  finished: boolean
}

export class ChatStreamDecoder implements StreamDecoder {
  readonly #choices = new Map<number, ChoiceState>()
  #started = false
  /** Complete or failed: nothing more is read. */
  #ended = false
  /** For ids that are made up. */
  #seed = ''
  endsAfterMs = Infinity
  /** What was told last. */
  #usage: Usage | undefined
  readonly #repeated = new RepeatedChunk()

  get holdsBack(): boolean {
    for (const { blocks } of this.#choices.values()) if (blocks.holdsBack) return true
    return false
  }

  push(event: SseEvent): StreamPart[] {
    if (this.#ended || event.data === '') return []
    if (isDone(event)) return this.#done()
    const repeated = this.#repeats(event)
    if (repeated !== undefined) return [repeated]
    const chunk = documentIn(event.data)
    if (chunk === undefined) return this.#fail(malformedEvent())
    const error = streamErrorOf(event, chunk)
    if (error !== undefined) return this.#fail(reportedError(parseError(error), error))
    if (event.event === 'ping') return [{ type: 'ping' }]
    const parts: StreamPart[] = []
    this.#chunk(chunk, parts)
    this.#learn(event, chunk, parts)
    return parts
  }

  end(): StreamPart[] {
    if (this.#ended) return []
    this.#ended = true
    if (this.#isComplete()) return []
    return [cutStream()]
  }

  #isComplete(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every((choice) => choice.finished)
  }

  /** The delta of an event that is the last one with another text. */
  #repeats(event: SseEvent): StreamPart | undefined {
    const text = this.#repeated.textOf(event)
    const state = text === undefined ? undefined : this.#choices.get(this.#repeated.choice)
    if (text === undefined || state === undefined || state.finished) return undefined
    return state.blocks.textDelta(text)
  }

  #learn(event: SseEvent, chunk: JsonObject, parts: readonly StreamPart[]): void {
    const [only] = parts
    if (parts.length === 1 && only?.type === 'text-delta') this.#repeated.learn(event, chunk, only.choice)
  }

  #chunk(chunk: JsonObject, parts: StreamPart[]): void {
    const told = usageOf(chunk)
    const choices = asArray(chunk.choices).filter(isJsonObject)
    if (choices.length === 0 && told === undefined && !Array.isArray(chunk.choices)) {
      parts.push({ type: 'unknown', name: asString(chunk.object) ?? 'chunk', raw: chunk })
      return
    }
    this.#start(chunk, choices.length > 0 || told !== undefined, parts)
    for (const choice of choices) this.#choice(choice, parts)
    if (told === undefined) return
    if (this.#isComplete()) this.endsAfterMs = LIKELY_COMPLETE_ENDS_AFTER_MS
    const usage = usageAfter(this.#usage, told)
    if (usage === undefined) return
    this.#usage = usage
    parts.push({ type: 'usage', usage })
  }

  /** Azure sends a first chunk with filter results and neither id nor choices: the answer has not begun with it. */
  #start(chunk: JsonObject, mustStart: boolean, parts: StreamPart[]): void {
    const id = shortName(chunk.id)
    if (this.#started || (id === '' && !mustStart)) return
    this.#started = true
    const created = asNumber(chunk.created)
    this.#seed = seedOf(id, created)
    const model = shortName(chunk.model)
    parts.push({ type: 'response-start', id, model, ...(created === undefined ? {} : { created }) })
  }

  #choice(choice: JsonObject, parts: StreamPart[]): void {
    const index = asNumber(choice.index) ?? 0
    const state = this.#stateOf(index)
    if (state === undefined) return
    // Some servers send a whole `message` where others send a delta.
    const delta = asObject(choice.delta) ?? asObject(choice.message)
    if (state.finished) return pushLate(delta ?? {}, index, parts)
    if (delta !== undefined) pushDelta(delta, index, state.blocks, parts)
    const raw = asString(choice.finish_reason)
    if (raw) endChoice(index, state, raw, parts)
  }

  #stateOf(index: number): ChoiceState | undefined {
    const known = this.#choices.get(index)
    if (known !== undefined || this.#choices.size >= MAX_STREAM_CHOICES) return known
    const state = { blocks: new ChoiceBlocks(index, this.#seed), finished: false }
    this.#choices.set(index, state)
    this.endsAfterMs = Infinity
    return state
  }

  /** The end mark: choices whose finish reason never came have ended by it. */
  #done(): StreamPart[] {
    if (this.#choices.size === 0) return this.end()
    const parts: StreamPart[] = []
    for (const [index, state] of this.#choices) if (!state.finished) endChoice(index, state, undefined, parts)
    this.#ended = true
    this.endsAfterMs = 0
    // What had waited for the end was counted in it: what comes after usage is taken for not counted yet.
    if (this.#usage !== undefined && parts.length > 0) parts.push({ type: 'usage', usage: this.#usage })
    return parts
  }

  #fail(fault: StreamPart): StreamPart[] {
    this.#ended = true
    return [fault]
  }
}

/** Whether it is the end mark. Some servers have white space behind it. */
export function isDone({ data }: SseEvent): boolean {
  return data.slice(0, DONE.length) === DONE
}

/** Usage of the chunk; Groq's and Moonshot's older places for it. Null in all chunks but the last is normal. */
function usageOf(chunk: JsonObject): Usage | undefined {
  const inChoice = asObject(asArray(chunk.choices)[0])?.usage
  return parseUsage(chunk.usage ?? asObject(chunk.x_groq)?.usage ?? inChoice)
}

function pushDelta(delta: JsonObject, choice: number, blocks: ChoiceBlocks, parts: StreamPart[]): void {
  const { text, thinking } = readContent(delta.content)
  blocks.pushText('reasoning', readReasoning(delta) + thinking, parts)
  blocks.pushText('text', text, parts)
  const refusal = asString(delta.refusal)
  if (refusal) parts.push({ type: 'refusal-delta', choice, delta: refusal })
  for (const name of ownMessageFields(delta)) {
    const raw = delta[name] ?? null
    const own = { type: 'unknown', choice, name, raw } as const
    parts.push(name === 'audio' ? { ...own, generated: soundOf(raw) } : own)
  }
  for (const piece of asArray(delta.tool_calls)) {
    if (!isJsonObject(piece)) continue
    // A custom tool's input is no JSON: other formats have no such call.
    if (isJsonObject(piece.custom)) {
      const generated = { text: asString(piece.custom.input) ?? '' }
      parts.push({ type: 'unknown', choice, name: 'custom', raw: piece, generated })
    } else blocks.pushTool(piece, asObject(piece.function) ?? {}, parts)
  }
  const legacy = asObject(delta.function_call)
  if (legacy !== undefined) blocks.pushTool({ index: 0 }, legacy, parts)
}

/** What comes after the finish is no part of the answer; a client of this format gets it all the same, so it is counted. */
function pushLate(delta: JsonObject, choice: number, parts: StreamPart[]): void {
  const late: StreamPart[] = []
  const blocks = new ChoiceBlocks(choice, '')
  pushDelta(delta, choice, blocks, late)
  blocks.finish(false, late)
  const text = late.map((part) => ('delta' in part ? part.delta : '')).join('')
  if (text !== '') parts.push({ type: 'unknown', name: LATE_CONTENT, raw: delta, generated: { text } })
  for (const part of late) if (part.type === 'unknown') parts.push(withoutChoice(part))
}

function withoutChoice({ choice: _choice, ...part }: Extract<StreamPart, { type: 'unknown' }>): StreamPart {
  return part
}

/** Sound in base64, and what it says. */
function soundOf(audio: JsonValue): { readonly text: string; readonly audioBytes: number } {
  const { data, transcript } = asObject(audio) ?? {}
  return { text: asString(transcript) ?? '', audioBytes: ((asString(data) ?? '').length * 3) / 4 }
}

function endChoice(index: number, state: ChoiceState, raw: string | undefined, parts: StreamPart[]): void {
  state.finished = true
  const finish = parseFinish(raw, state.blocks.hasToolCalls)
  state.blocks.finish(isCut(finish), parts)
  parts.push({ type: 'finish', choice: index, finish })
}

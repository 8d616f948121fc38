/**
 * A strict checker of generate-content streams, written from the vendor's reference and its SDKs, not from our encoder:
 * what it accepts, every client of that API can read, and the SDKs' chats remember.
 *
 *     response* last     each a GenerateContentResponse with the same modelVersion and responseId; last: every candidate
 *                        seen has its finishReason by then; or ends anywhere with one {error: {...}}
 */
import type { SseEvent } from '../../src/domain/formats/format.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts'

/** What a client puts together from an accepted stream. */
export interface ReadAnswer {
  readonly candidates: ReadonlyMap<number, ReadCandidate>
  readonly usage: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export interface ReadCandidate {
  text: string
  thoughts: string
  readonly signatures: string[]
  readonly calls: JsonObject[]
  finishReason: string | undefined
}

const FINISH_REASONS = new Set([
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
])
const STATUS_WORDS = new Set(['INVALID_ARGUMENT', 'RESOURCE_EXHAUSTED', 'INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'])
const RESPONSE_FIELDS = new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId'])
const CANDIDATE_FIELDS = new Set(['index', 'content', 'finishReason'])
const COUNTS = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
]

/** Reads the stream as a client does. @throws {Error} naming the first event that breaks the grammar. */
export function readGeminiStream(events: readonly SseEvent[]): ReadAnswer {
  const reader = new Reader()
  for (const [index, event] of events.entries()) {
    try {
      reader.read(event)
    } catch (cause) {
      throw new Error(`event ${index}: ${cause instanceof Error ? cause.message : ''}: ${event.data}`, { cause })
    }
  }
  return reader.end()
}

class Reader {
  readonly #candidates = new Map<number, ReadCandidate>()
  #usage: JsonObject | undefined
  #error: JsonObject | undefined
  #ids: string | undefined
  #usageEnded = false

  read(event: SseEvent): void {
    check(event.event === undefined, 'events have no name')
    check(this.#error === undefined, 'something comes after the error')
    check(!this.#usageEnded, 'something comes after the usage')
    const response = object(JSON.parse(event.data), 'the data')
    if (response['error'] !== undefined) return this.#readError(response)
    only(response, RESPONSE_FIELDS)
    const ids = `${text(response['modelVersion'], 'modelVersion')} ${text(response['responseId'], 'responseId')}`
    check((this.#ids ??= ids) === ids, 'modelVersion or responseId change')
    const candidates = list(response['candidates'], 'candidates')
    check(candidates.length > 0, 'no candidates')
    const seen = new Set<number>()
    for (const one of candidates) seen.add(this.#candidate(object(one, 'a candidate')))
    check(seen.size === candidates.length, 'a candidate comes twice in one event')
    if (response['usageMetadata'] !== undefined) this.#readUsage(object(response['usageMetadata'], 'usageMetadata'))
  }

  end(): ReadAnswer {
    const finished = [...this.#candidates.values()].every((one) => one.finishReason !== undefined)
    check(this.#error !== undefined || finished, 'the stream ends without a finish reason')
    return { candidates: this.#candidates, usage: this.#usage, error: this.#error }
  }

  #readError(response: JsonObject): void {
    only(response, new Set(['error']))
    const error = object(response['error'], 'error')
    const code = Number(error['code'])
    // The JavaScript SDK throws on codes of this range only.
    check(Number.isInteger(code) && code >= 400 && code < 600, 'the error has no code from 400 to 599')
    text(error['message'], 'error.message')
    check(STATUS_WORDS.has(text(error['status'], 'error.status')), 'an unknown status word')
    this.#error = error
  }

  #candidate(candidate: JsonObject): number {
    only(candidate, CANDIDATE_FIELDS)
    const index = candidate['index']
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) throw new Error('a candidate without index')
    const state = this.#candidates.get(index) ?? empty()
    this.#candidates.set(index, state)
    check(state.finishReason === undefined, 'a candidate goes on after its finish')
    const content = object(candidate['content'], 'content')
    check(content['role'] === 'model', 'the role is not model')
    const parts = list(content['parts'], 'parts')
    check(parts.length > 0, 'a content without parts')
    for (const part of parts) readPart(object(part, 'a part'), state)
    if (candidate['finishReason'] === undefined) return index
    const reason = text(candidate['finishReason'], 'finishReason')
    check(FINISH_REASONS.has(reason), 'an unknown finish reason')
    state.finishReason = reason
    return index
  }

  #readUsage(usage: JsonObject): void {
    only(usage, new Set(COUNTS))
    const count = (name: string): number => {
      const value = usage[name] ?? 0
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw new Error(`${name} is no count`)
      return value
    }
    const sum = count('promptTokenCount') + count('candidatesTokenCount') + count('thoughtsTokenCount')
    check(count('totalTokenCount') === sum, 'the total is not the sum')
    check(count('cachedContentTokenCount') <= count('promptTokenCount'), 'more cached than there was')
    this.#usage = usage
    this.#usageEnded = true
  }
}

function empty(): ReadCandidate {
  return { text: '', thoughts: '', signatures: [], calls: [], finishReason: undefined }
}

function readPart(part: JsonObject, state: ReadCandidate): void {
  if (part['thoughtSignature'] !== undefined) state.signatures.push(text(part['thoughtSignature'], 'thoughtSignature'))
  if (part['functionCall'] !== undefined) {
    only(part, new Set(['functionCall', 'thoughtSignature']))
    const call = object(part['functionCall'], 'functionCall')
    only(call, new Set(['id', 'name', 'args']))
    text(call['id'], 'functionCall.id')
    text(call['name'], 'functionCall.name')
    object(call['args'], 'functionCall.args')
    state.calls.push(call)
    return
  }
  only(part, new Set(['text', 'thought', 'thoughtSignature']))
  const said = part['text']
  if (typeof said !== 'string') throw new Error('a part without content')
  if (part['thought'] === undefined) state.text += said
  else check(part['thought'] === true, 'thought is not true')
  if (part['thought'] === true) state.thoughts += said
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

function only(object: JsonObject, known: ReadonlySet<string>): void {
  for (const field of Object.keys(object)) check(known.has(field), `the field ${field} is unknown here`)
}

function object(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${what} is no object`)
  return value
}

function list(value: JsonValue | undefined, what: string): JsonValue[] {
  if (!Array.isArray(value)) throw new Error(`${what} is no list`)
  return value
}

function text(value: JsonValue | undefined, what: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${what} is no text`)
  return value
}

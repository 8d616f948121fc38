/**
 * A strict checker of chat-completions streams, written from the vendor's reference and its SDKs, not from our encoder:
 * what it accepts, every client of that API can read.
 *
 *     chunk* usage? [DONE]     or ends anywhere with one {error: {...}}, which no [DONE] follows
 *     each choice: role, then deltas, then one finish_reason, then nothing
 *     each call: index, id, type and name once, at its beginning; then pieces of arguments under the same index
 */
import type { SseEvent } from '../../src/domain/formats/format.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts'

/** What a client puts together from an accepted stream. */
export interface ReadChat {
  readonly choices: ReadonlyMap<number, ReadChoice>
  readonly usage: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export interface ReadChoice {
  content: string
  reasoning: string
  refusal: string
  readonly calls: { readonly id: string; readonly name: string; arguments: string }[]
  finishReason: string | undefined
}

const FINISH_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter'])
const CHUNK_FIELDS = new Set(['id', 'object', 'created', 'model', 'choices', 'usage'])
const CHOICE_FIELDS = new Set(['index', 'delta', 'logprobs', 'finish_reason'])
const DELTA_FIELDS = new Set(['role', 'content', 'reasoning_content', 'refusal', 'tool_calls'])

/** Reads the stream as a client does. @throws {Error} naming the first event that breaks the grammar. */
export function readChatStream(events: readonly SseEvent[], options: { readonly usage: boolean }): ReadChat {
  const reader = new Reader(options.usage)
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
  readonly #asked: boolean
  readonly #choices = new Map<number, ReadChoice>()
  #identity: string | undefined
  #usage: JsonObject | undefined
  #error: JsonObject | undefined
  #done = false

  /** @param asked whether the client has asked for usage */
  constructor(asked: boolean) {
    this.#asked = asked
  }

  read(event: SseEvent): void {
    check(event.event === undefined, 'events have no name')
    check(!this.#done, 'something comes after [DONE]')
    check(this.#error === undefined, 'something comes after the error')
    if (event.data === '[DONE]') {
      this.#done = true
      return
    }
    const chunk = object(JSON.parse(event.data), 'the data')
    if (chunk['error'] !== undefined) return this.#readError(chunk)
    check(this.#usage === undefined, 'something comes after the usage')
    this.#chunk(chunk)
  }

  end(): ReadChat {
    check(this.#done || this.#error !== undefined, 'the stream ends with [DONE] or an error')
    if (this.#error === undefined) for (const choice of this.#choices.values()) checkWhole(choice)
    return { choices: this.#choices, usage: this.#usage, error: this.#error }
  }

  #readError(chunk: JsonObject): void {
    only(chunk, new Set(['error']))
    const error = object(chunk['error'], 'error')
    text(error['message'], 'error.message')
    text(error['type'], 'error.type')
    check('param' in error && 'code' in error, 'an error names param and code')
    this.#error = error
  }

  #chunk(chunk: JsonObject): void {
    only(chunk, CHUNK_FIELDS)
    check(chunk['object'] === 'chat.completion.chunk', 'object is chat.completion.chunk')
    const created = chunk['created']
    check(typeof created === 'number' && Number.isInteger(created), 'created is an integer')
    const identity = `${text(chunk['id'], 'id')} ${text(chunk['model'], 'model')} ${String(created)}`
    check((this.#identity ??= identity) === identity, 'id, model or created change')
    const choices = list(chunk['choices'], 'choices')
    for (const choice of choices) this.#choice(object(choice, 'a choice'))
    this.#readUsage(chunk, choices.length)
  }

  #readUsage(chunk: JsonObject, choices: number): void {
    if (!this.#asked) {
      check(!('usage' in chunk), 'usage was not asked for')
      check(choices > 0, 'a chunk without choices')
      return
    }
    if (choices > 0) return check(chunk['usage'] === null, 'usage is null before the last chunk')
    const usage = object(chunk['usage'], 'usage')
    const [prompt, completion, total] = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((field) =>
      count(usage[field], field),
    )
    check(total === (prompt ?? 0) + (completion ?? 0), 'the total is the sum')
    this.#usage = usage
  }

  #choice(choice: JsonObject): void {
    only(choice, CHOICE_FIELDS)
    const index = count(choice['index'], 'index')
    const delta = object(choice['delta'], 'delta')
    only(delta, DELTA_FIELDS)
    const known = this.#choices.get(index)
    check(
      (delta['role'] === 'assistant') === (known === undefined),
      'the role stands in the first delta and only there',
    )
    const state = known ?? { content: '', reasoning: '', refusal: '', calls: [], finishReason: undefined }
    this.#choices.set(index, state)
    check(state.finishReason === undefined, 'a choice goes on after its finish')
    readDelta(delta, state)
    const reason = choice['finish_reason']
    check(reason === null || FINISH_REASONS.has(text(reason, 'finish_reason')), 'an unknown finish reason')
    if (typeof reason === 'string') state.finishReason = reason
  }
}

function readDelta(delta: JsonObject, state: ReadChoice): void {
  for (const piece of delta['tool_calls'] === undefined ? [] : list(delta['tool_calls'], 'tool_calls'))
    readCall(object(piece, 'a call'), state)
  state.content += piece(delta, 'content')
  state.reasoning += piece(delta, 'reasoning_content')
  state.refusal += piece(delta, 'refusal')
}

function readCall(call: JsonObject, { calls }: ReadChoice): void {
  const index = count(call['index'], "a call's index")
  const called = object(call['function'], 'function')
  const known = calls[index]
  if (known !== undefined) {
    only(call, new Set(['index', 'function']))
    only(called, new Set(['arguments']))
    check(index === calls.length - 1, 'a call goes on after the next has begun')
    known.arguments += text(called['arguments'], 'arguments')
    return
  }
  check(index === calls.length, `the index is ${calls.length}`)
  check(call['type'] === 'function', 'the type is function')
  const id = text(call['id'], 'id')
  check(!calls.some((other) => other.id === id), "a call's id is its own")
  const args = called['arguments']
  check(typeof args === 'string', 'arguments are a string')
  calls.push({ id, name: text(called['name'], 'name'), arguments: String(args) })
}

function checkWhole({ finishReason, calls }: ReadChoice): void {
  check(finishReason !== undefined, 'a choice never finishes')
  const cut = finishReason === 'length' || finishReason === 'content_filter'
  check(cut || calls.length > 0 === (finishReason === 'tool_calls'), `${finishReason} fits ${calls.length} calls`)
  for (const call of calls) check(call.arguments !== '', 'arguments are never empty')
}

function piece(delta: JsonObject, field: string): string {
  const value = delta[field]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new Error(`${field} is no text`)
  return value
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(`expected otherwise: ${message}`)
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

function count(value: JsonValue | undefined, what: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw new Error(`${what} is no count`)
  return value
}

/**
 * A strict checker of the messages event grammar, written from the vendor's documentation and its SDK, not from our
 * encoder: what it accepts, every client of that API can read.
 *
 *     message_start (ping | block)* message_delta message_stop      or ends anywhere with: error
 *     block: content_block_start content_block_delta* content_block_stop, one after the other, indices 0, 1, 2, ...
 */
import type { SseEvent } from '../../src/domain/formats/format.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts'

/** What a client puts together from an accepted stream. */
export interface ReadMessage {
  readonly message: JsonObject
  readonly content: readonly JsonObject[]
  readonly stopReason: string | undefined
  readonly usage: JsonObject
  readonly error: JsonObject | undefined
}

const STOP_REASONS = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
])

/** Deltas that each block may hold. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
}

/** Reads the stream as a client does. @throws {Error} naming the first event that breaks the grammar. */
export function readMessagesStream(events: readonly SseEvent[]): ReadMessage {
  const reader = new Reader()
  events.forEach((event, position) => {
    try {
      reader.push(event)
    } catch (cause) {
      throw new Error(`event ${position} ${event.data}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  })
  return reader.end()
}

interface OpenBlock {
  readonly block: JsonObject
  readonly type: string
  json: string
  pieces: number
  signed: boolean
}

class Reader {
  #message: JsonObject | undefined
  #open: OpenBlock | undefined
  readonly #content: JsonObject[] = []
  #usage: JsonObject = {}
  #stopReason: string | undefined
  #stopped = false
  #error: JsonObject | undefined

  push(event: SseEvent): void {
    require(this.#error === undefined, 'nothing may follow an error')
    require(!this.#stopped, 'nothing may follow message_stop')
    const document: JsonValue = JSON.parse(event.data)
    require(isJsonObject(document), 'the data is an object')
    require(document.type === event.event, `the event field (${event.event}) repeats the type`)
    this.#event(document)
  }

  end(): ReadMessage {
    require(this.#error !== undefined || this.#stopped, 'the stream ends with message_stop or error')
    const { tool_use: calls = [] } = Object.groupBy(this.#content, (block) => String(block.type))
    if (this.#error === undefined && this.#stopReason !== 'max_tokens' && this.#stopReason !== 'refusal') {
      require(calls.length > 0 ===
        (this.#stopReason === 'tool_use'), `the stop reason ${this.#stopReason} fits ${calls.length} calls`)
    }
    return {
      message: this.#message ?? {},
      content: this.#content,
      stopReason: this.#stopReason,
      usage: this.#usage,
      error: this.#error,
    }
  }

  #event(document: JsonObject): void {
    switch (document.type) {
      case 'message_start':
        return this.#start(document)
      case 'ping':
        return require(this.#message !== undefined, 'ping comes after message_start')
      case 'content_block_start':
        return this.#startBlock(document)
      case 'content_block_delta':
        return this.#delta(document)
      case 'content_block_stop':
        return this.#stopBlock(document)
      case 'message_delta':
        return this.#messageDelta(document)
      case 'message_stop':
        require(this.#stopReason !== undefined, 'message_delta comes before message_stop')
        this.#stopped = true
        return
      case 'error':
        require(isJsonObject(document.error) && typeof document.error.message === 'string', 'an error has a message')
        require(typeof document.error.type === 'string', 'an error has a type')
        this.#error = document.error
        return
      default:
        throw new Error('no such event')
    }
  }

  #start({ message }: JsonObject): void {
    require(this.#message === undefined, 'message_start comes once')
    require(isJsonObject(message), 'it holds a message')
    require(typeof message.id === 'string' && message.id !== '', 'the message has an id')
    require(message.type === 'message' && message.role === 'assistant', 'type and role are right')
    require(typeof message.model === 'string' && message.model !== '', 'the message names a model')
    require(Array.isArray(message.content) && message.content.length === 0, 'its content is empty')
    require(message.stop_reason === null && message.stop_sequence === null, 'it has not stopped')
    this.#addUsage(message.usage)
    require(typeof this.#usage.input_tokens === 'number', 'usage tells the input')
    this.#message = message
  }

  #startBlock({ index, content_block: block }: JsonObject): void {
    require(this.#message !== undefined, 'message_start comes first')
    require(this.#stopReason === undefined, 'no block follows message_delta')
    require(this.#open === undefined, 'the block before has been stopped')
    require(index === this.#content.length, `the index is ${this.#content.length}`)
    require(isJsonObject(block) && typeof block.type === 'string' && block.type in DELTAS, 'the block is a known one')
    const { type } = block
    if (type === 'text') require(block.text === '', 'a text block begins empty')
    if (type === 'thinking') require(block.thinking === '' && block.signature === '', 'a thinking block begins empty')
    if (type === 'redacted_thinking') require(typeof block.data === 'string', 'redacted thinking has data')
    if (type === 'tool_use') {
      require(typeof block.id === 'string' && block.id !== '', 'a call has an id')
      require(typeof block.name === 'string' && block.name !== '', 'a call has a name')
      require(isJsonObject(block.input) && Object.keys(block.input).length === 0, "a call's input begins empty")
      require(!this.#content.some((other) => other.id === block.id), "a call's id is its own")
    }
    this.#open = { block, type, json: '', pieces: 0, signed: false }
  }

  #delta({ index, delta }: JsonObject): void {
    const open = this.#opened(index)
    require(isJsonObject(delta) && typeof delta.type === 'string', 'there is a delta')
    require(DELTAS[open.type]?.includes(delta.type) === true, `${delta.type} belongs into ${open.type}`)
    require(!open.signed, 'nothing follows the signature')
    open.pieces += 1
    const { block } = open
    switch (delta.type) {
      case 'text_delta':
        block.text = text(block.text) + filled(delta.text)
        return
      case 'thinking_delta':
        block.thinking = text(block.thinking) + filled(delta.thinking)
        return
      case 'signature_delta':
        block.signature = text(delta.signature)
        open.signed = true
        return
      case 'input_json_delta':
        open.json += text(delta.partial_json)
    }
  }

  #stopBlock({ index }: JsonObject): void {
    const { block, type, json, pieces, signed } = this.#opened(index)
    if (type === 'text') require(pieces > 0, 'a text block is not empty')
    if (type === 'thinking') require(signed, 'thinking is signed before it stops')
    if (type === 'tool_use') require(pieces > 0, 'a call has at least one input_json_delta')
    this.#content.push(type === 'tool_use' ? { ...block, input: json } : block)
    this.#open = undefined
  }

  #opened(index: JsonValue | undefined): OpenBlock {
    const open = this.#open
    require(open !== undefined, 'a block is open')
    require(index === this.#content.length, `the index is ${this.#content.length}`)
    return open
  }

  #messageDelta({ delta, usage }: JsonObject): void {
    require(this.#message !== undefined, 'message_start comes first')
    require(this.#open === undefined, 'every block has been stopped')
    require(this.#stopReason === undefined, 'message_delta comes once')
    require(isJsonObject(delta) && typeof delta.stop_reason === 'string', 'there is a stop reason')
    require(STOP_REASONS.has(delta.stop_reason), `${delta.stop_reason} is a stop reason`)
    const stopSequence = delta.stop_sequence
    require(stopSequence === null || typeof stopSequence === 'string', 'there is a stop sequence or null')
    this.#addUsage(usage)
    this.#stopReason = delta.stop_reason
  }

  #addUsage(usage: JsonValue | undefined): void {
    require(isJsonObject(usage), 'there is usage')
    require(typeof usage.output_tokens === 'number', 'usage tells the output')
    for (const [field, value] of Object.entries(usage)) if (value !== null) this.#usage[field] = value
  }
}

function text(value: JsonValue | undefined): string {
  require(typeof value === 'string', 'a piece is a string')
  return value
}

function filled(value: JsonValue | undefined): string {
  require(value !== '', 'a piece is not empty')
  return text(value)
}

function require(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Error(`expected that ${rule}`)
}

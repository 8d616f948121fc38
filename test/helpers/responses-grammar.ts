/**
 * A strict checker of the event grammar of OpenAI's Responses, written from the vendor's documentation and its SDK's types, not
 * from our encoder: what it accepts, every client of that API can read.
 *
 *     response.created response.in_progress item* response.{completed,incomplete,failed}      or ends anywhere with: error
 *     item: response.output_item.added, its own events, response.output_item.done; `sequence_number` counts all events
 *
 * What ends says again all that has come before: texts, parts, items, and the whole answer.
 */
import type { SseEvent } from '../../src/domain/formats/format.ts'
import { asArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts'

/** What a client puts together from an accepted stream. */
export interface ReadResponse {
  /** The whole answer of the last event. */
  readonly response: JsonObject
  readonly output: readonly JsonObject[]
  readonly error: JsonObject | undefined
}

/** Reads the stream as a client does. @throws {Error} naming the first event that breaks the grammar. */
export function readResponsesStream(events: readonly SseEvent[]): ReadResponse {
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

/** What an item of each type grows by: the event's name, where its text is, and what begins and ends it. */
const GROWTH: Readonly<Record<string, { readonly type: string; readonly field: string; readonly place: string }>> = {
  'response.output_text': { type: 'message', field: 'text', place: 'content_index' },
  'response.refusal': { type: 'message', field: 'refusal', place: 'content_index' },
  'response.reasoning_summary_text': { type: 'reasoning', field: 'text', place: 'summary_index' },
  'response.function_call_arguments': { type: 'function_call', field: 'arguments', place: '' },
  'response.custom_tool_call_input': { type: 'custom_tool_call', field: 'input', place: '' },
}

interface OpenItem {
  readonly item: JsonObject
  readonly type: string
  readonly parts: JsonObject[]
  /** Of the part that is open, or of the call. */
  text: string
  isPartOpen: boolean
  isTextDone: boolean
}

class Reader {
  #sequence = 0
  #response: JsonObject | undefined
  readonly #open = new Map<number, OpenItem>()
  readonly #done: JsonObject[] = []
  #begun = 0
  #ended = false
  #error: JsonObject | undefined

  push({ event, data }: SseEvent): void {
    require(!this.#ended, 'nothing follows the end')
    const document: JsonValue = JSON.parse(data)
    require(isJsonObject(document), 'the data is an object')
    require(document.type === event, `the event field (${event}) repeats the type`)
    require(document.sequence_number === this.#sequence++, 'the sequence has no gap')
    if (document.type === 'error') return this.#fail(document)
    this.#event(String(document.type), document)
  }

  end(): ReadResponse {
    require(this.#ended, 'the stream ends with the whole answer or an error')
    const response = this.#response ?? {}
    return { response, output: asArray(response.output).filter(isJsonObject), error: this.#error }
  }

  #fail(document: JsonObject): void {
    require(typeof document.message === 'string' && isJsonObject(document.error), 'an error has a message, twice')
    this.#ended = true
    this.#error = document.error
  }

  #event(type: string, document: JsonObject): void {
    switch (type) {
      case 'response.created':
        require(document.sequence_number === 0, 'it comes first')
        return this.#whole(document, 'in_progress')
      case 'response.in_progress':
        require(document.sequence_number === 1, 'it comes second')
        return this.#whole(document, 'in_progress')
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#complete(document, type.slice('response.'.length))
      case 'response.output_item.added':
        return this.#addItem(document)
      case 'response.output_item.done':
        return this.#endItem(document)
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        return this.#addPart(document)
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        return this.#endPart(document)
      default:
        return this.#grow(type, document)
    }
  }

  #whole({ response }: JsonObject, status: string): void {
    require(isJsonObject(response), 'it holds a response')
    require(response.object === 'response' && String(response.id).startsWith('resp_'), 'object and id are right')
    require(response.status === status, `its status is ${status}`)
    require(typeof response.model === 'string' && response.model !== '', 'it names a model')
    require(typeof response.created_at === 'number', 'it tells when it was made')
    require(this.#response === undefined || this.#response.id === response.id, 'its id stays')
    this.#response = response
  }

  #complete(document: JsonObject, status: string): void {
    require(this.#sequence > 2, 'it has begun')
    require(this.#open.size === 0, 'all items have ended')
    this.#whole(document, status)
    same(this.#response?.output, this.#done, 'the whole answer holds the items')
    const isIncomplete = isJsonObject(this.#response?.incomplete_details)
    require(isIncomplete === (status === 'incomplete'), 'it tells why it is incomplete')
    require(isJsonObject(this.#response?.error) === (status === 'failed'), 'it tells why it failed')
    this.#ended = true
  }

  #addItem({ output_index: index, item }: JsonObject): void {
    require(this.#sequence > 2, 'the response has begun')
    require(index === this.#begun++, 'items are counted on')
    require(isJsonObject(item) && typeof item.id === 'string' && item.id !== '', 'an item has an id')
    require([...this.#open.values()].every((other) => other.item.id !== item.id), 'the id is its own')
    require(this.#done.every((other) => other.id !== item.id), 'the id is its own')
    const type = String(item.type)
    require(Object.values(GROWTH).some((growth) => growth.type === type), 'the type is known')
    if (type === 'message') require(item.role === 'assistant' && asArray(item.content).length === 0, 'it begins empty')
    if (type === 'reasoning') require(Array.isArray(item.summary) && item.summary.length === 0, 'it begins empty')
    if (type.endsWith('call'))
      require(typeof item.call_id === 'string' && typeof item.name === 'string', 'a call is one')
    this.#open.set(Number(index), { item, type, parts: [], text: '', isPartOpen: false, isTextDone: false })
  }

  #addPart(document: JsonObject): void {
    const open = this.#opened(document)
    require(open.type === 'message' || open.type === 'reasoning', 'the item has parts')
    require(!open.isPartOpen, 'the part before has ended')
    require(document.content_index === open.parts.length ||
      document.summary_index === open.parts.length, 'parts are counted on')
    require(isJsonObject(document.part), 'there is a part')
    require((document.part.text ?? document.part.refusal) === '', 'it begins empty')
    Object.assign(open, { isPartOpen: true, isTextDone: false, text: '' })
  }

  #endPart(document: JsonObject): void {
    const open = this.#opened(document)
    require(open.isPartOpen && open.isTextDone, "the part's text has ended")
    require(isJsonObject(document.part), 'there is a part')
    require((document.part.text ?? document.part.refusal) === open.text, 'the part holds its text')
    require(open.text !== '', 'the model has written something')
    open.parts.push(document.part)
    open.isPartOpen = false
  }

  #grow(type: string, document: JsonObject): void {
    const dot = type.lastIndexOf('.')
    const growth = GROWTH[type.slice(0, dot)]
    require(growth !== undefined, 'the event is known')
    const open = this.#opened(document)
    require(open.type === growth.type, 'it belongs to the item')
    require(growth.place === '' ||
      (open.isPartOpen && document[growth.place] === open.parts.length), 'its part is open')
    require(!open.isTextDone, 'the text has not ended')
    if (type.endsWith('.done')) {
      require(document[growth.field] === open.text, 'the end says all of the text again')
      open.isTextDone = true
    } else {
      require(type.endsWith('.delta') && typeof document.delta === 'string', 'it is a piece')
      open.text += document.delta
    }
  }

  #endItem(document: JsonObject): void {
    const { output_index: index, item } = document
    const open = this.#open.get(Number(index))
    require(open !== undefined && isJsonObject(item), 'the item is open')
    require(item.id === open.item.id && item.type === open.type, 'it is the same')
    require(!open.isPartOpen, 'its parts have ended')
    switch (open.type) {
      case 'message':
        same(item.content, open.parts, 'it holds its parts')
        require(open.parts.length > 0, 'it is not empty')
        break
      case 'reasoning':
        same(item.summary, open.parts, 'it holds its parts')
        break
      default:
        require(open.isTextDone, "the call's input has ended")
        require((item.arguments ?? item.input) === open.text, 'it holds its input')
        require(item.call_id === open.item.call_id && item.name === open.item.name, 'the call is the same')
    }
    this.#open.delete(Number(index))
    this.#done[Number(index)] = item
  }

  #opened({ output_index: index, item_id: id }: JsonObject): OpenItem {
    const open = this.#open.get(Number(index))
    require(open !== undefined && open.item.id === id, 'the item is open, and the id is its own')
    return open
  }
}

function same(one: unknown, other: unknown, rule: string): void {
  require(JSON.stringify(one) === JSON.stringify(other), rule)
}

function require(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Error(`expected that ${rule}`)
}

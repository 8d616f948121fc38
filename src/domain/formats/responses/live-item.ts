/** An item of a streamed answer as it grows. Each step gives the events that tell of it, without what all events have. */
import { GrowingText } from '../../completion/growing-text.ts'
import type { JsonObject } from '../../json.ts'
import type { RenderContext } from '../format.ts'
import { inputOf } from './custom-tool.ts'
import {
  callItem,
  customCallItem,
  endOfCall,
  endOfCustomCall,
  itemId,
  messageItem,
  reasoningItem,
  refusalPart,
  summaryPart,
  textPart,
  type Called,
  type ItemStatus,
} from './output-item.ts'

export interface LiveItem {
  begin(): JsonObject[]
  end(): JsonObject[]
  /** The item with all that it has, once it has ended. */
  whole(): JsonObject
}

/** Place and id of an item, and the events of its both ends. */
class Place {
  readonly index: number
  readonly id: string

  constructor(index: number, id: string) {
    this.index = index
    this.id = id
  }

  added(item: JsonObject): JsonObject {
    return { type: 'response.output_item.added', output_index: this.index, item }
  }

  done(item: JsonObject): JsonObject {
    return { type: 'response.output_item.done', output_index: this.index, item }
  }

  /** An event about a part of the item. */
  event(type: string, fields: JsonObject): JsonObject {
    return { type: `response.${type}`, item_id: this.id, output_index: this.index, ...fields }
  }
}

type Kind = 'text' | 'refusal'

const EVENT_OF: Readonly<Record<Kind, string>> = { text: 'output_text', refusal: 'refusal' }
/** What the vendor says beside each text. */
const BESIDE: Readonly<Record<Kind, JsonObject>> = { text: { logprobs: [] }, refusal: {} }

export class MessageItem implements LiveItem {
  readonly #place: Place
  readonly #parts: { readonly kind: Kind; readonly text: GrowingText }[] = []
  #status: ItemStatus = 'in_progress'

  constructor(index: number, context: RenderContext) {
    this.#place = new Place(index, itemId('msg', index, context))
  }

  begin(): JsonObject[] {
    return [this.#place.added(messageItem(this.#place.id, 'in_progress', []))]
  }

  /** What is being said. Undefined: nothing yet. */
  get kind(): Kind | undefined {
    return this.#parts.at(-1)?.kind
  }

  say(kind: Kind, delta: string): JsonObject[] {
    const events = this.kind === kind ? [] : [...this.#endPart(), ...this.#beginPart(kind)]
    this.#parts.at(-1)?.text.add(delta)
    return [...events, this.#of(`${EVENT_OF[kind]}.delta`, { delta, ...BESIDE[kind] })]
  }

  /** @param status `incomplete` where the answer ends with it before its end */
  end(status: ItemStatus = 'completed'): JsonObject[] {
    const last = this.#endPart()
    this.#status = status
    return [...last, this.#place.done(this.whole())]
  }

  whole(): JsonObject {
    return messageItem(
      this.#place.id,
      this.#status,
      this.#parts.map(({ kind, text }) => partOf(kind, text.all)),
    )
  }

  #beginPart(kind: Kind): JsonObject[] {
    this.#parts.push({ kind, text: new GrowingText() })
    return [this.#of('content_part.added', { part: partOf(kind, '') })]
  }

  #endPart(): JsonObject[] {
    const part = this.#parts.at(-1)
    if (part === undefined) return []
    const { kind } = part
    const text = part.text.all
    return [
      this.#of(`${EVENT_OF[kind]}.done`, { [kind]: text, ...BESIDE[kind] }),
      this.#of('content_part.done', { part: partOf(kind, text) }),
    ]
  }

  #of(type: string, fields: JsonObject): JsonObject {
    return this.#place.event(type, { content_index: this.#parts.length - 1, ...fields })
  }
}

function partOf(kind: Kind, text: string): JsonObject {
  return kind === 'text' ? textPart(text) : refusalPart(text)
}

export class ReasoningItem implements LiveItem {
  readonly #place: Place
  readonly #text = new GrowingText()

  constructor(index: number, context: RenderContext) {
    this.#place = new Place(index, itemId('rs', index, context))
  }

  begin(): JsonObject[] {
    return [
      this.#place.added(reasoningItem(this.#place.id, undefined)),
      this.#of('part.added', { part: summaryPart('') }),
    ]
  }

  think(delta: string): JsonObject[] {
    this.#text.add(delta)
    return [this.#of('text.delta', { delta })]
  }

  end(): JsonObject[] {
    const text = this.#text.all
    return [
      this.#of('text.done', { text }),
      this.#of('part.done', { part: summaryPart(text) }),
      this.#place.done(this.whole()),
    ]
  }

  whole(): JsonObject {
    return reasoningItem(this.#place.id, this.#text.all)
  }

  #of(type: string, fields: JsonObject): JsonObject {
    return this.#place.event(`reasoning_summary_${type}`, { summary_index: 0, ...fields })
  }
}

export class CallItem implements LiveItem {
  readonly #place: Place
  readonly #call: Called
  readonly #arguments = new GrowingText()
  #status: ItemStatus = 'in_progress'

  constructor(index: number, call: Called, context: RenderContext) {
    this.#place = new Place(index, itemId('fc', index, context))
    this.#call = call
  }

  begin(): JsonObject[] {
    return [this.#place.added(callItem(this.#place.id, 'in_progress', this.#call, ''))]
  }

  grow(delta: string): JsonObject[] {
    this.#arguments.add(delta)
    return [this.#place.event('function_call_arguments.delta', { delta })]
  }

  end(): JsonObject[] {
    const done = { name: this.#call.name, arguments: this.#arguments.all }
    this.#status = endOfCall(done.arguments)
    return [this.#place.event('function_call_arguments.done', done), this.#place.done(this.whole())]
  }

  whole(): JsonObject {
    return callItem(this.#place.id, this.#status, this.#call, this.#arguments.all)
  }
}

/** Its input stands inside the arguments of the function that the model was offered: it is known when these are whole. */
export class CustomCallItem implements LiveItem {
  readonly #place: Place
  readonly #call: Called
  readonly #arguments = new GrowingText()
  #input = ''
  #status: ItemStatus = 'in_progress'

  constructor(index: number, call: Called, context: RenderContext) {
    this.#place = new Place(index, itemId('ctc', index, context))
    this.#call = call
  }

  begin(): JsonObject[] {
    return [this.#place.added(customCallItem(this.#place.id, 'in_progress', this.#call, ''))]
  }

  grow(delta: string): JsonObject[] {
    this.#arguments.add(delta)
    return []
  }

  end(): JsonObject[] {
    const input = inputOf(this.#arguments.all)
    this.#input = input
    this.#status = endOfCustomCall(this.#arguments.all)
    return [
      this.#place.event('custom_tool_call_input.delta', { delta: input }),
      this.#place.event('custom_tool_call_input.done', { input }),
      this.#place.done(this.whole()),
    ]
  }

  whole(): JsonObject {
    return customCallItem(this.#place.id, this.#status, this.#call, this.#input)
  }
}

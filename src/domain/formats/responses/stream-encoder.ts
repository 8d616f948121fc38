/**
 * Neutral parts -> a Responses stream as the vendor sends it: each item begins, grows and ends with all of its text, and the last
 * event holds the whole answer. So the encoder keeps what it has written, which `heldCharacters` tells.
 *
 * - An item begins with its first character: an empty one would be one that the model never wrote.
 * - Texts and refusals that follow one another are one message; a thought or a call ends it.
 * - Items may overlap (calls whose arguments come by turns): every event names its item.
 */
import type { TranslationWarning } from '../../completion/request.ts'
import type { Finish, Usage } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import type { JsonObject } from '../../json.ts'
import type { RenderContext, SseEvent, StreamEncoder } from '../format.ts'
import { noteLoss } from '../stream-loss.ts'
import { clientTools, type ClientTools } from './client-tool.ts'
import { errorEvent } from './error-event.ts'
import { CallItem, CustomCallItem, MessageItem, ReasoningItem, type LiveItem } from './live-item.ts'
import { called, type ItemStatus } from './output-item.ts'
import { responseObject, statusOf } from './response-object.ts'
import { ONE_CHOICE, SIGNATURE_LOST } from './result.ts'

/**
 * What an item, or a further part of a message, takes beside its text: itself, and its fields in the whole answer. A model may think
 * and speak, or speak and refuse, by turns, word by word.
 */
const CHARACTERS_AN_ITEM = 500

export class ResponsesStreamEncoder implements StreamEncoder {
  readonly warnings: TranslationWarning[] = []
  readonly #context: RenderContext
  readonly #tools: ClientTools
  /** In the order of `output`. */
  readonly #items: LiveItem[] = []
  /** Calls that are open, by their blocks. */
  readonly #calls = new Map<string, CallItem | CustomCallItem>()
  #message: MessageItem | undefined
  #thought: ReasoningItem | undefined
  #model = ''
  #usage: Usage | undefined
  #finish: Finish = { reason: 'other', raw: undefined }
  #started = false
  #failed = false
  /** What is kept for the end, in characters. */
  heldCharacters = 0
  sequence = 0

  constructor(context: RenderContext) {
    this.#context = context
    this.#tools = clientTools(context.request)
  }

  push(part: StreamPart): SseEvent[] {
    if (this.#failed) return []
    if ('choice' in part && part.choice !== 0) return this.#warn('choices', ONE_CHOICE)
    switch (part.type) {
      case 'response-start':
        this.#model ||= part.model
        return []
      case 'usage':
        this.#usage = part.usage
        return []
      case 'finish':
        this.#finish = part.finish
        return []
      case 'error':
        return this.#fail(part.message, part.code)
      case 'text-delta':
        return this.#say('text', part.delta)
      case 'refusal-delta':
        return this.#say('refusal', part.delta)
      case 'reasoning-start':
        return part.redacted === undefined ? [] : this.#warn('stream', SIGNATURE_LOST)
      case 'reasoning-delta':
        return this.#think(part.delta)
      case 'reasoning-end':
        return [...this.#endThought(), ...(part.signature === undefined ? [] : this.#warn('stream', SIGNATURE_LOST))]
      case 'tool-input-start':
        return this.#call(part)
      case 'tool-input-delta':
        return this.#callInput(part.id, part.delta)
      case 'tool-input-end':
        return this.#endCall(part.id)
      case 'unknown':
        return this.#warn('stream', `responses streams cannot carry the event ${part.name} of another format`)
      case 'text-start':
      case 'text-end':
      case 'ping':
        return []
    }
  }

  end(): SseEvent[] {
    if (this.#failed) return []
    const status = statusOf(this.#finish)
    const start = this.#start()
    const rest = [
      ...this.#endThought(),
      ...this.#endMessage(status === 'completed' ? 'completed' : 'incomplete'),
      ...[...this.#calls.keys()].flatMap((id) => this.#endCall(id)),
    ]
    return [...start, ...rest, this.#event(`response.${status}`, { response: this.#response(this.#finish) })]
  }

  #say(kind: 'text' | 'refusal', delta: string): SseEvent[] {
    if (delta === '') return []
    const before = this.#endThought()
    const isNew = this.#message === undefined
    this.#message ??= this.#add(new MessageItem(this.#items.length, this.#context))
    const begin = isNew ? this.#message.begin() : []
    if (!isNew && this.#message.kind !== kind) this.heldCharacters += CHARACTERS_AN_ITEM
    return [...this.#start(), ...before, ...this.#grow(begin, this.#message.say(kind, delta), delta)]
  }

  #think(delta: string): SseEvent[] {
    if (delta === '') return []
    const before = this.#endMessage()
    const isNew = this.#thought === undefined
    this.#thought ??= this.#add(new ReasoningItem(this.#items.length, this.#context))
    const begin = isNew ? this.#thought.begin() : []
    return [...this.#start(), ...before, ...this.#grow(begin, this.#thought.think(delta), delta)]
  }

  #call({ id, toolCallId, toolName, signature }: Extract<StreamPart, { type: 'tool-input-start' }>): SseEvent[] {
    if (signature !== undefined) this.#warn('stream', SIGNATURE_LOST)
    const before = [...this.#start(), ...this.#endThought(), ...this.#endMessage()]
    const Item = this.#tools.get(toolName)?.takesText === true ? CustomCallItem : CallItem
    const call = called(toolCallId, toolName, this.#tools)
    const item = this.#add(new Item(this.#items.length, call, this.#context))
    this.#calls.set(id, item)
    return [...before, ...this.#write(item.begin())]
  }

  #callInput(id: string, delta: string): SseEvent[] {
    const item = delta === '' ? undefined : this.#calls.get(id)
    return item === undefined ? [] : this.#grow([], item.grow(delta), delta)
  }

  #endCall(id: string): SseEvent[] {
    const item = this.#calls.get(id)
    this.#calls.delete(id)
    return item === undefined ? [] : this.#write(item.end())
  }

  #endThought(): SseEvent[] {
    const item = this.#thought
    this.#thought = undefined
    return item === undefined ? [] : this.#write(item.end())
  }

  #endMessage(status?: ItemStatus): SseEvent[] {
    const item = this.#message
    this.#message = undefined
    return item === undefined ? [] : this.#write(item.end(status))
  }

  #add<Item extends LiveItem>(item: Item): Item {
    this.heldCharacters += CHARACTERS_AN_ITEM
    this.#items.push(item)
    return item
  }

  #grow(begin: readonly JsonObject[], more: readonly JsonObject[], delta: string): SseEvent[] {
    this.heldCharacters += delta.length
    return this.#write([...begin, ...more])
  }

  #start(): SseEvent[] {
    if (this.#started) return []
    this.#started = true
    const response = this.#response(undefined)
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })]
  }

  #response(finish: Finish | undefined): JsonObject {
    const output = finish === undefined ? [] : this.#items.map((item) => item.whole())
    return responseObject(this.#context, { finish, model: this.#model, output, usage: finish && this.#usage })
  }

  #write(events: readonly JsonObject[]): SseEvent[] {
    return events.map(({ type, ...fields }) => this.#event(String(type), fields))
  }

  #event(type: string, fields: JsonObject): SseEvent {
    return { event: type, data: JSON.stringify({ type, sequence_number: this.sequence++, ...fields }) }
  }

  #fail(message: string, code: string | undefined): SseEvent[] {
    this.#failed = true
    return [errorEvent({ message, type: 'api_error', code: code ?? null, param: null }, this.sequence++)]
  }

  #warn(field: string, message: string): SseEvent[] {
    noteLoss(this.warnings, field, message)
    return []
  }
}

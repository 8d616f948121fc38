/**
 * The input of a Responses request -> neutral messages. What a model has said is several items here (thoughts, texts, calls): those
 * that follow one another are one message.
 */
import type { AssistantPart, Message, TextPart, ToolResultPart } from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_MESSAGES, objectAt, optionalString, requiredString, wrongType } from '../fields.ts'
import { missingField } from '../missing-field.ts'
import { userMessage } from '../user-message.ts'
import { calledName } from './client-tool.ts'
import { callWithInput } from './custom-tool.ts'
import { parseAssistantContent, parseContent, parseOutputPart, parseTextPart, parseUserPart } from './part-parse.ts'
import { keptItem } from './stored-state.ts'
import { isKnownItem } from './unmodelled.ts'

/** Instructions that stand before the conversation, and the conversation. */
export interface Conversation {
  readonly system: readonly TextPart[]
  readonly messages: readonly Message[]
}

/** Reads `instructions` and `input`. @throws {InvalidRequestError} naming the field. */
export function parseConversation(document: JsonObject): Conversation {
  const instructions = optionalString(document, 'instructions')
  const system: TextPart[] = instructions ? [{ type: 'text', text: instructions }] : []
  const messages = parseInput(document)
  const first = messages.findIndex(({ role }) => role !== 'system')
  for (const message of messages.splice(0, first < 0 ? messages.length : first)) {
    if (message.role === 'system') for (const part of message.content) system.push(part)
  }
  return { system, messages }
}

function parseInput(document: JsonObject): Message[] {
  const { input } = document
  if (input === undefined || input === null) throw missingField(document, 'input', 'a text or a list of items')
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }]
  if (!Array.isArray(input)) throw wrongType(input, 'a string or an array of items', 'input')
  if (input.length === 0)
    throw new InvalidRequestError("Invalid value for 'input': expected at least one item.", 'input')
  if (input.length > MAX_MESSAGES) {
    throw new InvalidRequestError(`Invalid value for 'input': more than ${MAX_MESSAGES} items.`, 'input')
  }
  const messages = new Turns().read(input)
  const last = asObject(input.at(-1))
  if (last !== undefined && !isKnownItem(last)) throw unknownLast(`input[${input.length - 1}]`)
  if (messages.length > 0) return messages
  throw new InvalidRequestError("Invalid value for 'input': it has no item that can be given to a model.", 'input')
}

/** Left out, the model would answer what was said before it. */
function unknownLast(path: string): InvalidRequestError {
  const message = `The last item, '${path}', belongs to a tool of the vendor's own: it cannot be given to a model here.`
  return new InvalidRequestError(message, path)
}

class Turns {
  readonly #messages: Message[] = []
  /** What the model has said last, while nobody else has said anything. */
  #said: AssistantPart[] | undefined

  read(items: readonly JsonValue[]): Message[] {
    for (let index = 0; index < items.length; index++) {
      const path = `input[${index}]`
      this.#item(objectAt(items[index], path), path)
    }
    return this.#messages
  }

  #item(item: JsonObject, path: string): void {
    switch (typeOf(item, path)) {
      case 'message':
        return this.#message(item, path)
      case 'reasoning':
        return this.#say(parseReasoning(item))
      case 'function_call':
        return this.#say([
          {
            type: 'tool-call',
            id: requiredString(item, 'call_id', path),
            name: calledName(item, path),
            arguments: requiredString(item, 'arguments', path),
          },
        ])
      case 'custom_tool_call':
        return this.#say([
          callWithInput(
            requiredString(item, 'call_id', path),
            calledName(item, path),
            requiredString(item, 'input', path),
          ),
        ])
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#add({ role: 'tool', content: [parseResult(item, path)] })
      case 'item_reference':
        throw keptItem(path)
      default: // of the vendor's own tools: it stays in the document
    }
  }

  #message(item: JsonObject, path: string): void {
    switch (requiredString(item, 'role', path)) {
      case 'user':
        return this.#add(userMessage(parseContent(item, path, parseUserPart), item.content))
      case 'system':
      case 'developer':
        return this.#add({ role: 'system', content: parseContent<TextPart>(item, path, parseTextPart) })
      case 'assistant':
        return this.#say(parseAssistantContent(item, path))
      default:
        throw new InvalidRequestError(
          `Invalid value for '${path}.role': expected user, assistant, system or developer.`,
          `${path}.role`,
        )
    }
  }

  #say(parts: readonly AssistantPart[]): void {
    if (parts.length === 0) return
    if (this.#said === undefined) {
      this.#said = []
      this.#messages.push({ role: 'assistant', content: this.#said })
    }
    for (const part of parts) this.#said.push(part)
  }

  #add(message: Message): void {
    this.#said = undefined
    this.#messages.push(message)
  }
}

/** A message may come without its type; an item by its id alone is a reference. */
function typeOf(item: JsonObject, path: string): string {
  const type = optionalString(item, 'type', path)
  if (type !== undefined) return type
  return item.role === undefined && item.id !== undefined ? 'item_reference' : 'message'
}

/** Encrypted thoughts are for the vendor that wrote them; the gateway gives none out. */
function parseReasoning(item: JsonObject): AssistantPart[] {
  const texts = [...asArray(item.summary), ...asArray(item.content)].map((part) => asString(asObject(part)?.text) ?? '')
  const text = texts.filter(Boolean).join('\n\n')
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

function parseResult(item: JsonObject, path: string): ToolResultPart {
  const toolCallId = requiredString(item, 'call_id', path)
  const content = parseContent({ content: item.output }, path, parseOutputPart, 'output')
  return { type: 'tool-result', toolCallId, content }
}

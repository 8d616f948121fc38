/** The conversation of a chat-completions request -> neutral messages. One neutral message for each of the client's. */
import type {
  AssistantPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import {
  objectAt,
  optionalArray,
  MAX_MESSAGES,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
  wrongType,
} from '../fields.ts'
import { missingField } from '../missing-field.ts'
import { userMessage } from '../user-message.ts'
import { customCallOf } from './custom-call.ts'
import { parseMedia } from './media-parse.ts'
import { argumentsOf } from './tool-arguments.ts'

/** Instructions that stand before the conversation, and the conversation. */
export interface Conversation {
  readonly system: TextPart[]
  readonly messages: Message[]
}

/** Reads `messages`. @throws {InvalidRequestError} naming the field. */
export function parseMessages(document: JsonObject): Conversation {
  const list = optionalArray(document, 'messages')
  if (list === undefined) throw missingField(document, 'messages', 'at least one message')
  if (list.length === 0) {
    throw new InvalidRequestError("Invalid value for 'messages': expected at least one message.", 'messages')
  }
  if (list.length > MAX_MESSAGES) {
    throw new InvalidRequestError(`Invalid value for 'messages': more than ${MAX_MESSAGES} messages.`, 'messages')
  }
  const first = instructionsOf(list)
  const system = parseInstructions(list, first)
  const legacy: LegacyCalls = { count: 0 }
  const turns = list.slice(first)
  return { system, messages: turns.map((item, index) => parseMessage(item, `messages[${first + index}]`, legacy)) }
}

/** How many messages stand before the conversation. */
function instructionsOf(list: readonly JsonValue[]): number {
  let count = 0
  while (count < list.length && isInstruction(asObject(list[count])?.role)) count++
  return count
}

function isInstruction(role: JsonValue | undefined): boolean {
  return role === 'system' || role === 'developer'
}

function parseInstructions(list: readonly JsonValue[], count: number): TextPart[] {
  // Mostly there is one at most: then nothing is copied.
  let system: TextPart[] = []
  for (let index = 0; index < count; index++) {
    const content = parseInstruction(list[index], `messages[${index}]`)
    if (system.length === 0) system = content
    else for (const part of content) system.push(part)
  }
  return system
}

/** Calls in the shape before `tool_calls` have no id: they are numbered, and their results bear the last number. */
interface LegacyCalls {
  count: number
}

function parseInstruction(message: JsonValue | undefined, path: string): TextPart[] {
  return parseContent<TextPart>(withContent(objectAt(message, path), path), path, parseText)
}

/** Only answers, of the model and of its tools, may be without content. */
function withContent(message: JsonObject, path: string): JsonObject {
  if (message.content !== undefined && message.content !== null) return message
  throw wrongType(message.content, 'a string or an array of parts', `${path}.content`)
}

function parseMessage(item: JsonValue, path: string, legacy: LegacyCalls): Message {
  const message = objectAt(item, path)
  switch (requiredString(message, 'role', path)) {
    case 'system':
    case 'developer':
      return { role: 'system', content: parseInstruction(message, path) }
    case 'user':
      return userMessage(parseContent(withContent(message, path), path, parseUserPart), message.content)
    case 'assistant':
      return { role: 'assistant', content: parseAssistant(message, path, legacy) }
    case 'tool':
      return toolMessage(message, path, requiredString(message, 'tool_call_id', path))
    case 'function':
      return toolMessage(message, path, legacyId(legacy))
    default:
      throw new InvalidRequestError(
        `Invalid value for '${path}.role': expected system, developer, user, assistant, tool or function.`,
        `${path}.role`,
      )
  }
}

function legacyId({ count }: LegacyCalls): string {
  return `call_legacy_${count}`
}

function toolMessage(message: JsonObject, path: string, toolCallId: string): Message {
  const content = parseContent(message, path, parseResultPart)
  const name = optionalString(message, 'name', path)
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, ...(name === undefined ? {} : { name }), content }],
  }
}

/** Content as a string, as parts or null. A part that `parse` does not know returns undefined and stays in the document. */
function parseContent<Part>(
  message: JsonObject,
  path: string,
  parse: (part: JsonObject, type: string, path: string) => Part | TextPart | undefined,
): (Part | TextPart)[] {
  const content = message.content
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [textPart(content, message)]
  if (!Array.isArray(content)) throw wrongType(content, 'a string or an array of parts', `${path}.content`)
  return content.flatMap((item, index) => {
    const partPath = `${path}.content[${index}]`
    const part = objectAt(item, partPath)
    return parse(part, requiredString(part, 'type', partPath), partPath) ?? []
  })
}

function parseText(part: JsonObject, type: string, path: string): TextPart | undefined {
  if (type !== 'text') return undefined
  return textPart(requiredString(part, 'text', path), part)
}

function textPart(text: string, holder: JsonObject): TextPart {
  const cacheControl = holder.cache_control
  return cacheControl === undefined || cacheControl === null
    ? { type: 'text', text }
    : { type: 'text', text, cacheControl }
}

/** The prefix-cache mark that LiteLLM and OpenRouter take for Anthropic's models behind this format. */
function cacheControlOf(part: JsonObject): { cacheControl?: JsonValue } {
  const cacheControl = part.cache_control
  return cacheControl === undefined || cacheControl === null ? {} : { cacheControl }
}

function parseUserPart(part: JsonObject, type: string, path: string): UserPart | undefined {
  const media = parseMedia(part, type, path)
  if (media === undefined) return parseText(part, type, path)
  return media.type === 'audio' ? media : { ...media, ...cacheControlOf(part) }
}

function parseResultPart(part: JsonObject, type: string, path: string): ToolResultPart['content'][number] | undefined {
  const media = parseUserPart(part, type, path)
  return media?.type === 'audio' ? undefined : media
}

function parseAssistant(message: JsonObject, path: string, legacy: LegacyCalls): AssistantPart[] {
  const parts: AssistantPart[] = []
  const reasoning = asString(message.reasoning_content) ?? asString(message.reasoning)
  if (reasoning) parts.push({ type: 'reasoning', text: reasoning })
  for (const part of parseContent<AssistantPart>(message, path, parseAssistantPart)) {
    if (!isEmptyText(part)) parts.push(part)
  }
  const refusal = optionalString(message, 'refusal', path)
  if (refusal) parts.push({ type: 'refusal', text: refusal })
  for (const call of parseToolCalls(message, path)) parts.push(call)
  const call = optionalObject(message, 'function_call', path)
  if (call !== undefined) {
    legacy.count += 1
    parts.push(parseCall(call, legacyId(legacy), `${path}.function_call`))
  }
  return parts
}

/** An empty string beside tool calls is how many clients write «no text»; other vendors refuse an empty block. */
function isEmptyText(part: AssistantPart): boolean {
  return part.type === 'text' && part.text === ''
}

function parseAssistantPart(part: JsonObject, type: string, path: string): AssistantPart | undefined {
  if (type === 'refusal') return { type: 'refusal', text: requiredString(part, 'refusal', path) }
  return parseText(part, type, path)
}

function parseToolCalls(message: JsonObject, path: string): ToolCallPart[] {
  const calls = optionalArray(message, 'tool_calls', path) ?? []
  return calls.flatMap((item, index) => {
    const callPath = `${path}.tool_calls[${index}]`
    const call = objectAt(item, callPath)
    if ((optionalString(call, 'type', callPath) ?? 'function') !== 'function') return customCallOf(call) ?? []
    const id = requiredString(call, 'id', callPath)
    return parseCall(requiredObject(call, 'function', callPath), id, `${callPath}.function`)
  })
}

function parseCall(call: JsonObject, id: string, path: string): ToolCallPart {
  return {
    type: 'tool-call',
    id,
    name: requiredString(call, 'name', path),
    arguments: argumentsOf(requiredString(call, 'arguments', path)),
  }
}

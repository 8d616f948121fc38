/**
 * The conversation of a messages request -> neutral messages. Tool results, which stand in user messages here, become a
 * neutral message of their own before the rest of their message.
 */
import type {
  AssistantPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { type JsonObject, type JsonValue } from '../../json.ts'
import {
  MAX_MESSAGES,
  objectAt,
  optionalArray,
  optionalBoolean,
  optionalString,
  requiredString,
  wrongType,
} from '../fields.ts'
import { missingField } from '../missing-field.ts'
import { userMessage } from '../user-message.ts'
import { cacheControlOf, parseText, parseUserBlock } from './block-parse.ts'

/** Reads `messages`. @throws {InvalidRequestError} naming the field. */
export function parseMessages(document: JsonObject): Message[] {
  const list = optionalArray(document, 'messages')
  if (list === undefined) throw missingField(document, 'messages', 'at least one message')
  if (list.length === 0) {
    throw new InvalidRequestError("Invalid value for 'messages': expected at least one message.", 'messages')
  }
  if (list.length > MAX_MESSAGES) {
    throw new InvalidRequestError(`Invalid value for 'messages': more than ${MAX_MESSAGES} messages.`, 'messages')
  }
  return list.flatMap((item, index) => parseMessage(objectAt(item, `messages[${index}]`), `messages[${index}]`))
}

function parseMessage(message: JsonObject, path: string): Message[] {
  switch (requiredString(message, 'role', path)) {
    case 'user':
      return parseUser(message, path)
    case 'assistant':
      return [{ role: 'assistant', content: parseContent(message, path, parseAssistantBlock) }]
    case 'system':
      return [{ role: 'system', content: parseContent<TextPart>(message, path, parseText) }]
    default:
      throw new InvalidRequestError(
        `Invalid value for '${path}.role': expected user, assistant or system.`,
        `${path}.role`,
      )
  }
}

function parseUser(message: JsonObject, path: string): Message[] {
  const parts = parseContent<UserPart | ToolResultPart>(message, path, parseUserOrResult)
  const results = parts.filter((part) => part.type === 'tool-result')
  const content = parts.filter((part) => part.type !== 'tool-result')
  const user: Message[] = content.length > 0 || results.length === 0 ? [userMessage(content, message.content)] : []
  return results.length === 0 ? user : [{ role: 'tool', content: results }, ...user]
}

type ParseBlock<Part> = (block: JsonObject, type: string, path: string) => Part | readonly Part[] | undefined

/** Content as a string or as blocks. A block that `parse` does not know returns undefined and stays in the document. */
function parseContent<Part>(holder: JsonObject, path: string, parse: ParseBlock<Part>): (Part | TextPart)[] {
  const content = holder.content
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongType(content, 'a string or an array of blocks', `${path}.content`)
  return parseBlocks(content, path, parse)
}

function parseBlocks<Part>(blocks: JsonValue[], path: string, parse: ParseBlock<Part>): Part[] {
  return blocks.flatMap((item, index) => {
    const blockPath = `${path}.content[${index}]`
    const block = objectAt(item, blockPath)
    return parse(block, requiredString(block, 'type', blockPath), blockPath) ?? []
  })
}

function parseUserOrResult(
  block: JsonObject,
  type: string,
  path: string,
): UserPart | ToolResultPart | readonly UserPart[] | undefined {
  return type === 'tool_result' ? parseToolResult(block, path) : parseUserBlock(block, type, path)
}

function parseToolResult(block: JsonObject, path: string): ToolResultPart {
  const isError = optionalBoolean(block, 'is_error', path)
  const hasContent = block.content !== undefined && block.content !== null
  return {
    type: 'tool-result',
    toolCallId: requiredString(block, 'tool_use_id', path),
    content: hasContent ? parseContent(block, path, parseUserBlock) : [],
    ...(isError === undefined ? {} : { isError }),
    ...cacheControlOf(block),
  }
}

function parseAssistantBlock(block: JsonObject, type: string, path: string): AssistantPart | undefined {
  switch (type) {
    case 'thinking': {
      const text = requiredString(block, 'thinking', path)
      const signature = optionalString(block, 'signature', path)
      return { type: 'reasoning', text, ...(signature ? { signature } : {}) }
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: requiredString(block, 'data', path) }
    case 'tool_use':
      return parseToolUse(block, path)
    default:
      return parseText(block, type, path)
  }
}

function parseToolUse(block: JsonObject, path: string): ToolCallPart {
  const id = requiredString(block, 'id', path)
  const name = requiredString(block, 'name', path)
  const input = objectAt(block.input ?? {}, `${path}.input`)
  return { type: 'tool-call', id, name, arguments: JSON.stringify(input), ...cacheControlOf(block) }
}

/**
 * The contents of a request -> neutral messages. A content with function responses becomes a message of results, and one
 * of the user's where it says something else besides: elsewhere results must follow their calls at once.
 */
import type { Message, TextPart, ToolResultPart, UserPart } from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { MAX_MESSAGES, objectAt, optionalObject, optionalString } from '../fields.ts'
import { missingField } from '../missing-field.ts'
import { userMessage } from '../user-message.ts'
import { CallIds } from './call-ids.ts'
import { parseFunctionResponse, parseModelPart, parseUserPart } from './part-parse.ts'
import { listIn, nameIn } from './spelling.ts'

/** Instructions that stand before the conversation, and the conversation. */
export interface Conversation {
  readonly system: TextPart[]
  readonly messages: Message[]
}

/** Reads `systemInstruction` and `contents`. @throws {InvalidRequestError} naming the field. */
export function parseContents(document: JsonObject): Conversation {
  const { items, path } = listIn(document, 'contents')
  if (items.length === 0) {
    if ((document.contents ?? null) === null) throw missingField(document, 'contents', 'at least one content')
    throw new InvalidRequestError("Invalid value for 'contents': it is empty.", 'contents')
  }
  if (items.length > MAX_MESSAGES) {
    throw new InvalidRequestError(`Invalid value for 'contents': more than ${MAX_MESSAGES} contents.`, 'contents')
  }
  const ids = new CallIds()
  const messages = items.flatMap((item, index) => parseContent(item, `${path}[${index}]`, ids))
  return { system: parseSystem(document), messages }
}

function parseSystem(document: JsonObject): TextPart[] {
  const name = nameIn(document, 'systemInstruction')
  const instruction = optionalObject(document, name)
  if (instruction === undefined) return []
  const { items, path } = listIn(instruction, 'parts', name)
  return items.flatMap((item, index) => {
    const text = optionalString(objectAt(item, `${path}[${index}]`), 'text', `${path}[${index}]`)
    return text ? { type: 'text' as const, text } : []
  })
}

function parseContent(item: JsonValue, path: string, ids: CallIds): Message[] {
  const content = objectAt(item, path)
  const { items, path: partsPath } = listIn(content, 'parts', path)
  switch (optionalString(content, 'role', path) ?? '') {
    case 'model':
      return [{ role: 'assistant', content: eachPart(items, partsPath, (part, at) => parseModelPart(part, at, ids)) }]
    case '':
    case 'user':
    case 'function': // the role of results in the API's first version
      if (items.length > 0) return parseUser(items, partsPath, ids)
      throw new InvalidRequestError(`Invalid value for '${partsPath}': it is empty or missing.`, partsPath)
    default:
      throw new InvalidRequestError(
        `Invalid value for '${path}.role': expected user, model or function.`,
        `${path}.role`,
      )
  }
}

function parseUser(items: readonly JsonValue[], path: string, ids: CallIds): Message[] {
  const results: ToolResultPart[] = []
  const content = eachPart<UserPart>(items, path, (part, at) => {
    const result = parseFunctionResponse(part, at, ids)
    if (result === undefined) return parseUserPart(part, at)
    results.push(result)
    return undefined
  })
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results } as const] : []),
    ...(content.length > 0 || results.length === 0 ? [userMessage(content, items)] : []),
  ]
}

function eachPart<Part>(
  items: readonly JsonValue[],
  path: string,
  parse: (part: JsonObject, path: string) => Part | undefined,
): Part[] {
  return items.flatMap((item, index) => parse(objectAt(item, `${path}[${index}]`), `${path}[${index}]`) ?? [])
}

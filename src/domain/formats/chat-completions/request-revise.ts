/** Other orders to the model, patched into a chat-completions document. @see Format.reviseRequest */
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import type { RequestRevision } from '../format.ts'
import { renderResponseFormat } from './request-translate.ts'
import { asksForJson, isWrapped } from './schema-fields.ts'

export function reviseRequest(document: JsonObject, revision: RequestRevision): JsonObject {
  const { responseFormat, instruction, turns = [] } = revision
  const revised: JsonObject = { ...document, messages: reviseMessages(asArray(document.messages), instruction, turns) }
  if (responseFormat?.type === 'text') delete revised.response_format
  else if (responseFormat !== undefined && !asksItsOwnWay(document)) {
    revised.response_format = renderResponseFormat(responseFormat)
  }
  return revised
}

/** As a server takes it that is not OpenAI's: what it is told besides could contradict that, or take the schema away. */
function asksItsOwnWay(document: JsonObject): boolean {
  return asksForJson(document) && !isWrapped(document.response_format)
}

function reviseMessages(
  messages: readonly JsonValue[],
  instruction: string | undefined,
  turns: NonNullable<RequestRevision['turns']>,
): JsonValue[] {
  const added = turns.map(({ role, text }): JsonObject => ({ role, content: text }))
  if (instruction === undefined) return [...messages, ...added]
  const place = lastInstruction(messages)
  const system: JsonObject = { role: roleOf(messages[place - 1]) ?? 'system', content: instruction }
  return [...messages.slice(0, place), system, ...messages.slice(place), ...added]
}

/** Behind the system and developer messages that the conversation begins with. */
function lastInstruction(messages: readonly JsonValue[]): number {
  const first = messages.findIndex((message) => !['system', 'developer'].includes(roleOf(message) ?? ''))
  return first === -1 ? messages.length : first
}

function roleOf(message: JsonValue | undefined): string | undefined {
  return asString(asObject(message)?.role)
}

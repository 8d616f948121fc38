/** Other orders to the model, patched into a Responses document. @see ClientFormat.reviseRequest */
import type { ResponseFormat } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import type { RequestRevision } from '../format.ts'
import { withoutUndefined } from '../fields.ts'

export function reviseRequest(document: JsonObject, revision: RequestRevision): JsonObject {
  const { responseFormat, instruction, turns = [] } = revision
  const revised: JsonObject = { ...document }
  if (responseFormat !== undefined)
    revised.text = { ...asObject(document.text), format: renderTextFormat(responseFormat) }
  if (instruction !== undefined) addInstruction(revised, instruction)
  if (turns.length > 0) {
    revised.input = [...itemsOf(revised.input), ...turns.map(({ role, text }) => ({ role, content: text }))]
  }
  return revised
}

/** Behind all that the conversation begins with: `instructions` come before it. */
function addInstruction(revised: JsonObject, instruction: string): void {
  const items = itemsOf(revised.input)
  const count = items.findIndex((item) => !isInstruction(asObject(item)))
  const place = count < 0 ? items.length : count
  if (place > 0) {
    revised.input = [...items.slice(0, place), { role: 'developer', content: instruction }, ...items.slice(place)]
    return
  }
  const given = asString(revised.instructions)
  revised.instructions = given ? `${given}\n\n${instruction}` : instruction
}

function isInstruction(item: JsonObject | undefined): boolean {
  return item?.role === 'system' || item?.role === 'developer'
}

function itemsOf(input: JsonValue | undefined): readonly JsonValue[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : asArray(input)
}

function renderTextFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return { type: 'text' }
    case 'json':
      return { type: 'json_object' }
    case 'json-schema':
      return withoutUndefined({
        type: 'json_schema',
        name: format.name,
        schema: format.schema,
        strict: format.strict,
      })
  }
}

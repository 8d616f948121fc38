/** Other orders to the model, patched into a generate-content document. @see Format.reviseRequest */
import { asObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { RequestRevision } from '../format.ts'
import { itemsIn, nameIn, valueIn } from './spelling.ts'

const ROLES = { user: 'user', assistant: 'model' } as const

export function reviseRequest(document: JsonObject, revision: RequestRevision): JsonObject {
  const { responseFormat, instruction, turns = [] } = revision
  const contents = nameIn(document, 'contents')
  return {
    ...document,
    ...(responseFormat === undefined ? {} : reviseConfig(document, responseFormat)),
    ...(instruction === undefined ? {} : reviseSystem(document, instruction)),
    ...(turns.length === 0
      ? {}
      : { [contents]: [...itemsIn(document, 'contents'), ...turns.map(({ role, text }) => turn(ROLES[role], text))] }),
  }
}

function reviseConfig(document: JsonObject, format: NonNullable<RequestRevision['responseFormat']>): JsonObject {
  const name = nameIn(document, 'generationConfig')
  const config: JsonObject = { ...asObject(document[name]) }
  for (const field of ['responseMimeType', 'responseSchema', 'responseJsonSchema']) delete config[nameIn(config, field)]
  if (format.type !== 'text') config.responseMimeType = 'application/json'
  if (format.type === 'json-schema') config.responseJsonSchema = format.schema
  return { [name]: config }
}

function reviseSystem(document: JsonObject, instruction: string): JsonObject {
  const name = nameIn(document, 'systemInstruction')
  const system = valueIn(document, 'systemInstruction')
  const parts: JsonValue[] =
    typeof system === 'string' ? [{ text: system }] : [...itemsIn(asObject(system) ?? {}, 'parts')]
  return { [name]: { ...asObject(system), parts: [...parts, { text: instruction }] } }
}

function turn(role: string, text: string): JsonObject {
  return { role, parts: [{ text }] }
}

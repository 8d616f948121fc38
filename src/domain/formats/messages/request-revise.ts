/** Other orders to the model, patched into a messages document. @see Format.reviseRequest */
import { asArray, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { RequestRevision } from '../format.ts'
import { closeObjects } from './output-schema.ts'

export function reviseRequest(document: JsonObject, revision: RequestRevision): JsonObject {
  const { instruction, turns = [] } = revision
  return {
    ...document,
    ...(revision.responseFormat === undefined ? {} : reviseOutput(document, revision.responseFormat)),
    ...(instruction === undefined ? {} : { system: reviseSystem(document.system, instruction) }),
    ...(turns.length === 0 ? {} : { messages: turns.reduce(addTurn, asArray(document.messages)) }),
  }
}

/** The vendor has schemas and no plain JSON mode: `json` removes the schema and leaves it to the instruction. */
function reviseOutput(document: JsonObject, format: NonNullable<RequestRevision['responseFormat']>): JsonObject {
  const { format: _old, ...config } = asObject(document.output_config) ?? {}
  const schema =
    format.type === 'json-schema' ? { format: { type: 'json_schema', schema: closeObjects(format.schema) } } : {}
  const revised = { ...config, ...schema }
  return { output_format: undefined, output_config: Object.keys(revised).length === 0 ? undefined : revised }
}

function reviseSystem(system: JsonValue | undefined, instruction: string): JsonValue {
  if (Array.isArray(system)) return [...system, { type: 'text', text: instruction }]
  return typeof system === 'string' && system !== '' ? `${system}\n\n${instruction}` : instruction
}

/** Turns alternate: one that has the last one's role becomes a further block of it. */
function addTurn(messages: JsonValue[], { role, text }: { readonly role: string; readonly text: string }): JsonValue[] {
  const last = messages.at(-1)
  const block: JsonObject = { type: 'text', text }
  if (!isJsonObject(last) || asString(last.role) !== role) return [...messages, { role, content: [block] }]
  const content = Array.isArray(last.content) ? last.content : [{ type: 'text', text: last.content ?? '' }]
  return [...messages.slice(0, -1), { ...last, content: [...content, block] }]
}

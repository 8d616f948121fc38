/** How other servers than OpenAI's are asked for JSON: vLLM, llama.cpp, SGLang, TGI, NIM, Together, Fireworks. */
import { parseInnerJson } from '../../json-parse.ts'
import { holdsAtMost, MAX_JSON_DEPTH } from '../../json-text.ts'
import { asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** A schema, or its text. */
export const SCHEMA_FIELDS = ['guided_json', 'json_schema'] as const

export interface NamedSchema {
  readonly name: string
  readonly schema: JsonObject
  /** Of the request, where it stands. */
  readonly field: string
}

/** Whether OpenAI's own place of a schema is filled. */
export function isWrapped(format: JsonValue | undefined): boolean {
  return (asObject(format)?.json_schema ?? null) !== null
}

/** The schema that such a server would hold its answer to, where OpenAI's would see none. What cannot be read is theirs to refuse. */
export function schemaForOthers(document: JsonObject): NamedSchema | undefined {
  if (isWrapped(document.response_format)) return undefined
  for (const [field, valueIn] of PLACES) {
    const schema = read(valueIn(document))
    if (schema !== undefined) return { ...unwrapped(schema), field }
  }
  return undefined
}

type Place = readonly [field: string, valueIn: (document: JsonObject) => JsonValue | undefined]

/** The first counts. */
const PLACES: readonly Place[] = [
  ['response_format', schemaOfFormat],
  ['guided_json', (document) => document.guided_json],
  ['json_schema', (document) => document.json_schema],
  ['structured_outputs', (document) => asObject(document.structured_outputs)?.json],
  ['nvext', (document) => asObject(document.nvext)?.guided_json],
]

const JSON_FORMATS: ReadonlySet<unknown> = new Set(['json', 'json_object', 'json_schema'])

function schemaOfFormat(document: JsonObject): JsonValue | undefined {
  const format = asObject(document.response_format)
  return format !== undefined && JSON_FORMATS.has(format.type) ? (format.schema ?? format.value) : undefined
}

/** Objects, arrays and what is in them, of a schema's text: vendors take some thousand properties. */
const MAX_SCHEMA_VALUES = 100_000

function read(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value !== 'string') return asObject(value)
  return holdsAtMost(value, MAX_SCHEMA_VALUES, MAX_JSON_DEPTH) ? asObject(parseInnerJson(value)) : undefined
}

/** TGI's may have a name: no schema has these fields and no type. */
function unwrapped(schema: JsonObject): Omit<NamedSchema, 'field'> {
  const { name, schema: inner } = schema
  if (isJsonObject(inner) && schema.type === undefined) return { name: asString(name) ?? UNNAMED, schema: inner }
  return { name: UNNAMED, schema }
}

const UNNAMED = 'answer'

/** @see Format.asksForJson */
export function asksForJson(document: JsonObject): boolean {
  if (JSON_FORMATS.has(asObject(document.response_format)?.type)) return true
  if (asObject(document.structured_outputs)?.json_object === true) return true
  return PLACES.some(([, valueIn]) => Boolean(valueIn(document)))
}

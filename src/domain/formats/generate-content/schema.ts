/**
 * The vendor's older schemas (`parameters`, `responseSchema`: a subset of OpenAPI 3.0 with types in upper case) -> JSON
 * schema, which every other format takes. The other way is not needed: for each of those fields the vendor has a newer one
 * (`parametersJsonSchema`, `responseJsonSchema`) that takes JSON schema, `$ref` and `additionalProperties` included.
 * @see https://ai.google.dev/api/caching#Schema
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { camelOf } from './spelling.ts'

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const SCHEMA_LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'defs', 'definitions'])
/** 64-bit integers, which protobuf writes as strings. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

/** The same schema in JSON schema's words. Keywords that it does not know stay as they are. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const converted: JsonObject = {}
  const nullable = schema.nullable === true
  for (const [name, value] of Object.entries(schema)) {
    const keyword = camelOf(name)
    if (keyword === 'type') Object.assign(converted, typeOf(value, nullable))
    else if (keyword === 'example') converted.examples = [value ?? null]
    else if (keyword === 'enum' && nullable && Array.isArray(value)) converted.enum = [...value, null]
    else if (!isWithoutMeaning(keyword, value)) converted[keyword] = valueOf(keyword, value)
  }
  return converted
}

/** `nullable` goes into the type; the order of properties is theirs alone; the format of an enum says nothing. */
function isWithoutMeaning(keyword: string, value: JsonValue | undefined): boolean {
  return keyword === 'nullable' || keyword === 'propertyOrdering' || (keyword === 'format' && value === 'enum')
}

function typeOf(value: JsonValue | undefined, nullable: boolean): JsonObject {
  if (typeof value !== 'string') return value === undefined ? {} : { type: value }
  if (value === 'TYPE_UNSPECIFIED') return {}
  const type = value.toLowerCase()
  return { type: nullable ? [type, 'null'] : type }
}

function valueOf(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  if (SCHEMA_KEYWORDS.has(keyword)) return convert(value)
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map((item) => convert(item) ?? null)
  if (SCHEMA_MAPS.has(keyword) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)]))
  }
  if (COUNTS.has(keyword) && typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value)
  return value
}

function convert(value: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(value) ? jsonSchemaOf(value) : value
}

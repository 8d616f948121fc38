/** JSON schemas for structured outputs. The vendor refuses one whose objects are left open. */
import { asArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** A copy in which every object that says nothing of it allows no further properties. Depth is bounded by the body's. */
export function closeObjects(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(closeObjects)
  if (!isJsonObject(schema)) return schema
  const copy: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    copy[keyword] = value === undefined || LITERALS.has(keyword) ? value : closeKeyword(keyword, value)
  }
  if (isOfObjects(schema) && schema.additionalProperties === undefined) copy.additionalProperties = false
  return copy
}

function isOfObjects({ type }: JsonObject): boolean {
  return type === 'object' || asArray(type).includes('object')
}

/** Their values are examples of answers, not schemas. */
const LITERALS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])
/** Their values are schemas by a name, which may be that of a keyword. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])

function closeKeyword(keyword: string, value: JsonValue): JsonValue {
  if (!NAMED.has(keyword) || !isJsonObject(value)) return closeObjects(value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inner && closeObjects(inner)]))
}

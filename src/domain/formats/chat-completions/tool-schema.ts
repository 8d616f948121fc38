/**
 * A schema as OpenAI takes it, where other vendors take more: of a tool's arguments the root is an object with properties,
 * and every list says of what it is, also one that begins with others (`prefixItems`). What is added means the same. Depth is bounded by the body's.
 */
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

const SCHEMAS = ['items', 'additionalProperties', 'not']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const MAPS = ['properties', '$defs', 'definitions']

/** The schema of a tool's arguments. Tools without arguments often have one without properties. */
export function argumentsSchema(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(schema)) return schema
  const root = schema.type === 'object' && schema.properties === undefined ? { ...schema, properties: {} } : schema
  return withItems(root)
}

/** Lists of whatever say so. Returns `schema` itself where nothing has to change. */
export function withItems(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema
  const patch: JsonObject = {}
  for (const keyword of SCHEMAS) note(patch, keyword, schema[keyword], withItems)
  for (const keyword of LISTS) note(patch, keyword, schema[keyword], eachOfList)
  for (const keyword of MAPS) note(patch, keyword, schema[keyword], eachOfMap)
  if (isList(schema) && schema.items === undefined) patch.items = {}
  return Object.keys(patch).length > 0 ? { ...schema, ...patch } : schema
}

function isList({ type }: JsonObject): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

function note(
  patch: JsonObject,
  keyword: string,
  value: JsonValue | undefined,
  change: (value: JsonValue) => JsonValue,
): void {
  if (value === undefined) return
  const changed = change(value)
  if (changed !== value) patch[keyword] = changed
}

function eachOfList(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value
  const changed = value.map(withItems)
  return changed.every((schema, index) => schema === value[index]) ? value : changed
}

function eachOfMap(value: JsonValue): JsonValue {
  const map = asObject(value)
  if (map === undefined) return value
  const changed = Object.entries(map).map(([name, schema]): [string, JsonValue] => [name, withItems(schema ?? null)])
  return changed.every(([name, schema]) => schema === map[name]) ? value : Object.fromEntries(changed)
}

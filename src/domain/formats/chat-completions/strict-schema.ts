/**
 * Whether OpenAI holds an answer or a call strictly to a schema: asked to for another one it refuses the request.
 * Every property must be required and every object closed. Depth is bounded by the body's.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
import { asArray, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** Whether `schema` may be sent with `strict`. */
export function canBeStrict(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.type === 'object' && schema.anyOf === undefined && isTaken(schema)
}

/** Keywords that are refused. */
const REFUSED: ReadonlySet<string> = new Set([
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'uniqueItems',
  'unevaluatedItems',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'default',
])

const FORMATS: ReadonlySet<JsonValue> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
])

/** A schema says what it is by one of these. */
const KINDS = ['type', '$ref', 'anyOf', 'enum', 'const'] as const

function isTaken(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false
  return (
    KINDS.some((keyword) => schema[keyword] !== undefined) &&
    hasTakenKeywords(schema) &&
    (!isOfObjects(schema) || isClosed(schema)) &&
    innerSchemas(schema).every(isTaken)
  )
}

/** A reference has nothing beside it, a description neither. */
function hasTakenKeywords(schema: JsonObject): boolean {
  const keywords = Object.keys(schema)
  if (schema.$ref !== undefined && keywords.length > 1) return false
  if (schema.format !== undefined && !FORMATS.has(schema.format)) return false
  return keywords.every((keyword) => !REFUSED.has(keyword))
}

function isOfObjects({ type, properties }: JsonObject): boolean {
  return type === 'object' || asArray(type).includes('object') || properties !== undefined
}

function isClosed({ properties, required, additionalProperties }: JsonObject): boolean {
  const names = new Set(asArray(required).map(asString))
  return additionalProperties === false && Object.keys(asObject(properties) ?? {}).every((name) => names.has(name))
}

function innerSchemas(schema: JsonObject): (JsonValue | undefined)[] {
  const { properties, $defs, definitions, anyOf, items } = schema
  const named = [properties, $defs, definitions].flatMap((schemas) => Object.values(asObject(schemas) ?? {}))
  return [...named, ...asArray(anyOf), ...(items === undefined ? [] : [items])]
}

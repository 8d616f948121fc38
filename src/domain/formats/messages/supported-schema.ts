/**
 * JSON schemas of other vendors' clients, as the vendor takes them for structured outputs and strict tools. What it
 * refuses (bounds of numbers, lengths, patterns, most formats) goes into the description, where the model reads it, as
 * with the vendor's own SDKs. Depth is bounded by the body's.
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
import { asObject, asString, isContainer, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { closeObjects } from './output-schema.ts'

export interface SupportedSchema {
  readonly schema: JsonValue
  /** Whether answers are held to all that the client's schema says. */
  readonly isWhole: boolean
}

/**
 * A copy that is taken. Objects that may hold anything, and maps (`additionalProperties` with a schema), are left to the
 * vendor to refuse: closed they could hold nothing, and the answer would be another one.
 */
export function supportedSchema(schema: JsonValue): SupportedSchema {
  const refused = new Set<string>()
  const taken = supported(closeObjects(schema), refused)
  return { schema: taken, isWhole: refused.size === 0 }
}

/** Adds the keywords that cannot stay to `refused`. Undefined: this one cannot. */
type Translate = (value: JsonValue, refused: Set<string>) => JsonValue | undefined

/** What becomes of a keyword's value. One that is not here is refused. */
const KEYWORDS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['$schema', same],
  ['$id', same],
  ['$ref', same],
  ['$defs', named],
  ['definitions', named],
  ['title', same],
  ['description', same],
  ['default', same],
  ['type', same],
  ['properties', named],
  ['required', same],
  ['additionalProperties', supported],
  ['items', supported],
  ['minItems', (count) => (count === 0 || count === 1 ? count : undefined)],
  ['anyOf', listed],
  ['allOf', listed],
  ['enum', (values) => (Array.isArray(values) && values.some(isContainer) ? undefined : values)],
  ['const', (value) => (isContainer(value) ? undefined : value)],
  ['format', (format) => (FORMATS.has(format) ? format : undefined)],
])

/** They bind no answer, wherever they stand. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'deprecated',
  'example',
  'examples',
  'readOnly',
  'writeOnly',
])

/** What is lost beside a reference, as with the vendor's own SDKs, without any answer being another one. */
const BESIDE_REFERENCES: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  '$ref',
  '$defs',
  'definitions',
  '$schema',
  '$id',
  'title',
  'description',
  'default',
])

const FORMATS: ReadonlySet<JsonValue> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

function supported(schema: JsonValue, refused: Set<string>): JsonValue {
  if (!isJsonObject(schema)) return schema
  const taken: JsonObject = {}
  const hints: string[] = []
  for (const [keyword, value] of Object.entries(simplified(schema, refused))) {
    if (value === undefined) continue
    const translated = KEYWORDS.get(keyword)?.(value, refused)
    if (translated !== undefined) taken[keyword] = translated
    else {
      if (!ANNOTATIONS.has(keyword)) refused.add(keyword)
      hints.push(`${keyword}: ${JSON.stringify(value)}`)
    }
  }
  return hints.length === 0 ? taken : { ...taken, description: describe(taken.description, hints) }
}

/** A reference stands alone; a choice of exactly one is a choice of any. */
function simplified(schema: JsonObject, refused: Set<string>): JsonObject {
  const { $ref, $defs, definitions, oneOf, ...rest } = schema
  if ($ref !== undefined) {
    for (const keyword of Object.keys(schema)) if (!BESIDE_REFERENCES.has(keyword)) refused.add(keyword)
    return { $ref, $defs, definitions }
  }
  const closed = closedAgain(schema, refused)
  return oneOf === undefined || rest.anyOf !== undefined ? closed : { ...closed, oneOf: undefined, anyOf: oneOf }
}

/** An object that may hold more than it names holds just that. */
function closedAgain(schema: JsonObject, refused: Set<string>): JsonObject {
  const { additionalProperties: others } = schema
  if (others === undefined || others === false) return schema
  refused.add('additionalProperties')
  return others === true && hasProperties(schema) ? { ...schema, additionalProperties: false } : schema
}

function hasProperties({ properties }: JsonObject): boolean {
  return Object.keys(asObject(properties) ?? {}).length > 0
}

function describe(description: JsonValue | undefined, hints: readonly string[]): string {
  const said = asString(description) ?? ''
  return `${said}${said === '' ? '' : '\n\n'}{${hints.join(', ')}}`
}

function same(value: JsonValue): JsonValue {
  return value
}

function named(schemas: JsonValue, refused: Set<string>): JsonValue {
  if (!isJsonObject(schemas)) return schemas
  const entries = Object.entries(schemas)
  return Object.fromEntries(entries.map(([name, schema]) => [name, schema && supported(schema, refused)]))
}

function listed(schemas: JsonValue, refused: Set<string>): JsonValue {
  return Array.isArray(schemas) ? schemas.map((schema) => supported(schema, refused)) : schemas
}

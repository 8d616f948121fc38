/**
 * The smallest value that fulfils a simple JSON Schema, with strings taken from a text. Knows type, enum, const, properties,
 * required, items, minItems, minimum, maximum, the usual formats, lengths, anyOf/oneOf/allOf (first branch) and local `$ref`. Anything
 * else is ignored. Bounded in depth and in number of values, so that a recursive schema ends.
 */
import { asArray, asNumber, asObject, asString } from '../domain/json.ts'
import type { JsonObject, JsonValue } from '../domain/json.ts'

const MAX_DEPTH = 12
const MAX_VALUES = 1_000
const MAX_ITEMS = 16
const MAX_STRING = 4_000

const FORMAT_SAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
  time: '12:00:00Z',
  email: 'demo@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com/',
  ipv4: '192.0.2.1',
}

interface Sampler {
  readonly root: JsonObject
  readonly textFor: (name: string, schema: JsonObject) => JsonValue
  left: number
}

/** A value for `schema`; strings are `text`. */
export function sampleOf(schema: JsonObject, text: string): JsonValue {
  return sample(schema, '', { root: schema, textFor: () => text, left: MAX_VALUES }, 0)
}

/**
 * Arguments for a tool. A property is looked for as `name=value`, `name: value` or `name is value`; then a string takes what
 * stands out in the prompt (a redaction token, an address, a quotation, a capitalised word, the last word), a number the first number.
 */
export function argumentsFromPrompt(parameters: JsonObject, prompt: string): JsonObject {
  const standingOut = outstandingWords(prompt)
  const numbers = [...prompt.matchAll(/-?\b\d+(?:\.\d+)?\b/g)].map(([digits]) => Number(digits))
  const textFor = (name: string, schema: JsonObject): JsonValue => {
    const stated = statedValue(prompt, name)
    if (isNumeric(schema)) return Number(stated ?? numbers.shift() ?? Number.NaN)
    const allowed = asArray(schema['enum']).find(
      (value) => typeof value === 'string' && prompt.toLowerCase().includes(value.toLowerCase()),
    )
    return allowed ?? stated ?? standingOut.shift() ?? prompt.trim()
  }
  return (
    asObject(sample({ type: 'object', ...parameters }, '', { root: parameters, textFor, left: MAX_VALUES }, 0)) ?? {}
  )
}

function sample(schema: JsonObject, name: string, sampler: Sampler, depth: number): JsonValue {
  sampler.left -= 1
  if (depth > MAX_DEPTH || sampler.left < 0) return null
  const branch = branchOf(schema, sampler.root)
  if (branch !== undefined) return sample(branch, name, sampler, depth + 1)
  if (schema['const'] !== undefined) return schema['const']
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, sampler, depth)
    case 'array':
      return sampleArray(schema, name, sampler, depth)
    case 'number':
    case 'integer':
      return sampleNumber(schema, name, sampler)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return sampleString(schema, name, sampler)
  }
}

function sampleObject(schema: JsonObject, sampler: Sampler, depth: number): JsonObject {
  const properties = asObject(schema['properties']) ?? {}
  const required = asArray(schema['required']).filter((name) => typeof name === 'string')
  const names = required.length > 0 ? required : Object.keys(properties)
  const entries = names.map((name): [string, JsonValue] => {
    const property = Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined
    return [name, sample(property ?? {}, name, sampler, depth + 1)]
  })
  return Object.fromEntries(entries)
}

function sampleArray(schema: JsonObject, name: string, sampler: Sampler, depth: number): JsonValue[] {
  const length = Math.min(
    Math.max(1, asNumber(schema['minItems']) ?? 1),
    asNumber(schema['maxItems']) ?? MAX_ITEMS,
    MAX_ITEMS,
  )
  return Array.from({ length }, () => sample(asObject(schema['items']) ?? {}, name, sampler, depth + 1))
}

function sampleNumber(schema: JsonObject, name: string, sampler: Sampler): number {
  const found = asNumber(sampler.textFor(name, schema)) ?? asNumber(schema['minimum']) ?? 1
  const value = Math.min(Math.max(found, asNumber(schema['minimum']) ?? found), asNumber(schema['maximum']) ?? found)
  return schema['type'] === 'integer' ? Math.trunc(value) : value
}

function sampleString(schema: JsonObject, name: string, sampler: Sampler): JsonValue {
  const allowed = asArray(schema['enum'])
  const text = sampler.textFor(name, schema)
  if (allowed.length > 0) return allowed.includes(text) ? text : (allowed[0] ?? null)
  const format = asString(schema['format'])
  const found = (format === undefined ? undefined : FORMAT_SAMPLES[format]) ?? String(text)
  const minimum = Math.min(asNumber(schema['minLength']) ?? 0, MAX_STRING)
  return found.padEnd(minimum, '.').slice(0, Math.min(asNumber(schema['maxLength']) ?? MAX_STRING, MAX_STRING))
}

/** Where the schema says "see there". */
function branchOf(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  const reference = asString(schema['$ref'])
  if (reference?.startsWith('#/') === true) {
    const path = reference.slice(2).split('/')
    return asObject(path.reduce<JsonValue | undefined>((at, key) => asObject(at)?.[key], root)) ?? {}
  }
  return asObject(asArray(schema['anyOf'])[0] ?? asArray(schema['oneOf'])[0] ?? asArray(schema['allOf'])[0])
}

/** Gemini writes types in capitals. */
function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (typeof type === 'string') return type.toLowerCase()
  return schema['properties'] === undefined ? 'string' : 'object'
}

function isNumeric(schema: JsonObject): boolean {
  const type = typeOf(schema)
  return type === 'number' || type === 'integer'
}

function statedValue(prompt: string, name: string): string | undefined {
  const at = name === '' ? -1 : prompt.toLowerCase().indexOf(name.toLowerCase())
  if (at < 0) return undefined
  const stated = /^\s{0,3}(?:=|:|\bis\b)\s{0,3}(?:"([^"]{1,400})"|'([^']{1,400})'|([^\s,;]{1,400}))/.exec(
    prompt.slice(at + name.length, at + name.length + 420),
  )
  return stated?.[1] ?? stated?.[2] ?? stated?.[3]
}

function outstandingWords(prompt: string): string[] {
  const patterns = [
    /\[\[LLM_REDACTED_[A-Z]{1,32}_[^\]\s]{1,64}\]\]/g,
    /[^\s@<>]{1,64}@[^\s@<>,;]{1,255}/g,
    /(?<=")[^"]{1,400}(?=")/g,
    /(?<=\s)\p{Lu}[\p{L}\p{N}]{1,60}/gu,
  ]
  const found = patterns.flatMap((pattern) => [...prompt.matchAll(pattern)].map(([word]) => word))
  return found.length > 0
    ? [...new Set(found)]
    : (prompt.match(/[\p{L}\p{N}]{1,60}(?=[^\p{L}\p{N}]*$)/u)?.slice(0, 1) ?? [])
}

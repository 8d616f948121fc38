/**
 * Reads fields of a client's document. Each reader returns undefined for an absent field and for null (the vendors take
 * null for «not given»), and throws an `InvalidRequestError` that names the field where the type is another.
 * `parent` is the path of the object that holds the field, absent at the top.
 */
import { InvalidRequestError } from '../errors.ts'
import { asString, isJsonObject, numberOf, type JsonObject, type JsonValue } from '../json.ts'

/**
 * Messages of one request: what Anthropic's API takes, the only vendor that states a number. Another's own bound is the
 * vendor's to tell. @see https://docs.anthropic.com/en/api/messages
 */
export const MAX_MESSAGES = 100_000

/**
 * Characters of an id of the end user that OpenAI takes, in every call; compatible servers take 128 or more.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const MAX_USER_CHARACTERS = 64

export function optionalString(object: JsonObject, field: string, parent?: string): string | undefined {
  const value = object[field]
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  throw wrongType(value, 'a string', pathOf(parent, field))
}

export function requiredString(object: JsonObject, field: string, parent?: string): string {
  const value = optionalString(object, field, parent)
  if (value !== undefined) return value
  throw wrongType(object[field], 'a string', pathOf(parent, field))
}

/** The model of a request that names it in its body. */
export function modelIn(document: JsonObject): string | undefined {
  const model = optionalString(document, 'model')
  if (model !== '') return model
  throw new InvalidRequestError(
    "Invalid value for 'model': it is empty. Leave it out for an automatic choice.",
    'model',
  )
}

export function optionalNumber(object: JsonObject, field: string, parent?: string): number | undefined {
  const value = object[field]
  if (value === undefined || value === null) return undefined
  const number = numberOf(value)
  if (number !== undefined) return number
  throw wrongType(value, 'a number', pathOf(parent, field))
}

/** An integer of `range.min` at least and, where given, `range.max` at most. */
export function optionalInteger(
  object: JsonObject,
  field: string,
  range: { readonly min: number; readonly max?: number },
  parent?: string,
): number | undefined {
  const value = object[field]
  if (value === undefined || value === null) return undefined
  const max = range.max ?? Number.MAX_SAFE_INTEGER
  const number = numberOf(value)
  if (number !== undefined && Number.isInteger(number) && number >= range.min && number <= max) return number
  const bounds = range.max === undefined ? `of at least ${range.min}` : `from ${range.min} to ${range.max}`
  throw wrongType(value, `an integer ${bounds}`, pathOf(parent, field))
}

export function optionalBoolean(object: JsonObject, field: string, parent?: string): boolean | undefined {
  const value = object[field]
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
  throw wrongType(value, 'a boolean', pathOf(parent, field))
}

export function optionalObject(object: JsonObject, field: string, parent?: string): JsonObject | undefined {
  const value = object[field]
  if (value === undefined || value === null || isJsonObject(value)) return value ?? undefined
  throw wrongType(value, 'an object', pathOf(parent, field))
}

export function requiredObject(object: JsonObject, field: string, parent?: string): JsonObject {
  return objectAt(object[field], pathOf(parent, field))
}

export function optionalArray(object: JsonObject, field: string, parent?: string): JsonValue[] | undefined {
  const value = object[field]
  if (value === undefined || value === null || Array.isArray(value)) return value ?? undefined
  throw wrongType(value, 'an array', pathOf(parent, field))
}

/** An element of an array, where only an object will do. */
export function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value
  throw wrongType(value, 'an object', path)
}

/** The error for a value that is not what `expected` says. It names the type that came, and a value only where it is a number. */
export function wrongType(value: JsonValue | undefined, expected: string, path: string): InvalidRequestError {
  const given = value === undefined ? 'nothing' : nameOf(value)
  return new InvalidRequestError(`Invalid value for '${path}': expected ${expected}, but got ${given}.`, path)
}

type Required<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** A copy without the fields that are undefined: documents hold no such fields, and optional fields refuse them. */
export function withoutUndefined<T extends object>(fields: T): Required<T> & Optional<T> {
  const copy: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) copy[name] = fields[name]
  return copy as Required<T> & Optional<T>
}

function pathOf(parent: string | undefined, field: string): string {
  return parent === undefined ? field : `${parent}.${field}`
}

function nameOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const number = numberOf(value)
  if (number !== undefined) return `the number ${number}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Refuses what stands for one of `names` in other letters, `Max_Tokens`: servers written in Go take it for the field, and
 * obey it where it is the later one, while the gateway decides by the field and takes this one for unknown.
 */
export type OwnLetters = (object: JsonObject, parent?: string) => void

/** @param names fields that the gateway decides by */
export function inOwnLetters(...names: readonly string[]): OwnLetters {
  const own = new Set(names)
  const meant = new Map(names.map((name) => [folded(name), name]))
  return (object, parent) => {
    for (const name in object) {
      const field = own.has(name) ? undefined : meant.get(folded(name))
      if (field === undefined) continue
      const path = pathOf(parent, name)
      throw new InvalidRequestError(`The field '${path}' is not known; write it as '${field}'.`, path)
    }
  }
}

/** As Go compares names: the long s and the sign of the kelvin are letters like others. @see https://pkg.go.dev/strings#EqualFold */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** No vendor's are longer. Each event or call of an answer repeats them: a provider could make gigabytes of a megabyte. */
const MAX_NAME = 256

/** A provider's name of a model or an answer; empty where it gives none. */
export function shortName(value: JsonValue | undefined): string {
  return asString(value)?.slice(0, MAX_NAME) ?? ''
}

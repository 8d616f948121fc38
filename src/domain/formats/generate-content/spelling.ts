/**
 * The vendor's API takes every field in two spellings, `systemInstruction` and `system_instruction`, and a single object
 * where it expects a list (its own examples use both). Here fields are asked for by their first spelling; what the client
 * wrote is found either way, and errors and patches keep the client's.
 */
import { InvalidRequestError } from '../../errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { wrongType } from '../fields.ts'

/** The name under which `object` holds the field: the other spelling only where it alone is there. */
export function nameIn(object: JsonObject, field: string): string {
  if (object[field] !== undefined) return field
  const other = snakeOf(field)
  return object[other] === undefined ? field : other
}

/** The field's value in either spelling. */
export function valueIn(object: JsonObject, field: string): JsonValue | undefined {
  return object[nameIn(object, field)]
}

/** A list and its path, for the paths of its items. */
export interface List {
  readonly items: readonly JsonValue[]
  readonly path: string
}

/** A list, or one object in its place; empty where it is absent. @throws {InvalidRequestError} where it is neither. */
export function listIn(object: JsonObject, field: string, parent?: string): List {
  const name = nameIn(object, field)
  const path = parent === undefined ? name : `${parent}.${name}`
  const value = object[name]
  if (value === undefined || value === null) return { items: [], path }
  if (Array.isArray(value)) return { items: value, path }
  if (typeof value === 'object') return { items: [value], path }
  throw wrongType(value, 'an array', path)
}

/** Like `listIn`, for walks over documents that have been checked or need no check: what is no list is empty. */
export function itemsIn(object: JsonObject, field: string): readonly JsonValue[] {
  const value = valueIn(object, field)
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? [value] : []
}

/**
 * A field in both spellings says two things: the gateway would govern one and the provider might obey the other.
 * @throws {InvalidRequestError} naming the second.
 */
export function requireOneSpelling(object: JsonObject, path?: string): void {
  const seen = new Set<string>()
  for (const name of Object.keys(object)) {
    const field = camelOf(name)
    if (seen.has(field)) {
      const where = path === undefined ? name : `${path}.${name}`
      throw new InvalidRequestError(`The field '${where}' is given in two spellings; give one of them.`, where)
    }
    seen.add(field)
  }
}

/** No field of the vendor's has a longer name. */
const MAX_NAME = 256

/** The first spelling of a field's name. */
export function camelOf(name: string): string {
  return name.length <= MAX_NAME && name.includes('_')
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name
}

/** Asked for with the names in this folder's code only, so it stays small. */
const SNAKES = new Map<string, string>()

/** The second spelling. */
export function snakeOf(field: string): string {
  let snake = SNAKES.get(field)
  if (snake === undefined) {
    snake = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    SNAKES.set(field, snake)
  }
  return snake
}

/** Both spellings. */
export function spellings(field: string): readonly [string, string] {
  return [field, snakeOf(field)]
}

/** Of all the fields both spellings. */
export function bothSpellings(fields: readonly string[]): ReadonlySet<string> {
  return new Set(fields.flatMap(spellings))
}

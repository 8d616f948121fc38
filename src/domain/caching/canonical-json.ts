/** One text for all spellings of a JSON document: the key of what is equal, whatever the order of its fields. */
import type { JsonObject, JsonValue } from '../json.ts'

/**
 * The document with its fields in the order of their names, without spaces.
 * @returns undefined where a number may have lost digits in parsing (integers beyond 2^53, numbers beyond all bounds):
 * two documents that a provider tells apart could then look equal.
 */
export function canonicalJson(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(inOrder(value))
  } catch (error) {
    if (error === INEXACT) return undefined
    throw error
  }
}

const INEXACT = new RangeError('a number of the document is not exact')

/** The value itself where everything in it is in order, as it mostly is: writing it is then the runtime's work alone. */
function inOrder(value: JsonValue): JsonValue {
  if (typeof value === 'number' && !isExact(value)) throw INEXACT
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return fieldsInOrder(value)
  let copy: JsonValue[] | undefined
  for (let index = 0; index < value.length; index++) {
    const item = value[index] ?? null
    const ordered = inOrder(item)
    if (ordered !== item) copy ??= value.slice()
    if (copy !== undefined) copy[index] = ordered
  }
  return copy ?? value
}

/** `1e400` is read as infinite, and written as null. */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function fieldsInOrder(object: JsonObject): JsonObject {
  const names = Object.keys(object)
  let same = isInOrder(names)
  if (!same) names.sort()
  const values: (JsonValue | undefined)[] = []
  for (const name of names) {
    const field = object[name]
    const ordered = field === undefined ? undefined : inOrder(field)
    same &&= ordered === field
    values.push(ordered)
  }
  return same ? object : Object.fromEntries(names.map((name, index) => [name, values[index]]))
}

function isInOrder(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) {
    if ((names[index - 1] ?? '') > (names[index] ?? '')) return false
  }
  return true
}

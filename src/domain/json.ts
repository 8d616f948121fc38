/** A JSON value as `JSON.parse` returns it. Outside data is `JsonValue` until a parser gives it a type. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

/** A JSON object. Absent fields read as `undefined`. */
export interface JsonObject {
  [field: string]: JsonValue | undefined
}

/**
 * A number as its text, in the place of one that a double would write otherwise: what `parseJson` (json-parse.ts) reads and
 * `JSON.stringify` writes. It is frozen, and no object of the document: `isJsonObject` says so, and code that looks inside
 * values must not take it for one. A spread or a `structuredClone` of it would be an object.
 */
export type RawNumber = { readonly rawJSON: string }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** Whether `value` is a JSON object (neither an array, a number kept as its text nor null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** What holds other values. */
export type Container = JsonObject | JsonValue[]

export function isContainer(value: JsonValue | undefined): value is Container {
  return isJsonObject(value) || Array.isArray(value)
}

/** A raw number has no prototype, which is asked for first: that is faster, and all objects of ordinary documents have one. */
function isRawNumber(value: object): value is RawNumber {
  return !(value instanceof Object) && JSON.isRawJSON(value)
}

/** Gives the object a field, whatever its name: assigned, `__proto__` would be none. */
export function putField(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/** `value` as an object, or undefined where it is anything else. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** `value` as an array, or an empty one where it is anything else. */
export function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** `value` as a string, or undefined where it is anything else. */
export function asString(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** `value` as a finite number, or undefined where it is anything else. */
export function asNumber(value: JsonValue | undefined): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isFinite(number) ? number : undefined
}

/** `value` as the double that `JSON.parse` reads, infinite where it is beyond all bounds; undefined where it is no number. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'object' && value !== null && isRawNumber(value) ? Number(value.rawJSON) : undefined
}

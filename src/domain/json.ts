/** A JSON value as `JSON.parse` returns it. Outside data is `JsonValue` until a parser gives it a type. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

/** A JSON object. Absent fields read as `undefined`. */
export interface JsonObject {
  [field: string]: JsonValue | undefined
}

/** Whether `value` is a JSON object (neither an array nor null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

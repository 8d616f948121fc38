/**
 * Defaults as the API server applies them: a null where none is allowed is dropped (or replaced by the default), then
 * absent fields with a default take it, then the same inside what is there. So `timeouts: {}` by default gets its
 * fields' defaults, and an absent object without a default stays absent.
 */
import type { Schema } from './schema.ts'

/** A copy of `value` with defaults. Values of other types than the schema's are left for the validation to refuse. */
export function applyDefaults(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((item: unknown) => applyDefaults(items, item))
  }
  return isRecord(value) ? defaultedObject(schema, value) : value
}

function defaultedObject(schema: Schema, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null)
  for (const [name, field] of Object.entries(value)) {
    const known = propertyOf(schema, name) ?? schema.additionalProperties
    if (known !== undefined && field === null) continue
    result[name] = known === undefined ? field : applyDefaults(known, field)
  }
  for (const [name, known] of Object.entries(schema.properties ?? {})) {
    if (known.default !== undefined && !(name in result)) result[name] = applyDefaults(known, known.default)
  }
  return result
}

/** The schema of a field, where the schema names it. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const { properties } = schema
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

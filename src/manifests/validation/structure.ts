/** The structure of an object by its schema, which is ajv's work: types, names, required fields, forms, ranges. */
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { METADATA_SCHEMA } from './metadata.ts'
import type { Schema } from './schema.ts'
import { STRUCTURE_FORMATS } from './structure-formats.ts'

/** Whether a value has the structure; its `errors` say where not. The value has defaults applied and no status. */
export type StructureCheck = ValidateFunction

/** A start waits for the compilation: the schemas are our own, so a test checks them, and each is run a few times only. */
const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  validateSchema: false,
  meta: false,
  formats: STRUCTURE_FORMATS,
  code: { optimize: false },
}

/** @param options beside those that decide what is found */
export function structureAjv(options?: Options): Ajv {
  return new Ajv({ ...OPTIONS, ...options })
}

/** What every object has beside the fields of its kind. */
export function withObjectFields(schema: Schema): Schema {
  return {
    ...schema,
    required: [...new Set(['metadata', ...(schema.required ?? [])])],
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: METADATA_SCHEMA,
      status: { type: 'object' },
    },
  }
}

/** JSON Schema of a structural schema: unknown fields refused, Kubernetes' own keywords left out. */
export function toJsonSchema(schema: Schema): Record<string, unknown> {
  const { properties, additionalProperties, items, default: _default, description: _description, ...rest } = schema
  const plain: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !name.startsWith('x-')),
  )
  if (schema.type === 'object') {
    plain['additionalProperties'] = additionalProperties === undefined ? false : toJsonSchema(additionalProperties)
    plain['properties'] = Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, child]) => [name, toJsonSchema(child)]),
    )
    // Status is dropped before; whatever else has no fields of its own takes any.
    if (properties === undefined && additionalProperties === undefined) plain['additionalProperties'] = true
  }
  if (items !== undefined) plain['items'] = toJsonSchema(items)
  return plain
}

/**
 * Validation by the CRDs' own schemas: structure by ajv, lists and CEL rules by ours. The order is the API server's:
 * unknown fields, then the schema, then (unless a fault would make them meaningless) the CEL rules.
 */
import { Ajv, type ErrorObject } from 'ajv'
import { compileRules } from './cel.ts'
import { applyDefaults, isRecord, propertyOf } from './defaults.ts'
import { toFieldProblem } from './explain.ts'
import { checkLists } from './lists.ts'
import { METADATA_SCHEMA } from './metadata.ts'
import type { FieldProblem } from './problem.ts'
import type { Schema } from './schema.ts'

export interface Validation {
  /** A copy with defaults and without status. Meaningful only where there are no problems. */
  readonly value: unknown
  readonly problems: readonly FieldProblem[]
}

export type Validator = (document: unknown) => Validation

const RFC3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const INT32_MAX = 2_147_483_647

/** The validator of one kind, compiled once. */
export function compileValidator(kindSchema: Schema): Validator {
  const schema = withObjectFields(kindSchema)
  const validate = createAjv().compile(toJsonSchema(schema))
  const checkRules = compileRules(schema)
  return (document) => {
    const value = applyDefaults(schema, withoutStatus(document))
    const found = validate(value) ? [] : readErrors(validate.errors ?? [], value, schema)
    const problems = [...found, ...checkLists(schema, value)]
    if (problems.some(({ blocking }) => blocking)) return { value, problems }
    return { value, problems: [...problems, ...checkRules(value)] }
  }
}

/** What every object has beside the fields of its kind. */
function withObjectFields(schema: Schema): Schema {
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

/** The API server drops a status that comes with a creation, whatever it holds. */
function withoutStatus(document: unknown): unknown {
  if (!isRecord(document)) return document
  const { status: _status, ...rest } = document
  return rest
}

/** A start waits for the compilation: the schemas are our own, so a test checks them, and each is run a few times only. */
function createAjv(): Ajv {
  const own = { validateSchema: false, meta: false, code: { optimize: false } } as const
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, ownProperties: true, ...own })
  ajv.addFormat('date-time', { type: 'string', validate: isDateTime })
  // The grammar is the pattern that stands beside it.
  ajv.addFormat('duration', { type: 'string', validate: () => true })
  ajv.addFormat('byte', { type: 'string', validate: (text) => BASE64.test(text.replaceAll(/[\r\n]/g, '')) })
  ajv.addFormat('int32', { type: 'number', validate: (number) => Math.abs(number) <= INT32_MAX })
  ajv.addFormat('int64', { type: 'number', validate: (number) => Number.isSafeInteger(number) })
  return ajv
}

/** RFC 3339 with a day that exists: `Date.parse` turns the 30th of February into March. */
function isDateTime(text: string): boolean {
  if (!RFC3339.test(text)) return false
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
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

function readErrors(errors: readonly ErrorObject[], value: unknown, schema: Schema): FieldProblem[] {
  // A value of a wrong type breaks every other rule as well: one message is enough.
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath))
  const telling = errors.filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
  return telling.map((error) => {
    const path = readPointer(error.instancePath, value)
    return toFieldProblem(error, path, schemaAt(schema, path))
  })
}

/** ajv's JSON pointer as a path; parts that index a list become numbers. */
function readPointer(pointer: string, value: unknown): (string | number)[] {
  const path: (string | number)[] = []
  let at: unknown = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(at) ? Number(name) : name)
    at = Array.isArray(at) ? at[Number(name)] : isRecord(at) ? at[name] : undefined
  }
  return path
}

function schemaAt(root: Schema, path: readonly (string | number)[]): Schema | undefined {
  let schema: Schema | undefined = root
  for (const part of path) {
    if (schema === undefined) return undefined
    schema = typeof part === 'number' ? schema.items : (propertyOf(schema, part) ?? schema.additionalProperties)
  }
  return schema
}

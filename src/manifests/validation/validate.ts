/**
 * Validation by the CRDs' own schemas: structure by ajv, lists and CEL rules by ours. The order is the API server's:
 * unknown fields, then the schema, then the CEL rules. It leaves those out where the schema is broken anywhere; here
 * only those of what is broken are, so that a file is not mended twice.
 */
import type { ErrorObject } from 'ajv'
import { compileRules, type RuleCheck } from './cel.ts'
import { applyDefaults, isRecord, propertyOf } from './defaults.ts'
import { toFieldProblem, withUnit, type StructureFault } from './explain.ts'
import { checkLists } from './lists.ts'
import type { FieldPath, FieldProblem } from '../problem.ts'
import type { ReadableKind } from './readable-kinds.ts'
import type { Schema } from './schema.ts'

export interface Validation {
  /** A copy with defaults and without status. Meaningful only where there are no problems. */
  readonly value: unknown
  readonly problems: readonly FieldProblem[]
}

export type Validator = (document: unknown) => Validation

/** The validator of one kind, whose rules are compiled once. */
export function validatorOf({ schema, checkStructure }: ReadableKind): Validator {
  const checkRules = compileRules(schema)
  return (document) => {
    const value = applyDefaults(schema, withoutStatus(document))
    const faults = checkStructure(value) ? [] : readErrors(checkStructure.errors ?? [], value, schema)
    const isRefused = refusedWithUnit(faults, value, checkRules)
    const found = faults.map((fault) => toFieldProblem(fault, isRefused))
    const problems = [...found, ...checkLists(schema, value)]
    const blocked = problems.filter(({ blocking }) => blocking).map(({ path }) => path)
    return { value, problems: [...problems, ...checkRules(value, blocked)] }
  }
}

/** The API server drops a status that comes with a creation, whatever it holds. */
function withoutStatus(document: unknown): unknown {
  if (!isRecord(document)) return document
  const { status: _status, ...rest } = document
  return rest
}

function readErrors(errors: readonly ErrorObject[], value: unknown, schema: Schema): StructureFault[] {
  // A value of a wrong type breaks every other rule as well: one message is enough.
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath))
  const telling = errors.filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
  return telling.map((error) => {
    const { path, found } = readPointer(error.instancePath, value)
    return { error, path, found, schema: schemaAt(schema, path) }
  })
}

/** Whether a number that stands for a duration would be refused next, by a rule of its own or of the fields beside it. */
function refusedWithUnit(
  faults: readonly StructureFault[],
  value: unknown,
  checkRules: RuleCheck,
): (path: FieldPath) => boolean {
  const isCurable = ({ found, schema }: StructureFault) => withUnit(found, schema) !== undefined
  const curable = faults.filter(isCurable)
  if (curable.length === 0) return () => false
  const cured = structuredClone(value)
  for (const { path, found, schema } of curable) put(cured, path, withUnit(found, schema))
  const others = faults.filter((fault) => !isCurable(fault)).map((fault) => toFieldProblem(fault, () => false))
  const blocked = others.filter(({ blocking }) => blocking).map(({ path }) => path)
  const refused = checkRules(cured, blocked)
  return (path) =>
    refused.some((rule) => rule.path.length >= path.length - 1 && rule.path.every((part, at) => part === path[at]))
}

function put(at: unknown, [name, ...rest]: FieldPath, value: unknown): void {
  if (name === undefined || typeof at !== 'object' || at === null) return
  if (rest.length === 0) Reflect.set(at, name, value)
  else put(Reflect.get(at, name), rest, value)
}

/** ajv's JSON pointer as a path, and what is there; parts that index a list become numbers. */
function readPointer(pointer: string, value: unknown): { readonly path: (string | number)[]; readonly found: unknown } {
  const path: (string | number)[] = []
  let at: unknown = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(at) ? Number(name) : name)
    at = Array.isArray(at) ? at[Number(name)] : isRecord(at) ? at[name] : undefined
  }
  return { path, found: at }
}

function schemaAt(root: Schema, path: readonly (string | number)[]): Schema | undefined {
  let schema: Schema | undefined = root
  for (const part of path) {
    if (schema === undefined) return undefined
    schema = typeof part === 'number' ? schema.items : (propertyOf(schema, part) ?? schema.additionalProperties)
  }
  return schema
}

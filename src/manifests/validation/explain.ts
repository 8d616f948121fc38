/** ajv's errors in the words of a person who has to correct the file. */
import type { ErrorObject } from 'ajv'
import type { FieldPath, FieldProblem } from '../problem.ts'
import type { Schema } from './schema.ts'
import { describePattern, describeRange, describeSchema, describeValue, didYouMean } from './words.ts'

/** One error of ajv's. */
export interface StructureFault {
  readonly error: ErrorObject
  readonly path: FieldPath
  /** What stands at the path. */
  readonly found: unknown
  /** Of what stands there; undefined where the schema knows nothing of it. */
  readonly schema: Schema | undefined
}

/** What is right, where a CRD's message of a rule tells one half of it: the CRDs are a contract. */
const RULES: ReadonlyMap<string, string> = new Map([
  ['secretRef is required unless type is None', 'a secretRef with type Bearer or Header, none with type None'],
  [
    'baseURL must be https (or set allowInsecureHTTP)',
    'an https:// address; with allowInsecureHTTP: true an http:// one too, and no other',
  ],
])

/** A rule in CEL that does not hold. */
export function toRuleProblem(path: FieldPath, message: string): FieldProblem {
  const allowed = RULES.get(message)
  return { path, message, ...(allowed === undefined ? {} : { allowed }) }
}

/** `isRefused` tells whether a rule would refuse the duration that a number at a path becomes by its unit. */
export function toFieldProblem(fault: StructureFault, isRefused: (path: FieldPath) => boolean): FieldProblem {
  const { error, path, found, schema } = fault
  const params: Readonly<Record<string, unknown>> = error.params
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField([...path, String(params['additionalProperty'])], Object.keys(schema?.properties ?? {}))
    case 'required':
      return {
        path: [...path, String(params['missingProperty'])],
        message: 'is required',
        ...missing(schema, params),
        blocking: true,
      }
    case 'type':
      return wrongType(fault, isRefused(path))
    case 'enum':
      return {
        path,
        message: `${quote(found)} is not supported`,
        allowed: schema?.enum?.join(', ') ?? '',
        blocking: true,
      }
    case 'pattern':
      return wrongPattern(fault)
    case 'format':
      return wrongFormat(fault)
    case 'minimum':
    case 'maximum':
      return {
        path,
        message: `${String(found)} is out of range`,
        allowed: schema === undefined ? '' : `a number${describeRange(schema)}`,
      }
    default:
      return outOfBounds(fault)
  }
}

function unknownField(path: FieldPath, known: readonly string[]): FieldProblem {
  const message = `unknown field${didYouMean(String(path.at(-1)), known)}`
  return { path, message, allowed: known.length === 0 ? 'no fields' : known.toSorted().join(', '), blocking: true }
}

function missing(schema: Schema | undefined, params: Readonly<Record<string, unknown>>): { readonly allowed?: string } {
  const field = schema?.properties?.[String(params['missingProperty'])]
  return field === undefined ? {} : { allowed: describeSchema(field) }
}

function wrongType({ path, found, schema }: StructureFault, isRefused: boolean): FieldProblem {
  const cure = schema === undefined || isRefused ? undefined : cureOf(found, schema)
  const message = `is ${describeValue(found)}${cure === undefined ? '' : ` (${cure})`}`
  return { path, message, blocking: true, ...(schema === undefined ? {} : { allowed: describeSchema(schema) }) }
}

/** Written without quotes, these would be of the type. */
const UNQUOTED: Readonly<Partial<Record<Schema['type'], RegExp>>> = {
  number: /^-?\d+(\.\d+)?$/,
  integer: /^-?\d+$/,
  boolean: /^(true|false)$/,
}

const BOOLEAN_WORDS = { true: ['true', 'yes', 'on', 'y'], false: ['false', 'no', 'off', 'n'] } as const

/** Most wrong types come from YAML reading what was meant as text, or from quotes: say what to do, where it is enough. */
function cureOf(found: unknown, schema: Schema): string | undefined {
  const { type, format } = schema
  if (typeof found === 'string') return isFitUnquoted(found, schema) ? 'write it without quotes' : undefined
  if (type !== 'string' || (typeof found !== 'boolean' && typeof found !== 'number')) return undefined
  if (format !== 'duration' && format !== 'date-time')
    return isFitQuoted(found, schema) ? 'put it in quotes' : undefined
  // In quotes it would be refused next: a duration has a unit, and neither a number nor a boolean is a time.
  const inSeconds = withUnit(found, schema)
  return inSeconds === undefined ? undefined : `write it with its unit, such as ${inSeconds}`
}

/** A number where a duration belongs, in seconds; undefined where it is none, or makes none. */
export function withUnit(found: unknown, schema: Schema | undefined): string | undefined {
  if (typeof found !== 'number' || schema?.format !== 'duration') return undefined
  return isOfForm(`${found}s`, schema) ? `${found}s` : undefined
}

function isFitUnquoted(text: string, { type, minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  if (UNQUOTED[type]?.test(text) !== true) return false
  return type === 'boolean' || (Number(text) >= minimum && Number(text) <= maximum)
}

function isFitQuoted(found: boolean | number, schema: Schema): boolean {
  return textsOf(found).some((text) => isOfForm(text, schema) && schema.enum?.includes(text) !== false)
}

/** What may stand in the file. A boolean is one of several words. */
function textsOf(found: boolean | number): readonly string[] {
  if (typeof found === 'number') return [String(found)]
  return BOOLEAN_WORDS[`${found}`].flatMap((word) => [
    word,
    word.toUpperCase(),
    word.charAt(0).toUpperCase() + word.slice(1),
  ])
}

function isOfForm(text: string, { pattern = '' }: Schema): boolean {
  return new RegExp(pattern).test(text)
}

/** A duration without the right form has no value that a CEL rule could compare. */
function wrongPattern({ path, found, schema }: StructureFault): FieldProblem {
  const message = `${quote(found)} does not have the right form`
  return { path, message, allowed: describePattern(schema?.pattern ?? ''), blocking: schema?.format === 'duration' }
}

/** What should be base64 is part of a Secret and is never quoted. */
function wrongFormat({ path, found, schema }: StructureFault): FieldProblem {
  if (schema === undefined || schema.format === 'byte') {
    return { path, message: 'is not base64', allowed: 'base64 text; plain text belongs in stringData' }
  }
  const message = `${quote(found)} does not have the right form`
  return { path, message, allowed: describeSchema(schema), blocking: true }
}

function outOfBounds({ error: { keyword, params }, path, found }: StructureFault): FieldProblem {
  const limit = String((params as Readonly<Record<string, unknown>>)['limit'])
  switch (keyword) {
    case 'minLength':
      return { path, message: 'is too short', allowed: `at least ${limit} characters` }
    case 'maxLength':
      return { path, message: 'is too long', allowed: `at most ${limit} characters`, blocking: true }
    case 'minItems':
      return { path, message: `has ${lengthOf(found)} items`, allowed: `at least ${limit} items` }
    case 'maxItems':
      return { path, message: `has ${lengthOf(found)} items`, allowed: `at most ${limit} items`, blocking: true }
    case 'maxProperties':
      return { path, message: 'has too many fields', allowed: `at most ${limit} fields`, blocking: true }
    default:
      return { path, message: `breaks the rule ${keyword}`, blocking: true }
  }
}

function lengthOf(data: unknown): number {
  return Array.isArray(data) ? data.length : 0
}

/** The value, short, so that a file full of text gives a short message. */
function quote(data: unknown): string {
  const text = JSON.stringify(data)
  return text.length > 64 ? `${text.slice(0, 61)}..."` : text
}

/** The two kinds of Kubernetes itself that files may hold: Secret and Namespace, with the rules that concern us. */
import type { FieldProblem } from '../problem.ts'
import type { Schema } from './schema.ts'

const TEXTS: Schema = { type: 'object', additionalProperties: { type: 'string' } }

export const SECRET_SCHEMA: Schema = {
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    stringData: TEXTS,
    type: { type: 'string' },
    immutable: { type: 'boolean' },
  },
}

export const NAMESPACE_SCHEMA: Schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { finalizers: { type: 'array', items: { type: 'string' } } } },
  },
}

const ENTRY_KEY = /^[-._a-zA-Z0-9]{1,253}$/
/** Largest Secret that the API server takes. */
const MAX_SECRET_BYTES = 1024 * 1024

export interface SecretDocument {
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}

/** The rules that the schema does not state. */
export function checkSecret({ data = {}, stringData = {} }: SecretDocument): FieldProblem[] {
  const problems: FieldProblem[] = []
  let bytes = 0
  for (const [field, entries] of [
    ['data', data],
    ['stringData', stringData],
  ] as const) {
    for (const [key, value] of Object.entries(entries)) {
      bytes += field === 'data' ? (value.length * 3) / 4 : Buffer.byteLength(value)
      if (ENTRY_KEY.test(key) && key !== '.' && !key.startsWith('..')) continue
      problems.push({
        path: [field, key],
        message: 'is not a valid key',
        allowed: 'letters, digits, dashes, underscores and dots, at most 253 characters',
      })
    }
  }
  if (bytes > MAX_SECRET_BYTES) problems.push({ path: [], message: 'is too large', allowed: 'at most 1 MiB' })
  return problems
}

/** What the API server itself demands of every object's metadata. */
import type { FieldProblem } from '../problem.ts'
import type { Schema } from './schema.ts'

const TEXT: Schema = { type: 'string' }
const TEXTS: Schema = { type: 'object', additionalProperties: TEXT }

/** The fields of ObjectMeta that may be written in a file. */
export const METADATA_SCHEMA: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { ...TEXT, minLength: 1 },
    namespace: TEXT,
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: { type: 'array', items: TEXT },
    // What `kubectl get -o yaml` writes is accepted and ignored.
    uid: TEXT,
    resourceVersion: TEXT,
    creationTimestamp: { type: 'string', format: 'date-time' },
    generation: { type: 'integer' },
    generateName: TEXT,
    deletionTimestamp: { type: 'string', format: 'date-time' },
    selfLink: TEXT,
    managedFields: { type: 'array' },
    ownerReferences: { type: 'array' },
  },
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const QUALIFIED_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const MAX_ANNOTATION_BYTES = 256 * 1024

const SUBDOMAIN_WORDS =
  'lower-case letters, digits, dashes and dots, at most 253 characters, each part beginning and ending with a letter or digit'
const LABEL_WORDS =
  'letters, digits, dashes, underscores and dots, at most 63 characters, beginning and ending with a letter or digit'

export interface CheckedMetadata {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The rules that a schema does not state. `metadata` has passed METADATA_SCHEMA. */
export function checkMetadata(metadata: CheckedMetadata, nameForm: 'subdomain' | 'label'): FieldProblem[] {
  return [
    ...checkName(metadata.name, nameForm),
    ...checkNamespace(metadata.namespace),
    ...Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => checkLabel(key, value)),
    ...checkAnnotations(metadata.annotations ?? {}),
  ]
}

function checkName(name: string, form: 'subdomain' | 'label'): FieldProblem[] {
  const path = ['metadata', 'name']
  if (form === 'label') {
    if (name.length <= 63 && DNS_LABEL.test(name)) return []
    return [
      {
        path,
        message: 'is not a valid name',
        allowed:
          'lower-case letters, digits and dashes, at most 63 characters, beginning and ending with a letter or digit',
      },
    ]
  }
  return name.length <= 253 && SUBDOMAIN.test(name)
    ? []
    : [{ path, message: 'is not a valid name', allowed: SUBDOMAIN_WORDS }]
}

function checkNamespace(namespace: string | undefined): FieldProblem[] {
  if (namespace === undefined || namespace === '' || (namespace.length <= 63 && DNS_LABEL.test(namespace))) return []
  const allowed = 'lower-case letters, digits and dashes, at most 63 characters'
  return [{ path: ['metadata', 'namespace'], message: 'is not a valid namespace', allowed }]
}

function checkLabel(key: string, value: string): FieldProblem[] {
  const path = ['metadata', 'labels', key]
  const problems: FieldProblem[] = []
  if (!isQualifiedName(key))
    problems.push({
      path,
      message: 'is not a valid label key',
      allowed: `${LABEL_WORDS}, after an optional DNS prefix and a slash`,
    })
  const good = value === '' || (value.length <= 63 && QUALIFIED_NAME.test(value))
  if (!good) problems.push({ path, message: 'is not a valid label value', allowed: `empty, or ${LABEL_WORDS}` })
  return problems
}

function checkAnnotations(annotations: Readonly<Record<string, string>>): FieldProblem[] {
  const entries = Object.entries(annotations)
  const problems = entries
    .filter(([key]) => !isQualifiedName(key.toLowerCase()))
    .map(([key]) => ({ path: ['metadata', 'annotations', key], message: 'is not a valid annotation key' }))
  const size = entries.reduce((bytes, [key, value]) => bytes + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
  if (size <= MAX_ANNOTATION_BYTES) return problems
  return [
    ...problems,
    {
      path: ['metadata', 'annotations'],
      message: `has ${size} bytes`,
      allowed: `at most ${MAX_ANNOTATION_BYTES} bytes`,
    },
  ]
}

function isQualifiedName(key: string): boolean {
  const parts = key.split('/')
  const name = parts.pop() ?? ''
  const [prefix, ...more] = parts
  if (more.length > 0 || name.length > 63 || !QUALIFIED_NAME.test(name)) return false
  return prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix))
}

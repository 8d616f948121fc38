/** The part of the CRDs' OpenAPI schemas ("structural schemas") that ours use, and how they are read from crds/. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { KindName } from '../../domain/resources/kinds.ts'

export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly format?: 'duration' | 'date-time' | 'int32' | 'int64' | 'byte'
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly 'x-kubernetes-list-type'?: 'set' | 'map' | 'atomic'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

export interface ValidationRule {
  /** CEL over `self`; with `oldSelf` it judges changes only. */
  readonly rule: string
  readonly message?: string
}

export interface KindSchema {
  readonly kind: KindName
  readonly scope: 'Namespaced' | 'Cluster'
  /** Of the whole object, without apiVersion, kind and metadata, which are the API server's own. */
  readonly schema: Schema
}

const FOLDER = new URL('../../../crds/', import.meta.url)
const FILES: Readonly<Record<KindName, string>> = {
  Organization: 'organization.yaml',
  Provider: 'provider.yaml',
  VirtualKey: 'virtualkey.yaml',
}

/** The kinds of this repository's crds/, which ship with the code. Read at each call: callers keep the result. */
export function readKindSchemas(): readonly KindSchema[] {
  return Object.values(FILES).map(readFile)
}

/** The schema of one kind. Read at each call, as above. */
export function readKindSchema(kind: KindName): KindSchema {
  return readFile(FILES[kind])
}

function readFile(file: string): KindSchema {
  return toKindSchema(parse(readFileSync(new URL(file, FOLDER), 'utf8')))
}

// The files are our own and tested against a real API server: their shape is taken for granted.
function toKindSchema(document: unknown): KindSchema {
  const { spec } = document as {
    spec: {
      scope: KindSchema['scope']
      names: { kind: KindName }
      versions: [{ schema: { openAPIV3Schema: Schema } }]
    }
  }
  return { kind: spec.names.kind, scope: spec.scope, schema: spec.versions[0].schema.openAPIV3Schema }
}

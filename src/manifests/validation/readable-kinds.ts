/**
 * The kinds that a manifest may hold, by name. The bundle holds them ready (build/ready-kinds.ts), since a start waits for
 * them; the sources read and compile each when its first document comes.
 */
import { NAMESPACE_SCHEMA, SECRET_SCHEMA } from './core-kinds.ts'
import { readKindSchema, type Schema } from './schema.ts'
import { structureAjv, toJsonSchema, withObjectFields, type StructureCheck } from './structure.ts'

export const READABLE_KIND_NAMES = ['Organization', 'Provider', 'VirtualKey', 'Secret', 'Namespace'] as const
export type ReadableKindName = (typeof READABLE_KIND_NAMES)[number]

export interface ReadableKind {
  readonly isNamespaced: boolean
  /** Of the whole object, metadata and status included. */
  readonly schema: Schema
  readonly checkStructure: StructureCheck
}

/** Made anew at each call: callers keep the result. */
export function readableKind(name: ReadableKindName): ReadableKind {
  const { schema, isNamespaced } = schemaOf(name)
  const whole = withObjectFields(schema)
  return { isNamespaced, schema: whole, checkStructure: structureAjv().compile(toJsonSchema(whole)) }
}

function schemaOf(name: ReadableKindName): { readonly schema: Schema; readonly isNamespaced: boolean } {
  if (name === 'Secret') return { schema: SECRET_SCHEMA, isNamespaced: true }
  if (name === 'Namespace') return { schema: NAMESPACE_SCHEMA, isNamespaced: false }
  const { schema, scope } = readKindSchema(name)
  return { schema, isNamespaced: scope === 'Namespaced' }
}

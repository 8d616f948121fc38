/** The kinds of values that masking finds without a pattern of one's own. A slip in one (`PHONES`) masks nothing. */
import type { OrganizationSpec } from './kinds.ts'

/** Those that are always on first; the others where a policy names them. Guardrails find them; a test compares. */
export const MASKING_KINDS: readonly string[] = ['EMAIL', 'KEY', 'CARD', 'PHONE', 'SSN', 'IBAN', 'IP']

export interface UnknownKind {
  readonly kind: string
  /** In `compliance.masking.kinds`. */
  readonly index: number
  /** What would be found. */
  readonly known: readonly string[]
}

/** Kinds that an Organization names and that nothing finds, in its order. */
export function unknownKinds({ compliance }: OrganizationSpec): readonly UnknownKind[] {
  const { kinds = [], custom = [] } = compliance?.masking ?? {}
  const known = [...MASKING_KINDS, ...custom.map(({ kind }) => kind)]
  return kinds.map((kind, index) => ({ kind, index, known })).filter(({ kind }) => !known.includes(kind))
}

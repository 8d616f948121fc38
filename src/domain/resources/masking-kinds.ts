/** The kinds of values that masking finds without a pattern of one's own. A slip in one (`PHONES`) masks nothing. */
import type { OrganizationSpec } from './kinds.ts'

/** Those that are always on first; the others where a policy names them. Guardrails find them; a test compares. */
export const MASKING_KINDS: readonly string[] = ['EMAIL', 'KEY', 'CARD', 'PHONE', 'SSN', 'IBAN', 'IP']

/** Kinds that an Organization names and that nothing finds, in its order; what does find is beside them. */
export function unknownKinds({ compliance }: OrganizationSpec): readonly { kind: string; known: readonly string[] }[] {
  const { kinds = [], custom = [] } = compliance?.masking ?? {}
  const known = [...MASKING_KINDS, ...custom.map(({ kind }) => kind)]
  return kinds.filter((kind) => !known.includes(kind)).map((kind) => ({ kind, known }))
}

/** Kinds of masking that nothing finds. A slip in one (`PHONES`) lets through, without a word, what it should mask. */
import type { ManifestResources } from './load.ts'
import type { UnmatchedName } from './unmatched-names.ts'
import { nearest } from './words.ts'

/** Those that are neither `known` nor a pattern of the same Organization, in the order of the manifests. */
export function unmatchedKinds(
  { organizations }: ManifestResources,
  known: readonly string[],
): readonly UnmatchedName[] {
  return organizations.flatMap((resource) => {
    const { kinds = [], custom = [] } = resource.spec.compliance?.masking ?? {}
    const found = [...known, ...custom.map(({ kind }) => kind)]
    return kinds
      .filter((kind) => !found.includes(kind))
      .map((kind) => ({ resource, message: `spec.compliance.masking.kinds: ${describe(kind, found)}` }))
  })
}

function describe(kind: string, found: readonly string[]): string {
  const meant = nearest(kind, found)
  const hint = meant === undefined ? `; there are ${found.join(', ')}` : `, did you mean ${meant}?`
  return `nothing finds ${kind}${hint}`
}

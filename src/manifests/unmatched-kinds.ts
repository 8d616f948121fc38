/** Kinds of masking that nothing finds. A slip in one (`PHONES`) lets through, without a word, what it should mask. */
import { unknownKinds } from '../domain/resources/masking-kinds.ts'
import type { ManifestResources } from './load.ts'
import type { UnmatchedName } from './unmatched-names.ts'
import { nearest } from './words.ts'

/** In the order of the manifests. */
export function unmatchedKinds({ organizations }: ManifestResources): readonly UnmatchedName[] {
  return organizations.flatMap((resource) =>
    unknownKinds(resource.spec).map(({ kind, known }) => ({
      resource,
      message: `spec.compliance.masking.kinds: ${describe(kind, known)}`,
    })),
  )
}

function describe(kind: string, known: readonly string[]): string {
  const meant = nearest(kind, known)
  const hint = meant === undefined ? `; there are ${known.join(', ')}` : `, did you mean ${meant}?`
  return `nothing finds ${kind}${hint}`
}

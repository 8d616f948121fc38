/** Kinds of masking that nothing finds. A slip in one (`PHONES`) lets through, without a word, what it should mask. */
import { unknownKinds } from '../../domain/resources/masking-kinds.ts'
import type { ManifestResources } from '../load.ts'
import type { Remark } from './remark.ts'
import { didYouMean } from '../validation/words.ts'

/** In the order of the manifests. */
export function unmatchedKinds({ organizations }: ManifestResources): readonly Remark[] {
  return organizations.flatMap((resource) =>
    unknownKinds(resource.spec).map(({ kind, index, known }) => ({
      resource,
      entry: index,
      field: ['spec', 'compliance', 'masking', 'kinds'],
      message: describe(kind, known),
    })),
  )
}

function describe(kind: string, known: readonly string[]): string {
  return `nothing finds ${kind}${didYouMean(kind, known) || `; there are ${known.join(', ')}`}`
}

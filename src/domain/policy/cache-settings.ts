import type { CacheSettings } from '../snapshot/snapshot.ts'

/**
 * One cache policy of several levels, from the strongest down, field by field: a key that only shortens `ttlMs` keeps
 * the rest of its organization's settings. Where no level says anything the fields are absent.
 */
export function mergeCache(levels: readonly (CacheSettings | undefined)[]): CacheSettings {
  const exact = mergeFields(levels.map((level) => level?.exact))
  const semantic = mergeFields(levels.map((level) => level?.semantic))
  return { ...(exact && { exact }), ...(semantic && { semantic }) }
}

function mergeFields<Fields extends object>(levels: readonly (Fields | undefined)[]): Fields | undefined {
  return levels.reduceRight<Fields | undefined>(
    (merged, level) => (level === undefined ? merged : { ...merged, ...level }),
    undefined,
  )
}

/** Counts of a provider's usage, each as a number that everything after can calculate with. */
import type { Usage } from '../completion/result.ts'
import { asNumber, type JsonValue } from '../json.ts'

/**
 * Far above the context of any model, and low enough for every store, sum and metric: a provider that reports nonsense
 * must not put a number into them that they never lose again.
 */
const MAX_TOKENS = 1e9

/** A count as a whole number from 0 to 1e9, whatever the provider sent; 0 where it is no number. */
export function countOf(value: JsonValue | undefined): number {
  return Math.min(MAX_TOKENS, Math.max(0, Math.ceil(asNumber(value) ?? 0)))
}

/** After counts: of a relay that ends each stream with a usage of its own, and knows none. It does not make the answer free. */
export function countsNothing(usage: Usage): boolean {
  return promptTokens(usage) + usage.output === 0
}

/**
 * What counts of a stream that tells `later` after `earlier`; undefined where `later` tells nothing. One that knows the
 * answer only does not undo the prompt's count. An answer that `later` does not count is left to the estimate.
 */
export function usageAfter(earlier: Usage | undefined, later: Usage): Usage | undefined {
  if (earlier === undefined || promptTokens(later) > 0) return later
  if (countsNothing(later)) return undefined
  const { input, cachedInput, cacheWrite } = earlier
  return { ...later, input, cachedInput, cacheWrite }
}

function promptTokens({ input, cachedInput, cacheWrite }: Usage): number {
  return input + cachedInput + cacheWrite
}

/**
 * Whether one of the fields is a count: a number of at least 0. An answer whose usage has none is estimated, where zeros
 * would make it free.
 */
export function hasCount(...fields: readonly (JsonValue | undefined)[]): boolean {
  return fields.some((field) => (asNumber(field) ?? -1) >= 0)
}

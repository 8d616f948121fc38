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
export function countsNothing({ input, cachedInput, cacheWrite, output }: Usage): boolean {
  return input + cachedInput + cacheWrite + output === 0
}

/**
 * Whether one of the fields is a count: a number of at least 0. An answer whose usage has none is estimated, where zeros
 * would make it free.
 */
export function hasCount(...fields: readonly (JsonValue | undefined)[]): boolean {
  return fields.some((field) => (asNumber(field) ?? -1) >= 0)
}

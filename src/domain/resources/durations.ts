/** Durations as the manifests write them: Go's grammar, positive, no unit below a millisecond (the schemas' pattern). */
import type { Milliseconds } from '../snapshot/snapshot.ts'

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
const WHOLE = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+$/
const PART = /([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/g

/** `"1h30m"` as milliseconds, rounded to whole ones. @throws {RangeError} where the text is no duration. */
export function parseDuration(text: string): Milliseconds {
  if (text.length > 64 || !WHOLE.test(text)) throw new RangeError(`not a duration: ${text.slice(0, 64)}`)
  let total = 0
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  // Never rounded to nothing: a clock of 0 ms would end every call.
  return total > 0 ? Math.max(1, Math.round(total)) : 0
}

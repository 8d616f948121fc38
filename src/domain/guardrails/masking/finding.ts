/** What the detector reports, and how findings that overlap become spans that do not. */

export interface Finding {
  /** `EMAIL`, `KEY`, `CARD`, an optional kind, or the kind of a custom pattern. */
  readonly kind: string
  /** UTF-16 offsets into the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** Name of the rule that found it, for metrics and tests. Never part of a token. */
  readonly rule: string
}

/**
 * Spans in order of place that do not overlap and cover everything that any finding covered.
 * Findings that share a character become one span from the first's start to the last's end, so no rest of a secret
 * stays readable. Its kind and rule are those of the longest finding; of equally long ones the earlier in the list
 * wins, and the detector reports specific rules before general ones.
 */
export function resolveOverlaps(findings: readonly Finding[]): readonly Finding[] {
  if (isResolved(findings)) return findings
  const resolved: Finding[] = []
  let longest = 0
  for (const finding of findings.toSorted((one, other) => one.start - other.start)) {
    const last = resolved.at(-1)
    const length = finding.end - finding.start
    if (last === undefined || finding.start >= last.end) {
      resolved.push(finding)
      longest = length
      continue
    }
    const named = length > longest ? finding : last
    longest = Math.max(longest, length)
    resolved[resolved.length - 1] = {
      kind: named.kind,
      rule: named.rule,
      start: last.start,
      end: Math.max(last.end, finding.end),
    }
  }
  return resolved
}

/** Whether every finding begins where the one before has ended, or later: as most often. */
function isResolved(findings: readonly Finding[]): boolean {
  let end = 0
  for (const finding of findings) {
    if (finding.start < end) return false
    end = finding.end
  }
  return true
}

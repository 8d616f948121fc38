/** What the detector reports, and how findings that overlap become spans that do not. */

import { GatewayError } from '../../errors.ts'
import type { Steps } from '../../steps.ts'

/** Findings of one text, each of some hundred bytes. Several rules may find one value. */
export const MAX_FINDINGS = 150_000
/**
 * Values of one request, each as often as it comes: their tokens ended a process with a heap of 96 MiB when there were 149,000.
 * A model reads some twenty tokens of its own for each, so these fill a context of a million.
 */
export const MAX_VALUES = 50_000

/** @throws {GatewayError} 413 where there are more. */
export function requireFewFindings(count: number): void {
  requireFew(count, MAX_FINDINGS)
}

/** @throws {GatewayError} 413 where there are more. */
export function requireFewValues(count: number): void {
  requireFew(count, MAX_VALUES)
}

function requireFew(count: number, most: number): void {
  if (count > most)
    throw new GatewayError('request_too_large', `The request holds more than ${most} values to be masked.`)
}

/** Findings that are merged in one step. */
const FINDINGS_A_STEP = 4096

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
  const joined = new Joined()
  for (const finding of findings.toSorted((one, other) => one.start - other.start)) joined.add(finding)
  return joined.spans
}

/** The same for two lists that are resolved already, in one. */
export function* mergeResolved(ones: readonly Finding[], others: readonly Finding[]): Steps<readonly Finding[]> {
  const joined = new Joined()
  let next = 0
  for (const [place, other] of others.entries()) {
    for (let one = ones[next]; one !== undefined && one.start <= other.start; one = ones[++next]) joined.add(one)
    joined.add(other)
    if (place % FINDINGS_A_STEP === 0) yield
  }
  for (; next < ones.length; next++) {
    const one = ones[next]
    if (one !== undefined) joined.add(one)
    if (next % FINDINGS_A_STEP === 0) yield
  }
  return joined.spans
}

/** Findings by their start, those that overlap as one. */
class Joined {
  readonly spans: Finding[] = []
  #longest = 0

  add(finding: Finding): void {
    const last = this.spans.at(-1)
    const length = finding.end - finding.start
    if (last === undefined || finding.start >= last.end) {
      this.spans.push(finding)
      this.#longest = length
      return
    }
    const { kind, rule } = length > this.#longest ? finding : last
    this.#longest = Math.max(this.#longest, length)
    this.spans[this.spans.length - 1] = { kind, rule, start: last.start, end: Math.max(last.end, finding.end) }
  }
}

/** Told, while a text is read, how many values it seems to have so far; what it throws ends the reading. */
export type ExpectValues = (values: number) => void

/**
 * Asks, while findings of a text come in, whether these are more values than a request may have: each list takes some megabytes
 * until then, and a process reads many requests at a time.
 */
export class ValueCount {
  readonly #expect: ExpectValues | undefined
  /** Findings; as all are looked at, not at each of them. */
  #askedFrom = MAX_VALUES

  constructor(expect?: ExpectValues) {
    this.#expect = expect
  }

  /**
   * @throws {GatewayError} 413 where there are more than MAX_FINDINGS, or than MAX_VALUES that do not overlap; and what `expect`
   * throws
   */
  requireFew(count: number, findings: () => readonly Finding[]): void {
    requireFewFindings(count)
    this.#expect?.(count)
    if (count <= this.#askedFrom) return
    requireFewValues(resolveOverlaps(findings()).length)
    this.#askedFrom = count + MAX_VALUES / 2
  }
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

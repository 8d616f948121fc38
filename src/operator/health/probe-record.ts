/** What the checks of one provider have shown, and how it changes. Pure. */
import type { ProviderHealthCheck } from '../../domain/snapshot/snapshot.ts'
import type { Milliseconds } from '../kube/timing.ts'

/** What a check found. */
export type ProbeResult =
  | { readonly type: 'answer'; readonly status: number; readonly latencyMs: Milliseconds }
  /** `reason`: a word or two for people, without what the provider said. */
  | { readonly type: 'no-answer'; readonly reason: string }

export interface ProbeRecord {
  /** Undefined: too few checks to tell. */
  readonly verdict: 'up' | 'down' | undefined
  /** Equal results in a row: positive successes, negative failures. */
  readonly streak: number
  /** The last ones, newest last; true: good. */
  readonly recent: readonly boolean[]
  readonly last: { readonly result: ProbeResult; readonly atMs: Milliseconds } | undefined
}

export const NO_PROBES: ProbeRecord = Object.freeze({ verdict: undefined, streak: 0, recent: [], last: undefined })

/** Checks that `errorPercent` is about. */
const RECENT = 20

export function afterProbe(
  { verdict, streak, recent }: ProbeRecord,
  result: ProbeResult,
  { healthyThreshold, unhealthyThreshold }: ProviderHealthCheck,
  atMs: Milliseconds,
): ProbeRecord {
  const good = isGood(result)
  const next = good ? Math.max(0, streak) + 1 : Math.min(0, streak) - 1
  const decided = next >= healthyThreshold ? 'up' : -next >= unhealthyThreshold ? 'down' : verdict
  return { verdict: decided, streak: next, recent: [...recent, good].slice(-RECENT), last: { result, atMs } }
}

/** Failures among the last checks. */
export function errorPercent({ recent }: ProbeRecord): number {
  return recent.length === 0 ? 0 : Math.round((recent.filter((good) => !good).length * 100) / recent.length)
}

/** For people: why a check failed. */
export function describeFailure(result: ProbeResult): string {
  return result.type === 'answer' ? `it answered ${result.status}` : `no answer: ${result.reason}`
}

/** As the data plane judges: a server that answers is up, also with 404 or 429; one that refuses our key is of no use. */
function isGood(result: ProbeResult): boolean {
  return result.type === 'answer' && result.status < 500 && result.status !== 401 && result.status !== 403
}

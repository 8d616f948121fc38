/**
 * What `X-Gateway-Routing-Decision` says: one list item an attempt, in order, the last one the winner where there is
 * one. `openai/gpt-4.1;result=error;status=500;ms=812, azure/gpt-4.1;result=ok;status=200;ms=640;why=failover;removed=3`
 * @see specification section 7 rule 4, DESIGN section 4
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'

/** How an attempt ended. `busy`: the provider's own limits or ours left no slot, so nothing was sent. */
export type AttemptResult = 'ok' | 'error' | 'timeout' | 'connect' | 'cut' | 'protocol' | 'aborted' | 'busy'

/** One attempt on one deployment. */
export interface AttemptRecord {
  /** `provider/model`. */
  readonly deploymentId: string
  readonly result: AttemptResult
  /** HTTP status of the provider, where it gave one. */
  readonly status?: number
  /** From sending to the verdict: first content, or the failure. */
  readonly ms: Milliseconds
  /**
   * Why it failed, one word: `rate-limited`, `first-byte`. Bounded set; for logs, audit and metrics. Of one that did not:
   * `sent-again`, where the connection that the request first went out over was closed just then.
   */
  readonly reason?: string
}

export interface Decision {
  readonly attempts: readonly AttemptRecord[]
  /** What decided, one word: a scoring method, `priority`, `failover` (an earlier try failed), `cache-hit`. */
  readonly why: string
  /** Candidates that the rules removed. */
  readonly removed: number
}

/** Bytes of the header at most: proxies in front of us commonly refuse a response whose headers pass 4 or 8 KiB. */
const MAX_BYTES = 2048
/** A name of the manifests is at most 63 + 1 + 128 characters; an escaped one may be longer. */
const MAX_ID = 200
/** Room for `, omitted;attempts=12345` between the items. */
const MARKER_BYTES = 32
const UNSAFE = /[^A-Za-z0-9._:/@+~-]/gu

/** The header's value: printable ASCII, at most 2 KiB. Items in the middle give way to `omitted;attempts=N`. */
export function renderDecision({ attempts, why, removed }: Decision): string {
  const items = attempts.length === 0 ? ['none'] : attempts.map(renderAttempt)
  const end = `;why=${escape(why)};removed=${removed}`
  return fit(items, MAX_BYTES - end.length) + end
}

/** Whether a try stood in for one that had failed. The repair of an answer (`force-json`) follows one that had not. */
export function hasFailedOver(attempts: readonly AttemptRecord[]): boolean {
  return attempts.slice(0, -1).some(({ result }) => result !== 'ok')
}

function renderAttempt({ deploymentId, result, status, ms }: AttemptRecord): string {
  const statusPart = status === undefined ? '' : `;status=${status}`
  return `${escape(deploymentId)};result=${result}${statusPart};ms=${Math.max(0, Math.round(ms))}`
}

/** Keeps the last item (the winner) and as many of the first ones as fit. */
function fit(items: readonly string[], budget: number): string {
  const whole = items.join(', ')
  if (whole.length <= budget) return whole
  const last = items.at(-1) ?? ''
  const kept: string[] = []
  let left = budget - last.length - MARKER_BYTES
  for (const item of items.slice(0, -1)) {
    left -= item.length + 2
    if (left < 0) break
    kept.push(item)
  }
  return [...kept, `omitted;attempts=${items.length - 1 - kept.length}`, last].join(', ')
}

function escape(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent).slice(0, MAX_ID)
}

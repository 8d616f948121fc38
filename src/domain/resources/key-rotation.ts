/**
 * When a generated key is made, replaced and forgotten. Pure: what stands in the Secret and what the resource asks for
 * go in, what to do and when to look again come out.
 *
 *   (none) --create--> current
 *   current --interval over, or a new rotate request--> current' + former (valid for the overlap)
 *   former --its overlap over--> forgotten
 *   former --ends later than an overlap from now--> until then only
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'

/** What the Secret of a generated key holds beside the key texts. */
export interface KeyGeneration {
  readonly createdAtMs: Milliseconds
  /** Until when each replaced key that is still kept is valid. */
  readonly formerNotAfterMs: readonly Milliseconds[]
  /** The value of the rotate request that was handled last. */
  readonly handledRotateRequest?: string
}

export interface RotationRules {
  /** Absent: never by age. */
  readonly intervalMs?: Milliseconds
  /** How long a replaced key stays valid. */
  readonly overlapMs: Milliseconds
}

export type RotationStep =
  /** There is no key yet. */
  | { readonly type: 'create' }
  /** Make a new key; the current one becomes a former one, valid until `notAfterMs`. */
  | { readonly type: 'rotate'; readonly because: 'interval' | 'request'; readonly notAfterMs: Milliseconds }
  /** The time of a former key is over, or of several. */
  | { readonly type: 'forget-former' }
  /** A former key was replaced while the clock was ahead, or for a longer overlap: it is valid until `notAfterMs` at most. */
  | { readonly type: 'shorten-former'; readonly notAfterMs: Milliseconds }
  /** Nothing to do before `nextAtMs`; undefined: never by itself. */
  | { readonly type: 'keep'; readonly nextAtMs: Milliseconds | undefined }

/** Replaced keys that are valid at the same time. One rotation more within the overlap ends the oldest of them early. */
export const MAX_FORMER_KEYS = 3

/** Overlap of a rotation on request where the resource names none. */
export const DEFAULT_OVERLAP_MS: Milliseconds = 3_600_000

/**
 * @param generation undefined: the Secret does not exist or holds no key
 * @param rotateRequest value of the annotation `tollgate.dev/rotate`: each new value rotates once
 */
export function nextRotationStep(
  generation: KeyGeneration | undefined,
  rules: RotationRules,
  rotateRequest: string | undefined,
  nowMs: Milliseconds,
): RotationStep {
  if (generation === undefined) return { type: 'create' }
  const { createdAtMs, formerNotAfterMs, handledRotateRequest } = generation
  const dueAtMs = rules.intervalMs === undefined ? Infinity : createdAtMs + rules.intervalMs
  const overlapEndMs = nowMs + rules.overlapMs
  const requested = rotateRequest !== undefined && rotateRequest !== handledRotateRequest
  if (requested || nowMs >= dueAtMs) {
    return {
      type: 'rotate',
      because: requested ? 'request' : 'interval',
      notAfterMs: overlapEndMs,
    }
  }
  const soonestEndMs = Math.min(...formerNotAfterMs)
  if (nowMs >= soonestEndMs) return { type: 'forget-former' }
  if (Math.max(...formerNotAfterMs) > overlapEndMs) return { type: 'shorten-former', notAfterMs: overlapEndMs }
  const nextAtMs = Math.min(dueAtMs, soonestEndMs)
  return { type: 'keep', nextAtMs: nextAtMs === Infinity ? undefined : nextAtMs }
}

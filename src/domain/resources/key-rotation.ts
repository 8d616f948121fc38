/**
 * When a generated key is made, replaced and forgotten. Pure: what stands in the Secret and what the resource asks for
 * go in, what to do and when to look again come out.
 *
 *   (none) --create--> current
 *   current --interval over, or a new rotate request--> current' + previous (valid for the overlap)
 *   previous --overlap over--> forgotten
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'

/** What the Secret of a generated key holds beside the key texts. */
export interface KeyGeneration {
  readonly createdAtMs: Milliseconds
  /** Present while the replaced key is still valid. */
  readonly previousNotAfterMs?: Milliseconds
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
  /** Make a new key; the current one becomes the previous one, valid until `previousNotAfterMs`. */
  | { readonly type: 'rotate'; readonly because: 'interval' | 'request'; readonly previousNotAfterMs: Milliseconds }
  /** The previous key's time is over. */
  | { readonly type: 'forget-previous' }
  /** Nothing to do before `nextAtMs`; undefined: never by itself. */
  | { readonly type: 'keep'; readonly nextAtMs: Milliseconds | undefined }

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
  const { createdAtMs, previousNotAfterMs, handledRotateRequest } = generation
  const dueAtMs = rules.intervalMs === undefined ? Infinity : createdAtMs + rules.intervalMs
  const requested = rotateRequest !== undefined && rotateRequest !== handledRotateRequest
  if (requested || nowMs >= dueAtMs) {
    return {
      type: 'rotate',
      because: requested ? 'request' : 'interval',
      previousNotAfterMs: nowMs + rules.overlapMs,
    }
  }
  if (previousNotAfterMs !== undefined && nowMs >= previousNotAfterMs) return { type: 'forget-previous' }
  const nextAtMs = Math.min(dueAtMs, previousNotAfterMs ?? Infinity)
  return { type: 'keep', nextAtMs: nextAtMs === Infinity ? undefined : nextAtMs }
}

/**
 * Secrets that the API server does not let the operator write: a quota, an `immutable` Secret, an admission webhook, a
 * missing right, a malformed name. Told in the key's status, and tried again apart from the work queue's retries, whose
 * common rate is for all keys.
 *
 *   refused            told at once
 *   failed otherwise   an overloaded server, a webhook that does not answer: told where it lasts, retried by the queue until then
 *   no connection      never told: it is not about this Secret, and no status could be written either
 */
import { Backoff } from '../kube/backoff.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { Milliseconds, Timing } from '../kube/timing.ts'
import type { Problem } from './status.ts'

const RETRY_MIN_MS = 1_000
/** Nobody tells when a quota has been raised. */
const RETRY_MAX_MS = 60_000
const PATIENCE_MS = 5_000
/** Characters of the server's message: it is shown in tables and events. */
const MAX_MESSAGE = 512
/** The operator's own connection and rights to speak at all. */
const UNAUTHORIZED = 401
/** Statuses below 500 that may be over at the next attempt: a namespace or Secret that has just gone, a stale cache, a full server. */
const PASSING: ReadonlySet<number> = new Set([404, 408, 409, 429])

/** A key's Secret as it is to be written. */
export interface SecretAttempt {
  /** `namespace/name` of the VirtualKey. */
  readonly key: string
  readonly secretName: string
  /** Another text: something has changed that may make the next attempt go well. */
  readonly fingerprint: string
}

export interface SecretRefusal {
  readonly problem: Problem
  readonly againMs: Milliseconds
}

interface Failing {
  readonly since: Milliseconds
  readonly backoff: Backoff
  /** Of the refused attempt, and when the next one is due. */
  refused?: { readonly fingerprint: string; readonly dueAt: Milliseconds }
}

export class SecretRefusals {
  readonly #timing: Timing
  readonly #failing = new Map<string, Failing>()

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /**
   * How long this attempt has still to wait; 0: not. A status that tells of a refusal is a change of the object, which
   * must not lead to the next refusal at once: a server that words each one differently would be asked without a pause.
   */
  waitOf({ key, fingerprint }: SecretAttempt): Milliseconds {
    const refused = this.#failing.get(key)?.refused
    return refused?.fingerprint === fingerprint ? Math.max(0, refused.dueAt - this.#timing.elapsed()) : 0
  }

  /** What to tell of a failed attempt and when to try again; undefined: the queue's matter. */
  judge({ key, secretName, fingerprint }: SecretAttempt, error: unknown): SecretRefusal | undefined {
    if (!(error instanceof KubeError) || error.status === 0 || error.status === UNAUTHORIZED) return undefined
    const now = this.#timing.elapsed()
    const known = this.#failing.get(key)
    const failing: Failing = known ?? { since: now, backoff: new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, this.#timing) }
    if (known === undefined) this.#failing.set(key, failing)
    if (!isRefusal(error) && now - failing.since < PATIENCE_MS) return undefined
    const message = `Secret ${secretName} cannot be written: ${shortened(error.message)}`
    const againMs = failing.backoff.next(error.retryAfterMs)
    failing.refused = { fingerprint, dueAt: now + againMs }
    return { problem: { reason: 'SecretWriteFailed', message }, againMs }
  }

  /** The key's Secret could be written, or is nobody's matter any more. */
  forget(key: string): void {
    this.#failing.delete(key)
  }
}

function isRefusal({ status }: KubeError): boolean {
  return status >= 400 && status < 500 && !PASSING.has(status)
}

/** Never half a character. */
function shortened(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE).toWellFormed()}...`
}

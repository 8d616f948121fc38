/**
 * The part of a VirtualKey that is not configuration: its Secret, its finalizer, its end.
 *
 *   new --Secret, finalizer--> kept ... --deleted--> out of the published shards --finalizer off--> gone
 *
 * So "the object is gone" means "the key is revoked". Where Redis cannot be reached the end waits ten minutes at most;
 * what is left over then is removed by the first publication that succeeds.
 */
import { asString } from '../../domain/json.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Log } from '../kube/log.ts'
import type { Milliseconds, Timing } from '../kube/timing.ts'
import type { ClusterView } from './cluster-view.ts'
import { hasFinalizer, type Finalizers } from './finalizers.ts'
import { annotationOf, generatedSecretNameOf, ROTATE_ANNOTATION } from './generated-secret.ts'
import { isGenerated, ownedSecret } from './gather.ts'
import type { ProgrammedLedger } from './programmed.ts'
import { SecretRefusals } from './secret-refusals.ts'
import type { SecretAttempt } from './secret-refusals.ts'
import type { Problem } from './status.ts'
import { keepSecret } from './virtual-key-secret.ts'

/** How long a deletion waits for Redis. */
const MAX_DELETION_MS = 10 * 60_000
const LOOK_AGAIN_MS = 1_000
/** A name that is taken may become free without an event that concerns this key. */
const NOT_OWNED_AGAIN_MS = 60_000

export interface VirtualKeyOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>
  readonly view: Pick<ClusterView, 'virtualKeys' | 'secret' | 'secretAccess'>
  readonly events: Pick<EventRecorder, 'record'>
  readonly ledger: ProgrammedLedger
  readonly finalizers: Finalizers
  readonly log: Log
  readonly timing: Timing
  readonly randomBytes: (count: number) => Uint8Array
  /** What was found out about a key's Secret has changed its status. */
  readonly onOutcome: (key: string) => void
  /** A key lacks its finalizer: it is to be added in its turn. */
  readonly onUnfinalized: (key: string) => void
  /** The API server refused to have a key's Secret written; it is tried again. */
  readonly onRefused: () => void
  /** Why nothing is published, where that has lasted. */
  readonly publicationProblem: () => Problem | undefined
  readonly maxDeletionMs?: Milliseconds
}

/** What a round about a key's Secret has come to. */
interface Round {
  readonly problem?: Problem
  /** When to come again; undefined: not by itself. */
  readonly againMs: Milliseconds | undefined
}

export class VirtualKeyController {
  readonly #options: VirtualKeyOptions
  readonly #problems = new Map<string, Problem>()
  readonly #handled = new Set<string>()
  readonly #refusals: SecretRefusals

  constructor(options: VirtualKeyOptions) {
    this.#options = options
    this.#refusals = new SecretRefusals(options.timing)
  }

  /** Why a generated key has no Secret of its own; `pending` before its first round. */
  problemOf(key: string): Problem | 'pending' | undefined {
    return this.#handled.has(key) ? this.#problems.get(key) : 'pending'
  }

  /** One round. Returns when to come again. @throws KubeError */
  readonly reconcile = async (key: string): Promise<Milliseconds | undefined> => {
    const object = this.#options.view.virtualKeys.get(key)
    if (object === undefined) {
      this.#handled.delete(key)
      this.#problems.delete(key)
      this.#refusals.forget(key)
      return undefined
    }
    if (isDeleting(object)) return this.#end(key, object)
    if (this.#options.finalizers.isMissing(key, object)) this.#options.onUnfinalized(key)
    return this.#keepSecret(key, object)
  }

  async #keepSecret(key: string, object: KubeObject): Promise<Milliseconds | undefined> {
    if (!isGenerated(object)) return undefined
    // Without reading there is no telling whose Secret it is; the access that comes brings a new round.
    if (this.#options.view.secretAccess(object.metadata.namespace ?? '') !== 'readable') return undefined
    const attempt = this.#attempt(key, object)
    const waitMs = this.#refusals.waitOf(attempt)
    if (waitMs > 0) return waitMs
    const { problem, againMs } = await this.#tryToKeepSecret(attempt, object)
    const before = this.#problems.get(key)?.message
    const isFirst = !this.#handled.has(key)
    if (problem === undefined) this.#problems.delete(key)
    else this.#problems.set(key, problem)
    this.#handled.add(key)
    if (isFirst || before !== problem?.message) {
      if (problem !== undefined) this.#options.log.warn({ virtualKey: key, ...problem }, 'no Secret for a virtual key')
      this.#options.onOutcome(key)
    }
    return againMs
  }

  #attempt(key: string, object: KubeObject): SecretAttempt {
    const secretName = generatedSecretNameOf(object)
    const { namespace = '', uid, generation } = object.metadata
    const secret = this.#options.view.secret(namespace, secretName)?.metadata
    const parts = [uid, generation, annotationOf(object, ROTATE_ANNOTATION), secret?.uid, secret?.resourceVersion]
    return { key, secretName, fingerprint: JSON.stringify(parts) }
  }

  async #tryToKeepSecret(attempt: SecretAttempt, object: KubeObject): Promise<Round> {
    const { timing, view, onRefused } = this.#options
    try {
      const outcome = await keepSecret(object, { ...this.#options, now: timing.now })
      this.#refusals.forget(attempt.key)
      if (outcome.type === 'not-owned')
        return { problem: { reason: 'SecretNotOwned', message: outcome.message }, againMs: NOT_OWNED_AGAIN_MS }
      const { nextAtMs } = outcome
      return { againMs: nextAtMs === undefined ? undefined : Math.max(0, nextAtMs - timing.now()) }
    } catch (error) {
      const refusal = this.#refusals.judge(attempt, error)
      if (refusal === undefined) throw error
      onRefused()
      const { problem, againMs } = refusal
      const stays = ownedSecret(view, object) === undefined ? '' : ' (the key that is in it stays valid)'
      return { problem: { ...problem, message: `${problem.message}${stays}` }, againMs }
    }
  }

  async #end(key: string, object: KubeObject): Promise<Milliseconds | undefined> {
    if (!hasFinalizer(object)) return undefined
    const {
      ledger,
      finalizers,
      timing,
      events,
      log,
      publicationProblem,
      maxDeletionMs = MAX_DELETION_MS,
    } = this.#options
    if (!ledger.isOut(`VirtualKey/${key}`)) {
      const waitedMs = timing.now() - Date.parse(asString(object.metadata['deletionTimestamp']) ?? '')
      const problem = publicationProblem()
      // It may be old because no operator ran, or by a wrong clock: then a publication is on its way.
      if (problem === undefined || waitedMs < maxDeletionMs) return LOOK_AGAIN_MS
      log.warn({ virtualKey: key, ...problem }, 'deletion released before the key is out of Redis')
      events.record(object, {
        type: 'Warning',
        reason: problem.reason,
        action: 'Delete',
        note: `${problem.message}; the key may be valid until that is over`,
      })
    }
    await finalizers.remove(key, object)
    return undefined
  }
}

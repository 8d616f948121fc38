/**
 * Looks for pods that should have a sidecar and have none (they came while the webhook was away or its configuration
 * was), or one that is out of date. The leader looks; it changes nothing.
 */
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { Cancel, Timing } from '../kube/timing.ts'
import { isEnabled } from './namespaces.ts'
import { readSummary } from './pod-summary.ts'

const INTERVAL_MS = 60_000
/** Pods that an event has been written for; a restart of the operator tells again. */
const MAX_TOLD = 10_000

export interface AuditorOptions {
  /** Summaries of all pods; undefined while they are not known. */
  readonly pods: () => readonly KubeObject[] | undefined
  readonly namespaces: () => readonly KubeObject[]
  /** Never injected, whatever their labels: as the webhook's selector. */
  readonly excluded: ReadonlySet<string>
  /** Undefined while it is not known. */
  readonly configHash: () => string | undefined
  readonly events: Pick<EventRecorder, 'record'>
  readonly timing: Timing
  readonly log: Log
  readonly isLeader: () => boolean
  readonly onAudit: (audit: Audit) => void
}

export interface Audit {
  /** Pods without a sidecar, by namespace. Every enabled namespace is in it. */
  readonly uninjected: ReadonlyMap<string, number>
  /** Pods whose sidecar was injected with other settings than today's. */
  readonly stale: number
}

export class InjectionAuditor {
  readonly #options: AuditorOptions
  readonly #told = new Set<string>()
  #timer: Cancel | undefined

  constructor(options: AuditorOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = this.#options.timing.after(INTERVAL_MS, () => {
      this.audit()
      this.start()
    })
  }

  stop(): void {
    this.#timer?.()
  }

  /** Looks now. Never throws. */
  audit(): void {
    const { pods, namespaces, excluded, configHash, isLeader, onAudit, log } = this.#options
    const summaries = pods()
    if (summaries === undefined) return
    if (!isLeader()) return onAudit({ uninjected: new Map(), stale: 0 })
    try {
      const enabled = namespaces().filter((one) => isEnabled(one) && !excluded.has(one.metadata.name))
      const { missed, audit } = judge(summaries, new Set(enabled.map(({ metadata }) => metadata.name)), configHash())
      onAudit(audit)
      for (const pod of missed) this.#tell(pod)
    } catch (error) {
      log.warn(errorFields(error), 'pods not audited')
    }
  }

  #tell(pod: KubeObject): void {
    const { uid } = pod.metadata
    if (uid === undefined || this.#told.has(uid)) return
    const [oldest] = this.#told
    if (this.#told.size >= MAX_TOLD && oldest !== undefined) this.#told.delete(oldest)
    this.#told.add(uid)
    this.#options.events.record(pod, {
      type: 'Warning',
      reason: 'SidecarMissing',
      action: 'Audit',
      note: 'The namespace is enabled for injection and the pod has no sidecar: recreate the pod, or set the label tollgate.dev/inject=false on it',
    })
  }
}

function judge(
  pods: readonly KubeObject[],
  enabled: ReadonlySet<string>,
  configHash: string | undefined,
): { readonly missed: readonly KubeObject[]; readonly audit: Audit } {
  const uninjected = new Map([...enabled].map((name) => [name, 0]))
  const missed: KubeObject[] = []
  let stale = 0
  for (const pod of pods) {
    const { ended, exempt, hasNamesake, configHash: injectedWith } = readSummary(pod)
    const home = pod.metadata.namespace ?? ''
    if (ended) continue
    if (hasNamesake) stale += injectedWith !== '' && configHash !== undefined && injectedWith !== configHash ? 1 : 0
    else if (!exempt && enabled.has(home)) {
      missed.push(pod)
      uninjected.set(home, (uninjected.get(home) ?? 0) + 1)
    }
  }
  return { missed, audit: { uninjected, stale } }
}

/**
 * A second key of a namespace is the end of "the only one": pods that name none are refused from then on. It is told when
 * the key comes, on the key, and not only by the first pod that does not start.
 */
import { asString } from '../../domain/json.ts'
import { VIRTUAL_KEY_ANNOTATION } from '../injection/annotations.ts'
import { isEnabled } from '../injection/namespaces.ts'
import { accountsOf, isAccepted, isEligible, listed, whyUseless } from '../injection/usable-key.ts'
import type { ObjectEvent } from '../kube/event-recorder.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { ClusterView } from './cluster-view.ts'

/** Keys that were told of; a restart of the operator may tell again. */
const MAX_TOLD = 10_000

export class SeveralKeys {
  readonly #view: Pick<ClusterView, 'keysOfNamespace' | 'namespaces'>
  readonly #told = new Set<string>()

  constructor(view: Pick<ClusterView, 'keysOfNamespace' | 'namespaces'>) {
    this.#view = view
  }

  /** What there is to tell, once, of a key that has become ready; undefined: nothing. */
  eventFor(key: KubeObject, nowMs: number): ObjectEvent | undefined {
    const { namespace = '', uid = '' } = key.metadata
    const home = this.#view.namespaces.get(namespace)
    if (home === undefined || !isEnabled(home) || !isEligible(key) || this.#told.has(uid)) return undefined
    const rivals = this.#view.keysOfNamespace(namespace).filter((other) => isRival(other, key, nowMs))
    if (rivals.length === 0) return undefined
    for (const { metadata } of [key, ...rivals]) this.#remember(metadata.uid ?? '')
    const names = [key, ...rivals].map(({ metadata }) => metadata.name)
    return {
      type: 'Warning',
      reason: 'SeveralVirtualKeys',
      action: 'Reconcile',
      note: `namespace ${namespace} has ${names.length} VirtualKeys (${listed(names)}): new pods without the annotation ${VIRTUAL_KEY_ANNOTATION} are refused; name one of them in each pod template`,
    }
  }

  #remember(uid: string): void {
    const [oldest] = this.#told
    if (this.#told.size >= MAX_TOLD && oldest !== undefined) this.#told.delete(oldest)
    this.#told.add(uid)
  }
}

/** Whether a pod could have either. Of two keys that come at the same time the later is told of. */
function isRival(other: KubeObject, key: KubeObject, nowMs: number): boolean {
  if (other.metadata.uid === key.metadata.uid || !isEligible(other) || whyUseless(other, nowMs).length > 0) return false
  return (isAccepted(other) || isOlder(other, key)) && shareAccounts(other, key)
}

function isOlder(one: KubeObject, other: KubeObject): boolean {
  const [left, right] = [one, other].map(({ metadata }) => asString(metadata['creationTimestamp']) ?? '')
  return left === right ? one.metadata.name < other.metadata.name : (left ?? '') < (right ?? '')
}

function shareAccounts(one: KubeObject, other: KubeObject): boolean {
  const [left, right] = [accountsOf(one), accountsOf(other)]
  return left.length === 0 || right.length === 0 || left.some((account) => right.includes(account))
}

/**
 * Which VirtualKeys of a namespace a pod that names none could have: a key that is of no use to it is never in the way
 * of one that is.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import { conditionOf } from '../kube/conditions.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'

/** On a key that `tollgate verify` makes and deletes again: nobody's but by its name. */
export const TRIAL_LABEL = 'tollgate.dev/trial'

/** Conditions without which no call passes. A spent budget is not among them: it comes back, and the key is the same. */
const NEEDED = ['Accepted', 'KeyReady']

/** In a message; more names help nobody. */
const MAX_NAMES = 10

/** Neither being deleted nor on trial. */
export function isEligible(key: KubeObject): boolean {
  return !isDeleting(key) && asObject(key.metadata['labels'])?.[TRIAL_LABEL] !== 'true'
}

/** Why nobody can use the key; nothing where somebody can, or where it is too new to tell. */
export function whyUseless(key: KubeObject, nowMs: number): readonly string[] {
  const spec = asObject(key['spec'])
  const said = [
    ...(spec?.['suspended'] === true ? ['is suspended'] : []),
    ...(Date.parse(asString(spec?.['expiresAt']) ?? '') <= nowMs ? ['has expired'] : []),
  ]
  if (said.length > 0) return said
  const failing = NEEDED.map((type) => conditionOf(key, type)).find((one) => one?.['status'] === 'False')
  return failing === undefined ? [] : [`is not ready (${asString(failing['reason']) ?? ''})`]
}

/** Whether the key's status says that it can be used. */
export function isAccepted(key: KubeObject): boolean {
  return conditionOf(key, 'Accepted')?.['status'] === 'True'
}

/** ServiceAccounts whose pods may use it; none: all. */
export function accountsOf(key: KubeObject): readonly unknown[] {
  return asArray(asObject(asObject(key['spec'])?.['access'])?.['serviceAccounts'])
}

/** Names in a message, a bounded number of them. */
export function listed(names: readonly string[]): string {
  return names.toSorted().slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', ...' : '')
}

/**
 * Which VirtualKeys of a namespace a pod that names none could have: a key that is of no use to it is never in the way
 * of one that is.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { KubeObject } from '../kube/kube-object.ts'

/** On a key that `tollgate verify` makes and deletes again: nobody's but by its name. */
export const TRIAL_LABEL = 'tollgate.dev/trial'

/** Conditions without which no call passes. A spent budget is not among them: it comes back, and the key is the same. */
const NEEDED = ['Accepted', 'KeyReady']

/** Neither being deleted nor on trial. */
export function isEligible({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] === undefined && asObject(metadata['labels'])?.[TRIAL_LABEL] !== 'true'
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

export function conditionOf(key: KubeObject, type: string): JsonObject | undefined {
  return asArray(asObject(key['status'])?.['conditions'])
    .map(asObject)
    .find((condition) => condition?.['type'] === type)
}

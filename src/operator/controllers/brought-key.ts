/**
 * What is told of a key that somebody brings. Nobody keeps a text that was replaced, so texts are known by the beginnings
 * of their digests, which say nothing of them: HMACs with a pepper of the namespace.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { remembered } from '../../domain/remembered.ts'
import type { KeyDigest, Milliseconds, Snapshot } from '../../domain/snapshot/snapshot.ts'
import { kubeTime } from '../kube/conditions.ts'
import type { ObjectEvent } from '../kube/event-recorder.ts'
import type { KubeObject } from '../kube/kube-object.ts'

const ID_LENGTH = 12
/** Bound of the CRD. */
const MAX_KEYS = 4

const digestsById = new WeakMap<Snapshot, ReadonlyMap<string, readonly KeyDigest[]>>()

/** The digests that a key, `namespace/name`, is in force with; none: it is not in force. */
export function digestsInForce(snapshot: Snapshot, key: string): readonly KeyDigest[] {
  const all = remembered(
    digestsById,
    snapshot,
    ({ virtualKeys }) => new Map(virtualKeys.map(({ id, digests }) => [id, digests])),
  )
  return all.get(key) ?? []
}

/** `status.keys`. `object` has the status so far, which says when the present text was first seen. */
export function broughtKeys(object: KubeObject, digests: readonly KeyDigest[], nowMs: Milliseconds): JsonObject[] {
  const before = activeIn(object['status'])
  return digests
    .filter(({ notAfterMs = Infinity }) => notAfterMs > nowMs)
    .slice(0, MAX_KEYS)
    .map(({ digest, notAfterMs }) => {
      const id = digest.slice(0, ID_LENGTH)
      if (notAfterMs !== undefined) return { id, state: 'Retiring', notAfter: kubeTime(notAfterMs) }
      const seenAt = before?.['id'] === id ? asString(before['createdAt']) : undefined
      return { id, state: 'Active', createdAt: seenAt ?? kubeTime(nowMs) }
    })
}

/** What there is to tell where the text in force is not the one that the status names so far; undefined: nothing. */
export function rotationEvent(object: KubeObject, status: JsonObject): ObjectEvent | undefined {
  const former = activeIn(object['status'])?.['id']
  const present = activeIn(status)?.['id']
  if (former === undefined || present === undefined || former === present) return undefined
  const until = keysIn(status).find((one) => one['id'] === former)?.['notAfter']
  const { name } = asObject(status['secretRef']) ?? {}
  const end = until === undefined ? 'has ended' : `is valid until ${asString(until) ?? ''}`
  return {
    type: 'Normal',
    reason: 'KeyRotated',
    action: 'Rotate',
    note: `a new key is in Secret ${asString(name) ?? ''} (${asString(present) ?? ''}); the former one (${asString(former) ?? ''}) ${end}`,
  }
}

function activeIn(status: JsonValue | undefined): JsonObject | undefined {
  return keysIn(status).find((one) => one['state'] === 'Active')
}

function keysIn(status: JsonValue | undefined): readonly JsonObject[] {
  return asArray(asObject(status)?.['keys'])
    .map(asObject)
    .filter((one) => one !== undefined)
}

/** The Secret of a generated key: what it says, and how it is written. The key's VirtualKey owns it. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { KeyGeneration } from '../../domain/resources/key-rotation.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { Secret } from '../../domain/secret.ts'
import { kubeTime } from '../kube/conditions.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { apiVersionOf, VIRTUAL_KEYS } from '../kube/resource.ts'

export const SECRET_TYPE = 'tollgate.dev/virtual-key'
/** A new value on the VirtualKey asks for one rotation. */
export const ROTATE_ANNOTATION = 'tollgate.dev/rotate'

const CREATED_AT = 'tollgate.dev/created-at'
const PREVIOUS_NOT_AFTER = 'tollgate.dev/previous-not-after'
const HANDLED_ROTATE_REQUEST = 'tollgate.dev/handled-rotate-request'

export interface GeneratedKey extends KeyGeneration {
  readonly key: Secret
  readonly previousKey?: Secret
}

/** Name of the Secret of a VirtualKey whose key is generated. */
export function generatedSecretNameOf({ metadata, spec }: KubeObject): string {
  const generated = asObject(asObject(asObject(spec)?.['key'])?.['generated'])
  return asString(generated?.['secretName']) ?? `${metadata.name}-virtual-key`
}

/** Whether `owner` is the one that controls `object`. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return asArray(object.metadata['ownerReferences']).some((entry) => {
    const reference = asObject(entry)
    return reference?.['uid'] === owner.metadata.uid && reference?.['controller'] === true
  })
}

/** What the Secret holds; undefined where it holds no key that a VirtualKey could have. */
export function readGeneratedKey(secret: KubeObject): GeneratedKey | undefined {
  const key = entryOf(secret, 'key')
  if (key === undefined) return undefined
  const previousKey = entryOf(secret, 'previousKey')
  const previousNotAfterMs = time(annotationOf(secret, PREVIOUS_NOT_AFTER))
  const handledRotateRequest = annotationOf(secret, HANDLED_ROTATE_REQUEST)
  // Without the annotation it was taken away: the Secret's own age is the best that is known.
  const createdAtMs =
    time(annotationOf(secret, CREATED_AT)) ?? time(asString(secret.metadata['creationTimestamp'])) ?? 0
  return {
    key,
    createdAtMs,
    ...(previousKey === undefined || previousNotAfterMs === undefined ? {} : { previousKey, previousNotAfterMs }),
    ...(handledRotateRequest === undefined ? {} : { handledRotateRequest }),
  }
}

/** The whole Secret; `existing` is what it takes the place of. Labels and annotations of others stay. */
export function renderGeneratedSecret(owner: KubeObject, content: GeneratedKey, existing?: KubeObject): KubeObject {
  const { namespace = '' } = owner.metadata
  const kept = existing?.metadata
  const annotations = {
    ...asObject(kept?.['annotations']),
    [CREATED_AT]: kubeTime(content.createdAtMs),
    [PREVIOUS_NOT_AFTER]: content.previousNotAfterMs === undefined ? undefined : kubeTime(content.previousNotAfterMs),
    [HANDLED_ROTATE_REQUEST]: content.handledRotateRequest,
  }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...kept,
      name: generatedSecretNameOf(owner),
      namespace,
      labels: { ...asObject(kept?.['labels']), ...secretLabels(owner) },
      annotations,
      ownerReferences: kept?.['ownerReferences'] ?? [ownerReference(owner)],
    },
    type: SECRET_TYPE,
    data: {
      key: encode(content.key),
      previousKey: content.previousKey === undefined ? undefined : encode(content.previousKey),
    },
  }
}

/** Whether the Secret carries the labels that its VirtualKey asks for. */
export function hasLabels(secret: KubeObject, owner: KubeObject): boolean {
  const labels = asObject(secret.metadata['labels'])
  return Object.entries(secretLabels(owner)).every(([name, value]) => labels?.[name] === value)
}

/** An entry of any Secret, decoded; undefined where it is missing or empty. */
export function entryOf(secret: KubeObject, key: string): Secret | undefined {
  const encoded = asString(asObject(secret['data'])?.[key])
  return encoded === undefined || encoded === ''
    ? undefined
    : new Secret(Buffer.from(encoded, 'base64').toString('utf8'))
}

export function annotationOf(object: KubeObject, name: string): string | undefined {
  return asString(asObject(object.metadata['annotations'])?.[name])
}

function secretLabels({ spec }: KubeObject): JsonObject {
  const generated = asObject(asObject(asObject(spec)?.['key'])?.['generated'])
  return { ...asObject(generated?.['secretLabels']), 'app.kubernetes.io/managed-by': 'tollgate' }
}

function ownerReference({ metadata }: KubeObject): JsonObject {
  return {
    apiVersion: apiVersionOf(VIRTUAL_KEYS),
    kind: VIRTUAL_KEYS.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: false,
  }
}

function encode(secret: Secret): string {
  return Buffer.from(secret.reveal()).toString('base64')
}

function time(text: string | undefined): Milliseconds | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isFinite(ms) ? ms : undefined
}

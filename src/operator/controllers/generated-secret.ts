/** The Secret of a generated key: what it says, and how it is written. The key's VirtualKey owns it. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { MAX_FORMER_KEYS } from '../../domain/resources/key-rotation.ts'
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
/** Where the replaced keys stand, the latest first: `previousKey`, `previousKey2`, ... */
const FORMER_PLACES = Array.from({ length: MAX_FORMER_KEYS }, (_unused, index) => ({
  entry: index === 0 ? 'previousKey' : `previousKey${index + 1}`,
  annotation: index === 0 ? PREVIOUS_NOT_AFTER : `${PREVIOUS_NOT_AFTER}-${index + 1}`,
}))
const HANDLED_ROTATE_REQUEST = 'tollgate.dev/handled-rotate-request'

/** A replaced key that is still valid. */
export interface FormerKey {
  readonly key: Secret
  readonly notAfterMs: Milliseconds
}

export interface GeneratedKey extends Omit<KeyGeneration, 'formerNotAfterMs'> {
  readonly key: Secret
  /** The latest first, `MAX_FORMER_KEYS` at most. */
  readonly former: readonly FormerKey[]
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
  const handledRotateRequest = annotationOf(secret, HANDLED_ROTATE_REQUEST)
  // Without the annotation it was taken away: the Secret's own age is the best that is known.
  const createdAtMs =
    time(annotationOf(secret, CREATED_AT)) ?? time(asString(secret.metadata['creationTimestamp'])) ?? 0
  return {
    key,
    createdAtMs,
    former: FORMER_PLACES.flatMap((place) => {
      const former = entryOf(secret, place.entry)
      const notAfterMs = time(annotationOf(secret, place.annotation))
      return former === undefined || notAfterMs === undefined ? [] : [{ key: former, notAfterMs }]
    }),
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
    ...byPlace('annotation', ({ notAfterMs }) => kubeTime(notAfterMs), content.former),
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
    data: { key: encode(content.key), ...byPlace('entry', ({ key }) => encode(key), content.former) },
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

/** One field a place; undefined, which takes it away, where there is no key for it. */
function byPlace(
  field: 'entry' | 'annotation',
  textOf: (former: FormerKey) => string,
  all: readonly FormerKey[],
): Readonly<Record<string, string | undefined>> {
  const texts = all.map(textOf)
  return Object.fromEntries(FORMER_PLACES.map((place, index) => [place[field], texts[index]]))
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

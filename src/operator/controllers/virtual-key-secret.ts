/**
 * Makes, rotates and forgets the text of a generated key, in the Secret that its VirtualKey owns. Every write follows the
 * version that was read, so that a stale cache leads to a conflict and another round, never to a second rotation.
 */
import { asObject, asString } from '../../domain/json.ts'
import { parseDuration } from '../../domain/resources/durations.ts'
import { DEFAULT_OVERLAP_MS, MAX_FORMER_KEYS, nextRotationStep } from '../../domain/resources/key-rotation.ts'
import type { KeyGeneration, RotationRules, RotationStep } from '../../domain/resources/key-rotation.ts'
import { renderVirtualKey, VIRTUAL_KEY_BYTES } from '../../domain/resources/virtual-key-text.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { Secret } from '../../domain/secret.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { SECRETS } from '../kube/resource.ts'
import type { ClusterView } from './cluster-view.ts'
import {
  annotationOf,
  generatedSecretNameOf,
  hasLabels,
  isControlledBy,
  readGeneratedKey,
  renderGeneratedSecret,
  ROTATE_ANNOTATION,
} from './generated-secret.ts'
import type { FormerKey, GeneratedKey } from './generated-secret.ts'

/** How the key's Secret stands after a round. */
export type SecretOutcome =
  /** `nextAtMs`: when there is something to do again without any change. */
  | { readonly type: 'current'; readonly nextAtMs: Milliseconds | undefined }
  /** The name is taken by a Secret that this VirtualKey does not own: it is left alone. */
  | { readonly type: 'not-owned'; readonly message: string }

export interface SecretKeeperOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>
  readonly view: Pick<ClusterView, 'secret'>
  readonly events: Pick<EventRecorder, 'record'>
  readonly now: () => Milliseconds
  readonly randomBytes: (count: number) => Uint8Array
}

/** One round for one VirtualKey. @throws KubeError; a conflict means that the cache was behind. */
export async function keepSecret(key: KubeObject, options: SecretKeeperOptions): Promise<SecretOutcome> {
  const name = generatedSecretNameOf(key)
  const { namespace = '' } = key.metadata
  const known = options.view.secret(namespace, name)
  const secret = known ?? (await createOrRead(key, options))
  if (!isControlledBy(secret, key)) {
    return { type: 'not-owned', message: `Secret ${name} exists and does not belong to this VirtualKey` }
  }
  return advance(key, secret, options)
}

/** The spec's rules, in milliseconds. */
export function rotationRules(key: KubeObject): RotationRules {
  const rotation = asObject(asObject(asObject(asObject(key['spec'])?.['key'])?.['generated'])?.['rotation'])
  const interval = asString(rotation?.['interval'])
  const overlap = asString(rotation?.['overlap'])
  return {
    ...(interval === undefined ? {} : { intervalMs: parseDuration(interval) }),
    overlapMs: overlap === undefined ? DEFAULT_OVERLAP_MS : parseDuration(overlap),
  }
}

/** What is due for the key of this VirtualKey, of which the Secret says `current`. */
export function rotationStep(key: KubeObject, current: GeneratedKey | undefined, nowMs: Milliseconds): RotationStep {
  const generation: KeyGeneration | undefined = current && {
    ...current,
    formerNotAfterMs: current.former.map(({ notAfterMs }) => notAfterMs),
  }
  return nextRotationStep(generation, rotationRules(key), annotationOf(key, ROTATE_ANNOTATION), nowMs)
}

/** The cache may be behind a Secret that exists: then that one is read. */
async function createOrRead(key: KubeObject, options: SecretKeeperOptions): Promise<KubeObject> {
  const { client, events, now } = options
  const secret = renderGeneratedSecret(key, newKey(key, options, now()))
  try {
    const created = await client.create(SECRETS, secret)
    events.record(key, {
      type: 'Normal',
      reason: 'KeyCreated',
      action: 'Create',
      note: `the key is in Secret ${secret.metadata.name}`,
    })
    return created
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error
    const { name, namespace = '' } = secret.metadata
    return client.get(SECRETS, { name, namespace })
  }
}

async function advance(key: KubeObject, secret: KubeObject, options: SecretKeeperOptions): Promise<SecretOutcome> {
  const nowMs = options.now()
  const current = readGeneratedKey(secret)
  const step = rotationStep(key, current, nowMs)
  if (step.type === 'keep' && hasLabels(secret, key)) return { type: 'current', nextAtMs: step.nextAtMs }
  const content = contentAfter(step, current, nowMs, () => newKey(key, options, nowMs))
  const written = await options.client.replace(SECRETS, renderGeneratedSecret(key, content, secret))
  if (step.type === 'rotate') {
    const until = new Date(step.notAfterMs).toISOString()
    const isCrowded = (current?.former.filter(isValidAt(nowMs)).length ?? 0) >= MAX_FORMER_KEYS
    const ended = isCrowded ? `; an older one has ended early: ${MAX_FORMER_KEYS} former keys are kept at most` : ''
    options.events.record(key, {
      type: 'Normal',
      reason: 'KeyRotated',
      action: 'Rotate',
      note: `a new key is in Secret ${written.metadata.name} (by ${step.because}); the former one is valid until ${until}${ended}`,
    })
  }
  const after = rotationStep(key, content, nowMs)
  return { type: 'current', nextAtMs: after.type === 'keep' ? after.nextAtMs : nowMs }
}

function contentAfter(
  step: RotationStep,
  current: GeneratedKey | undefined,
  nowMs: Milliseconds,
  make: () => GeneratedKey,
): GeneratedKey {
  if (current === undefined || step.type === 'create') return make()
  const former = current.former.filter(isValidAt(nowMs))
  switch (step.type) {
    case 'keep':
      return current
    case 'rotate':
      return {
        ...make(),
        former: [{ key: current.key, notAfterMs: step.notAfterMs }, ...former].slice(0, MAX_FORMER_KEYS),
      }
    case 'forget-former':
      return { ...current, former }
    case 'shorten-former':
      return {
        ...current,
        former: former.map(({ key, notAfterMs }) => ({ key, notAfterMs: Math.min(notAfterMs, step.notAfterMs) })),
      }
    default:
      return step satisfies never
  }
}

function isValidAt(nowMs: Milliseconds): (former: FormerKey) => boolean {
  return ({ notAfterMs }) => notAfterMs > nowMs
}

/** A request that is there from the begin is not a request to replace what is only being made. */
function newKey(key: KubeObject, { randomBytes }: SecretKeeperOptions, nowMs: Milliseconds): GeneratedKey {
  const request = annotationOf(key, ROTATE_ANNOTATION)
  return {
    key: new Secret(renderVirtualKey(randomBytes(VIRTUAL_KEY_BYTES)).text),
    createdAtMs: nowMs,
    former: [],
    ...(request === undefined ? {} : { handledRotateRequest: request }),
  }
}

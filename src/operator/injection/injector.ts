/**
 * Decides on one pod that is to be created. It answers from caches and has no side effects, so that a dry run needs
 * nothing of its own. What cannot be decided is denied: a pod that was let through without its sidecar would look well.
 */
import { createHash } from 'node:crypto'
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { AdmissionDecision, AdmissionRequest } from './admission-review.ts'
import {
  annotationsOf,
  INJECT_LABEL,
  KNOWN_ANNOTATIONS,
  labelsOf,
  readWishes,
  unknownAnnotations,
} from './annotations.ts'
import type { PodWishes } from './annotations.ts'
import { planEnv } from './application-env.ts'
import { chooseKey } from './choose-key.ts'
import type { KeyLookup } from './choose-key.ts'
import { patchPod } from './patch-pod.ts'
import { renderIdentityVolume, renderSidecar } from './sidecar-container.ts'
import type { InjectionSettings } from './settings.ts'
import type { SidecarRules } from './sidecar-shape.ts'
import { slipsOf } from './slips.ts'

const PODS = '/v1/pods'
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'
const HASH_LENGTH = 16
/** Of names in the log. */
const MAX_NAME = 253
/**
 * Of a pod, init containers included; no node runs half as many. Whoever reaches the port may send a pod, and each
 * container is answered with a hundred times the bytes that name it.
 */
const MAX_CONTAINERS = 500
/** Misspelt annotations that are told; no answer has more warnings. */
const MAX_MISSPELT = 16

export interface InjectorOptions {
  readonly settings: InjectionSettings
  /** PEM of the authorities that sidecars shall trust; undefined: not known yet. */
  readonly trust: () => string | undefined
  readonly keys: KeyLookup
  readonly rules: SidecarRules
  /** Whether a pod may ask for this image. */
  readonly mayUseImage: (image: string) => boolean
  readonly now: () => number
  readonly log: Log
  readonly onDecision?: (result: InjectionResult) => void
}

export type InjectionResult = 'injected' | 'unchanged' | 'skipped' | 'denied' | 'error'

export type Injector = (request: AdmissionRequest) => Promise<AdmissionDecision>

export function createInjector(options: InjectorOptions): Injector {
  return async (request) => {
    try {
      const [result, decision] = await decide(request, options)
      options.onDecision?.(result)
      if (decision.type === 'denied') options.log.info({ ...nameOf(request), reason: decision.message }, 'pod refused')
      return decision
    } catch (error) {
      options.log.error({ ...nameOf(request), ...errorFields(error) }, 'pod not injected')
      options.onDecision?.('error')
      return denied(500, 'InternalError', 'tollgate: the sidecar cannot be injected now; try again')
    }
  }
}

/** Before it is created a pod of a controller has only the beginning of a name. */
function nameOf({ namespace, object }: AdmissionRequest): { readonly namespace: string; readonly pod: string } {
  const metadata = asObject(object['metadata'])
  const name = asString(metadata?.['name']) ?? asString(metadata?.['generateName']) ?? ''
  return { namespace: namespace.slice(0, MAX_NAME), pod: name.slice(0, MAX_NAME) }
}

/**
 * Changes with whatever a sidecar is made of, apart from what its pod wishes: pods with another one are out of date.
 */
export function configHashOf(settings: InjectionSettings, trust: string): string {
  const wishes: PodWishes = { ...settings, virtualKey: undefined, await: true }
  const env = planEnv({}, { mode: settings.env, dataPort: settings.dataPort, key: { secretName: '', entry: '' } })
  const made = JSON.stringify([renderSidecar({ wishes, trust }), renderIdentityVolume(), env.added])
  return createHash('sha256').update(made).digest('hex').slice(0, HASH_LENGTH)
}

async function decide(
  request: AdmissionRequest,
  options: InjectorOptions,
): Promise<readonly [InjectionResult, AdmissionDecision]> {
  const { resource, subResource, operation, object } = request
  if (resource !== PODS || subResource !== '' || operation !== 'CREATE')
    return ['denied', denied(400, 'BadRequest', 'tollgate: this webhook is for the creation of pods only')]
  if (isExempt(object)) return ['skipped', allowed([], [])]
  const trust = options.trust()
  if (trust === undefined) throw new Error('no certificate authority is known yet')
  return inject(request, trust, options)
}

/** As the selectors of the webhook's configuration say, in case that they were changed. */
function isExempt(pod: JsonObject): boolean {
  return (
    labelsOf(pod)[INJECT_LABEL] === 'false' ||
    asObject(pod['spec'])?.['hostNetwork'] === true ||
    annotationsOf(pod)[MIRROR_ANNOTATION] !== undefined
  )
}

async function inject(
  { namespace, object }: AdmissionRequest,
  trust: string,
  options: InjectorOptions,
): Promise<readonly [InjectionResult, AdmissionDecision]> {
  const { settings, rules, mayUseImage } = options
  const count = containerCount(object)
  if (count > MAX_CONTAINERS)
    return [
      'denied',
      denied(422, 'Invalid', `tollgate: the pod has ${count} containers; ${MAX_CONTAINERS} is the most`),
    ]
  const wishes = tryReadWishes(object, settings, mayUseImage)
  if (typeof wishes === 'string') return ['denied', denied(422, 'Invalid', `tollgate: ${wishes}`)]
  const choice = await keyOf(object, namespace, wishes, options)
  if (choice?.type === 'refused') return ['denied', denied(422, 'Invalid', `tollgate: ${choice.message}`)]
  const env = choice === undefined ? undefined : { mode: wishes.env, dataPort: wishes.dataPort, key: choice.key }
  const patch = patchPod(object, { wishes, trust, configHash: configHashOf(settings, trust), env, rules })
  if (patch.type === 'refused') return ['denied', denied(422, 'Invalid', `tollgate: ${patch.message}`)]
  const slips = slipsOf(object, wishes).map((slip) => `tollgate: ${slip}`)
  const warnings = [...(choice?.warnings ?? []), ...slips, ...patch.warnings, ...misspelt(object)]
  return [patch.operations.length === 0 ? 'unchanged' : 'injected', allowed(patch.operations, warnings)]
}

function containerCount(pod: JsonObject): number {
  const spec = asObject(pod['spec'])
  return asArray(spec?.['containers']).length + asArray(spec?.['initContainers']).length
}

function tryReadWishes(
  pod: JsonObject,
  settings: InjectionSettings,
  mayUseImage: (image: string) => boolean,
): PodWishes | string {
  try {
    return readWishes(pod, settings, mayUseImage)
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

/** Undefined: the applications bring their own key, and no VirtualKey is named. */
async function keyOf(pod: JsonObject, namespace: string, wishes: PodWishes, { keys, now }: InjectorOptions) {
  if (wishes.env === 'off' && wishes.virtualKey === undefined) return undefined
  const serviceAccount = asString(asObject(pod['spec'])?.['serviceAccountName']) ?? 'default'
  return chooseKey({ namespace, name: wishes.virtualKey, serviceAccount, now: now() }, keys)
}

function misspelt(pod: JsonObject): readonly string[] {
  return unknownAnnotations(pod)
    .slice(0, MAX_MISSPELT)
    .map((name) => `tollgate: annotation ${name} is not known; known are ${KNOWN_ANNOTATIONS}`)
}

function allowed(
  operations: Extract<AdmissionDecision, { type: 'allowed' }>['operations'],
  warnings: readonly string[],
): AdmissionDecision {
  return { type: 'allowed', operations, warnings }
}

function denied(code: number, reason: string, message: string): AdmissionDecision {
  return { type: 'denied', code, reason, message }
}

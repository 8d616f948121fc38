/**
 * Whether a pod's sidecar is as it is injected. What the operator hands to a sidecar, an application could take from a
 * container that only looks like one, so everything is refused by which foreign code gets into it, or its token out:
 *
 *     other program       image, command, args, exec in probes and hooks, NODE_OPTIONS and the like, foreign mounts,
 *                         another working directory (a mount, together with a relative path of the image)
 *     other conversation  another operator's address, another authority: its token would be sent to an impostor, who
 *                         sits in the same pod and so has the right address to use it
 *     shared token        the identity's volume, or one like it, in another container
 *     shared processes    shareProcessNamespace, hostPID
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { AUDIENCE } from '../credentials/authenticate.ts'
import {
  IDENTITY_PATH,
  IDENTITY_VOLUME,
  SIDECAR_ARGS,
  SIDECAR_CONTAINER,
  SIDECAR_ENV_NAMES,
} from './sidecar-container.ts'

/** Where every pod may have the ordinary token of its ServiceAccount; the API server mounts it by itself. */
const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe']

export interface SidecarRules {
  readonly isAllowedImage: (image: string) => boolean
  /** `host:port`; undefined: any. */
  readonly operatorAddress?: string
  /** Whether an authority (PEM, one or more) is one of ours; absent: any is. */
  readonly isTrusted?: (pem: string) => boolean
}

/** Why the pod has no sidecar that may be trusted, for people; undefined: it has one. */
export function sidecarProblem(spec: JsonObject | undefined, rules: SidecarRules): string | undefined {
  const initContainers = containersOf(spec, 'initContainers')
  const sidecar = initContainers.find(({ name }) => name === SIDECAR_CONTAINER)
  if (sidecar === undefined) return `there is no init container ${SIDECAR_CONTAINER}`
  return containerProblem(sidecar, rules) ?? surroundingsProblem(spec, sidecar)
}

/** The same of the container alone. */
function containerProblem(container: JsonObject, rules: SidecarRules): string | undefined {
  if (container['restartPolicy'] !== 'Always') return 'its restartPolicy is not Always'
  if (!rules.isAllowedImage(asString(container['image']) ?? '')) return 'its image is not one of the installation'
  if (asArray(container['command']).length > 0) return 'it has a command'
  if ((container['workingDir'] ?? '') !== '') return 'it has a working directory'
  if (!sameList(container['args'], SIDECAR_ARGS)) return `its args are not ${JSON.stringify(SIDECAR_ARGS)}`
  if (container['lifecycle'] !== undefined && container['lifecycle'] !== null) return 'it has a lifecycle hook'
  if (PROBES.some((probe) => asObject(container[probe])?.['exec'] !== undefined))
    return 'it has a probe that runs a command'
  return mountProblem(container) ?? envProblem(container, rules)
}

/** Containers of all sorts that a pod may have under a field. */
export function containersOf(spec: JsonObject | undefined, field: string): readonly JsonObject[] {
  return objectsOf(spec?.[field])
}

/** Whether a volume holds a token for the operator. */
function isIdentityVolume(volume: JsonObject | undefined): boolean {
  return asArray(asObject(volume?.['projected'])?.['sources']).some(
    (source) => asObject(asObject(source)?.['serviceAccountToken'])?.['audience'] === AUDIENCE,
  )
}

function mountProblem(container: JsonObject): string | undefined {
  if (asArray(container['volumeDevices']).length > 0) return 'it has a volume device'
  const mounts = objectsOf(container['volumeMounts'])
  const foreign = mounts.find(
    ({ name, mountPath }) =>
      !(name === IDENTITY_VOLUME && mountPath === IDENTITY_PATH) && mountPath !== SERVICE_ACCOUNT_PATH,
  )
  if (foreign !== undefined) return `it mounts ${asString(foreign['mountPath']) ?? 'something else'}`
  return mounts.some(({ name }) => name === IDENTITY_VOLUME) ? undefined : `it does not mount ${IDENTITY_VOLUME}`
}

function envProblem(container: JsonObject, { operatorAddress, isTrusted }: SidecarRules): string | undefined {
  if (asArray(container['envFrom']).length > 0) return 'it has envFrom'
  const entries = objectsOf(container['env'])
  const foreign = entries.find(({ name }) => !SIDECAR_ENV_NAMES.has(asString(name) ?? ''))
  if (foreign !== undefined) return `it has the variable ${asString(foreign['name']) ?? ''}`
  const valuesOf = (wanted: string) =>
    entries.filter(({ name }) => name === wanted).map(({ value }) => asString(value) ?? '')
  // Of each: the last one of several would count.
  if (operatorAddress !== undefined && !isOnly(valuesOf('TOLLGATE_OPERATOR'), (value) => value === operatorAddress))
    return `its TOLLGATE_OPERATOR is not ${operatorAddress}`
  if (!isOnly(valuesOf('TOLLGATE_LISTEN'), (value) => value.startsWith('127.0.0.1:')))
    return 'its TOLLGATE_LISTEN is not on 127.0.0.1'
  if (isTrusted !== undefined && !isOnly(valuesOf('TOLLGATE_CA'), isTrusted)) return 'its TOLLGATE_CA is not ours'
  return undefined
}

function surroundingsProblem(spec: JsonObject | undefined, sidecar: JsonObject): string | undefined {
  if (spec?.['shareProcessNamespace'] === true) return 'the pod shares its process namespace'
  if (isForWindows(spec)) return 'the pod is for Windows'
  if (spec?.['hostPID'] === true) return "the pod has the host's process namespace"
  const volumes = objectsOf(spec?.['volumes'])
  const identities = new Set(volumes.filter(isIdentityVolume).map(({ name }) => asString(name)))
  if (!identities.has(IDENTITY_VOLUME)) return `its volume ${IDENTITY_VOLUME} is no token for the operator`
  const others = ['initContainers', 'containers', 'ephemeralContainers']
    .flatMap((field) => containersOf(spec, field))
    .filter((container) => container !== sidecar)
  const sharer = others.find((container) =>
    asArray(container['volumeMounts']).some((mount) => identities.has(asString(asObject(mount)?.['name']))),
  )
  return sharer === undefined ? undefined : `container ${asString(sharer['name']) ?? ''} mounts its token`
}

/** By `os`, which is optional, or by the label that every node has. */
function isForWindows(spec: JsonObject | undefined): boolean {
  const selected = asObject(spec?.['nodeSelector'])?.['kubernetes.io/os']
  return asObject(spec?.['os'])?.['name'] === 'windows' || selected === 'windows'
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((one) => one !== undefined)
}

function isOnly(values: readonly string[], test: (value: string) => boolean): boolean {
  return values.length === 1 && values.every(test)
}

function sameList(value: JsonValue | undefined, wanted: readonly string[]): boolean {
  const list = asArray(value)
  return list.length === wanted.length && wanted.every((one, index) => list[index] === one)
}

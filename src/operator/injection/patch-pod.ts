/**
 * The sidecar into a pod, as a JSON Patch. Pure, and such that a second application changes nothing: another webhook may
 * have changed the pod after us, and the API server then asks again. Only adds, but for variables that the pod wants
 * overridden; what it does not know it does not touch.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { JsonPatchOperation } from '../kube/kube-api.ts'
import {
  annotationsOf,
  CONFIG_HASH_ANNOTATION,
  DEFAULT_CONTAINER_ANNOTATION,
  INJECT_LABEL,
  INJECTED_LABEL,
  labelsOf,
} from './annotations.ts'
import { planEnv } from './application-env.ts'
import type { EnvWishes } from './application-env.ts'
import { IDENTITY_VOLUME, renderIdentityVolume, renderSidecar, SIDECAR_CONTAINER } from './sidecar-container.ts'
import type { SidecarPlan } from './sidecar-container.ts'
import { containersOf, sidecarProblem } from './sidecar-shape.ts'
import type { SidecarRules } from './sidecar-shape.ts'

/** Native sidecars of meshes: ours talks through them, so they come first. */
const MESH_PROXIES: ReadonlySet<JsonValue | undefined> = new Set(['istio-proxy', 'linkerd-proxy'])
/** Never an application. */
const MESH_CONTAINERS: ReadonlySet<JsonValue | undefined> = new Set([
  ...MESH_PROXIES,
  'istio-init',
  'istio-validation',
  'linkerd-init',
  'linkerd-network-validator',
])

export interface InjectionPlan extends SidecarPlan {
  readonly configHash: string
  /** Undefined: the applications' variables are left alone. */
  readonly env: EnvWishes | undefined
  readonly rules: SidecarRules
}

export type PodPatch =
  | { readonly type: 'patch'; readonly operations: readonly JsonPatchOperation[]; readonly warnings: readonly string[] }
  | { readonly type: 'refused'; readonly message: string }

export function patchPod(pod: JsonObject, plan: InjectionPlan): PodPatch {
  const spec = asObject(pod['spec']) ?? {}
  const sidecar = planSidecar(spec, plan)
  const volume = planVolume(spec)
  const result = { ...spec, initContainers: [...sidecar.containers], volumes: [...volume.volumes] }
  const problem = sidecarProblem(result, plan.rules) ?? nameProblem(spec)
  if (problem !== undefined) return { type: 'refused', message: refusal(problem, sidecar.isNew) }
  const env = patchEnv(spec, plan.env)
  return {
    type: 'patch',
    operations: [
      ...env.operations,
      // After them: it moves the init containers that they name by their places.
      ...sidecar.operations,
      ...volume.operations,
      ...patchMetadata(pod, spec, plan.configHash, sidecar.isNew),
    ],
    warnings: env.warnings,
  }
}

interface SidecarChange {
  readonly isNew: boolean
  readonly containers: readonly JsonObject[]
  readonly operations: readonly JsonPatchOperation[]
}

function planSidecar(spec: JsonObject, plan: SidecarPlan): SidecarChange {
  const containers = containersOf(spec, 'initContainers')
  const at = containers.findIndex(({ name }) => name === SIDECAR_CONTAINER)
  const present = containers[at]
  if (present !== undefined) return repairSidecar(containers, present, at)
  const sidecar = renderSidecar(plan)
  if (containers.length === 0)
    return { isNew: true, containers: [sidecar], operations: [add('/spec/initContainers', [sidecar])] }
  const place =
    containers.findLastIndex(({ name, restartPolicy }) => MESH_PROXIES.has(name) && restartPolicy === 'Always') + 1
  return {
    isNew: true,
    containers: containers.toSpliced(place, 0, sidecar),
    operations: [add(`/spec/initContainers/${place}`, sidecar)],
  }
}

/** Webhooks that were built before native sidecars drop the field they do not know. */
function repairSidecar(containers: readonly JsonObject[], present: JsonObject, at: number): SidecarChange {
  if (present['restartPolicy'] !== undefined && present['restartPolicy'] !== null)
    return { isNew: false, containers, operations: [] }
  return {
    isNew: false,
    containers: containers.with(at, { ...present, restartPolicy: 'Always' }),
    operations: [add(`/spec/initContainers/${at}/restartPolicy`, 'Always')],
  }
}

function planVolume(spec: JsonObject): {
  readonly volumes: readonly JsonObject[]
  readonly operations: readonly JsonPatchOperation[]
} {
  const volumes = containersOf(spec, 'volumes')
  if (volumes.some(({ name }) => name === IDENTITY_VOLUME)) return { volumes, operations: [] }
  const volume = renderIdentityVolume()
  const operation = volumes.length === 0 ? add('/spec/volumes', [volume]) : add('/spec/volumes/-', volume)
  return { volumes: [...volumes, volume], operations: [operation] }
}

function nameProblem(spec: JsonObject): string | undefined {
  const hasNamesake = containersOf(spec, 'containers').some(({ name }) => name === SIDECAR_CONTAINER)
  return hasNamesake ? `a container has the name ${SIDECAR_CONTAINER}` : undefined
}

function refusal(problem: string, isNew: boolean): string {
  const optOut = `or set the label ${INJECT_LABEL}=false`
  return isNew
    ? `the sidecar cannot be injected: ${problem}; change that, ${optOut}`
    : `the pod's init container ${SIDECAR_CONTAINER} is not the sidecar as it is injected: ${problem}; remove it from the pod, ${optOut}`
}

function patchEnv(
  spec: JsonObject,
  wishes: EnvWishes | undefined,
): { readonly operations: readonly JsonPatchOperation[]; readonly warnings: readonly string[] } {
  if (wishes === undefined) return { operations: [], warnings: [] }
  const parts = ['containers', 'initContainers'].flatMap((field) =>
    containersOf(spec, field).flatMap((container, index) =>
      container['name'] === SIDECAR_CONTAINER || MESH_CONTAINERS.has(container['name'])
        ? []
        : [patchContainerEnv(container, `/spec/${field}/${index}/env`, wishes)],
    ),
  )
  return {
    operations: parts.flatMap(({ operations }) => operations),
    warnings: parts.flatMap(({ warning }) => warning ?? []),
  }
}

function patchContainerEnv(container: JsonObject, path: string, wishes: EnvWishes) {
  const { added, replaced, kept } = planEnv(container, wishes)
  const isEmpty = asArray(container['env']).length === 0
  const additions = isEmpty
    ? added.length === 0
      ? []
      : [add(path, [...added])]
    : added.map((entry) => add(`${path}/-`, entry))
  const replacements = replaced.map(({ index, entry }): JsonPatchOperation => ({
    op: 'replace',
    path: `${path}/${index}`,
    value: entry,
  }))
  const warning =
    kept.length === 0
      ? undefined
      : `tollgate: container ${asString(container['name']) ?? ''}: env already set, skipped: ${kept.join(', ')}`
  return { operations: [...replacements, ...additions], warning }
}

function patchMetadata(
  pod: JsonObject,
  spec: JsonObject,
  configHash: string,
  isNew: boolean,
): readonly JsonPatchOperation[] {
  const annotations = annotationsOf(pod)
  const [application] = containersOf(spec, 'containers')
  const name = asString(application?.['name'])
  const isHashed = annotations[CONFIG_HASH_ANNOTATION] !== undefined && !isNew
  return [
    ...setMembers('labels', labelsOf(pod), { [INJECTED_LABEL]: 'true' }, pod),
    ...setMembers(
      'annotations',
      annotations,
      {
        // That of a pod which was injected before tells what it was injected with.
        ...(isHashed ? {} : { [CONFIG_HASH_ANNOTATION]: configHash }),
        ...(annotations[DEFAULT_CONTAINER_ANNOTATION] !== undefined || name === undefined
          ? {}
          : { [DEFAULT_CONTAINER_ANNOTATION]: name }),
      },
      pod,
    ),
  ]
}

function setMembers(
  field: 'labels' | 'annotations',
  present: JsonObject,
  wanted: Readonly<Record<string, string>>,
  pod: JsonObject,
): readonly JsonPatchOperation[] {
  const changes = Object.entries(wanted).filter(([name, value]) => present[name] !== value)
  if (changes.length === 0) return []
  const metadata = asObject(pod['metadata'])
  if (metadata === undefined) return [add('/metadata', { [field]: wanted })]
  if (asObject(metadata[field]) === undefined) return [add(`/metadata/${field}`, Object.fromEntries(changes))]
  return changes.map(([name, value]) => add(`/metadata/${field}/${escape(name)}`, value))
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 section 3 */
function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function add(path: string, value: JsonValue): JsonPatchOperation {
  return { op: 'add', path, value }
}

/** What the statuses say, from a build and what is programmed. Pure; written by status-writer.ts. */
import { createHash } from 'node:crypto'
import { asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { parseVirtualKeyId } from '../../domain/resources/virtual-key-text.ts'
import type { Secret } from '../../domain/secret.ts'
import { conditionOf, kubeTime } from '../kube/conditions.ts'
import type { DesiredCondition } from '../kube/conditions.ts'
import { keyOf } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { broughtKeys, digestsInForce } from './brought-key.ts'
import type { Build } from './build.ts'
import { generatedSecretNameOf } from './generated-secret.ts'
import type { GeneratedKey } from './generated-secret.ts'
import { isGenerated } from './gather.ts'
import type { ProviderHealth } from '../health/provider-health.ts'
import type { ProgrammedState } from './programmed.ts'
import { rotationRules, rotationStep } from './virtual-key-secret.ts'

export interface StatusInput {
  readonly object: KubeObject
  /** `Kind/namespace/name`. */
  readonly id: string
  readonly build: Build
  readonly programmed: ProgrammedState
  /** Why nothing is published: Redis cannot be reached or refuses, or there is nothing that could be. */
  readonly publicationProblem: Problem | undefined
  /** Why sidecars cannot log in to where it is published; of a VirtualKey. */
  readonly loginProblem?: Problem | undefined
  /** Why the key's text cannot be had, where the build does not know it. */
  readonly keyProblem?: Problem | undefined
  /** What keeps requests from passing, of what has limits; `unread`: not known yet. */
  readonly quota: Problem | 'none' | 'unread'
  /** Projects of an Organization that let nothing more through. */
  readonly exhaustedProjects: ReadonlySet<string>
  /** Of a Provider; undefined: not known yet. */
  readonly health: ProviderHealth | undefined
}

export interface Problem {
  readonly reason: string
  readonly message: string
}

/** The conditions in the order in which they depend on each other, `Ready` last: the first that is not True, else what the build says. */
export function conditionsOf({
  object,
  id,
  build,
  programmed,
  publicationProblem,
  loginProblem,
  keyProblem,
  quota,
  health,
}: StatusInput): DesiredCondition[] {
  const observedGeneration = object.metadata.generation
  const evaluated = (build.conditions.get(id) ?? []).map((one) => ({ ...one, observedGeneration }))
  const ready = evaluated.filter(({ type }) => type === 'Ready')
  const answers: DesiredCondition[] = evaluated
    .filter(({ type }) => type !== 'Ready')
    .map((one) =>
      one.type === 'KeyReady' && keyProblem !== undefined
        ? { ...one, status: 'False', reason: keyProblem.reason, message: keyProblem.message }
        : one,
    )
  const problem = programmed === 'in-force' ? loginProblem : publicationProblem
  answers.push({ ...programmedCondition(build.revisions.has(id), programmed, problem), observedGeneration })
  if (object.kind !== 'Provider')
    answers.push({ ...quotaCondition(object, build.revisions.has(id), quota), observedGeneration })
  else answers.push({ ...healthCondition(object, health), observedGeneration })
  // A provider that nobody checks is no less ready for it.
  const failing = answers.find(({ type, status }) => status === 'False' || (status === 'Unknown' && type !== 'Healthy'))
  if (failing === undefined) return [...answers, ...ready]
  const { status, reason, message } = failing
  return [...answers, { type: 'Ready', status, reason, message, observedGeneration }]
}

/** Of a resource that is being deleted and is out of force: only others hold it back. */
export function endConditions(observedGeneration: number | undefined): DesiredCondition[] {
  const message = 'it is being deleted and not in force any more'
  return ['Programmed', 'Ready'].map((type) => ({
    type,
    status: 'False',
    reason: 'Deleting',
    message,
    observedGeneration,
  }))
}

export interface VirtualKeyDetails {
  /** Of the Secret that this operator keeps; absent for a key that somebody brought. */
  readonly generated?: GeneratedKey | undefined
  /** The text of a key that somebody brought; only whether it is one of ours is told. */
  readonly supplied?: Secret | undefined
  readonly nowMs: number
}

/** The fields of a VirtualKey's status beside its conditions. */
export function virtualKeyFields({ object, id, build }: StatusInput, details: VirtualKeyDetails): JsonObject {
  const spec = asObject(object['spec'])
  const source = asObject(spec?.['key'])
  const { generated } = details
  return present({
    observedGeneration: object.metadata.generation,
    configRevision: build.revisions.get(id),
    keyID: keyIdOf(generated?.key ?? details.supplied),
    secretRef: secretReference(object, asObject(source?.['secretRef'])),
    expiresAt: asString(spec?.['expiresAt']),
    ...(generated === undefined ? {} : generatedFields(object, generated, details.nowMs)),
    ...(isGenerated(object) ? {} : broughtFields(object, build, details.nowMs)),
  })
}

/** The fields of a Provider's status beside its conditions. `credential`: as it is in its Secret. */
export function providerFields(
  { object, id, build, health }: StatusInput,
  credential: Secret | undefined,
  nowMs: number,
): JsonObject {
  const spec = asObject(object['spec'])
  const name = asString(asObject(asObject(spec?.['credentials'])?.['secretRef'])?.['name'])
  const models = spec?.['models']
  return present({
    observedGeneration: object.metadata.generation,
    configRevision: build.revisions.get(id),
    modelCount: Array.isArray(models) ? models.length : 0,
    health: health?.details ?? asObject(asObject(object['status'])?.['health']),
    credentials:
      name === undefined || credential === undefined ? undefined : credentialFields(object, name, credential, nowMs),
  })
}

/** The fields of an Organization's status beside its conditions. */
export function organizationFields({ object, id, build, exhaustedProjects }: StatusInput): JsonObject {
  const keys = build.snapshot.virtualKeys.filter(({ organization }) => organization === object.metadata.name)
  const projects = build.snapshot.organizations.find(({ name }) => name === object.metadata.name)?.projects ?? []
  return present({
    observedGeneration: object.metadata.generation,
    configRevision: build.revisions.get(id),
    keyCount: keys.length,
    projectCount: projects.length,
    projects: projects.map(({ name }) => ({
      name,
      keyCount: keys.filter(({ project }) => project === name).length,
      exhausted: exhaustedProjects.has(name),
    })),
  })
}

function programmedCondition(
  hasEntry: boolean,
  programmed: ProgrammedState,
  problem: Problem | undefined,
): DesiredCondition {
  const type = 'Programmed'
  if (!hasEntry) return { type, status: 'Unknown', reason: 'Pending', message: 'there is nothing to publish yet' }
  if (programmed === 'in-force' && problem === undefined)
    return { type, status: 'True', reason: 'Programmed', message: '' }
  if (programmed === 'pending')
    return { type, status: 'Unknown', reason: 'Pending', message: 'not all running sidecars have taken it over' }
  return problem === undefined
    ? { type, status: 'Unknown', reason: 'Pending', message: 'not published yet' }
    : { type, status: 'False', ...problem }
}

/** Until it has been found out, what was said last holds. */
function healthCondition(object: KubeObject, health: ProviderHealth | undefined): DesiredCondition {
  const type = 'Healthy'
  if (health !== undefined) return { type, status: health.status, reason: health.reason, message: health.message }
  return conditionIn(object, type) ?? { type, status: 'Unknown', reason: 'Pending', message: 'not checked yet' }
}

/** As a status has it. */
function conditionIn(object: KubeObject, type: string): DesiredCondition | undefined {
  const found = conditionOf(object, type)
  const status = (['True', 'False', 'Unknown'] as const).find((known) => known === found?.['status'])
  if (found === undefined || status === undefined) return undefined
  return { type, status, reason: asString(found['reason']) ?? type, message: asString(found['message']) ?? '' }
}

/** Until the counters have been read, what was said last holds. */
function quotaCondition(object: KubeObject, hasEntry: boolean, quota: StatusInput['quota']): DesiredCondition {
  const type = 'QuotaAvailable'
  if (!hasEntry) return { type, status: 'Unknown', reason: 'Pending', message: 'it is not in force' }
  if (typeof quota === 'object') return { type, status: 'False', reason: quota.reason, message: quota.message }
  const before = quota === 'unread' ? conditionIn(object, type) : undefined
  return before?.status === 'False' ? before : { type, status: 'True', reason: type, message: '' }
}

function generatedFields(object: KubeObject, generated: GeneratedKey, nowMs: number): JsonObject {
  const rules = rotationRules(object)
  const { createdAtMs, handledRotateRequest } = generated
  const step = rotationStep(object, generated, nowMs)
  const active = { id: keyIdOf(generated.key) ?? 'unknown', state: 'Active', createdAt: kubeTime(createdAtMs) }
  const former = generated.former
    .filter(({ notAfterMs }) => notAfterMs > nowMs)
    .map(({ key, notAfterMs }, index) => ({
      id: keyIdOf(key) ?? `unknown-${index + 1}`,
      state: 'Retiring',
      notAfter: kubeTime(notAfterMs),
    }))
  return {
    nextRotationTime:
      rules.intervalMs === undefined || step.type === 'create' ? undefined : kubeTime(createdAtMs + rules.intervalMs),
    lastHandledRotateRequest: handledRotateRequest,
    // By id: somebody may have written one text twice into the Secret.
    keys: [active, ...former].filter((one, index, all) => all.findIndex(({ id }) => id === one.id) === index),
  }
}

function broughtFields(object: KubeObject, { snapshot }: Build, nowMs: number): JsonObject {
  const keys = broughtKeys(object, digestsInForce(snapshot, keyOf(object)), nowMs)
  return keys.length === 0 ? {} : { keys }
}

function credentialFields(object: KubeObject, secretName: string, credential: Secret, nowMs: number): JsonObject {
  const fingerprint = createHash('sha256').update(credential.reveal()).digest('hex').slice(0, 8)
  const before = asObject(asObject(object['status'])?.['credentials'])
  const lastChanged = before?.['fingerprint'] === fingerprint ? asString(before['lastChanged']) : undefined
  return { secretName, fingerprint, lastChanged: lastChanged ?? kubeTime(nowMs) }
}

function secretReference(object: KubeObject, brought: JsonObject | undefined): JsonObject {
  return brought === undefined
    ? { name: generatedSecretNameOf(object), key: 'key' }
    : { name: asString(brought['name']) ?? '', key: asString(brought['key']) ?? 'key' }
}

function keyIdOf(key: Secret | undefined): string | undefined {
  return key === undefined ? undefined : parseVirtualKeyId(key.reveal().trim())
}

function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

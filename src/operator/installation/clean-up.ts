/**
 * What must happen before an installation goes: afterwards nobody is there who could.
 *
 *     webhook configuration   else pods of labelled namespaces wait for a webhook that is gone
 *     operator                stopped first, or it would put finalizers back
 *     keys                    revoked in Redis, where that is asked for
 *     finalizers              else VirtualKeys, and their namespaces, never end
 *     Lease, and what `helm test` has left
 *     Secrets                 where that is asked for
 *
 * A step that fails does not keep the others from being done.
 */
import { asNumber, asObject, asString } from '../../domain/json.ts'
import { finalizerRemoval, hasFinalizer } from '../controllers/finalizers.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject, ObjectName } from '../kube/kube-object.ts'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  DEPLOYMENTS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  VIRTUAL_KEYS,
  type Resource,
} from '../kube/resource.ts'
import { pause, type Milliseconds, type Timing } from '../kube/timing.ts'

const POLL_MS = 250
/** An operator that is asked to end does so within its grace period; one that was killed leaves its Lease as it is. */
const STOP_TIMEOUT_MS: Milliseconds = 60_000
const LEASE_TIMEOUT_MS: Milliseconds = 20_000
/** Others may write the same object meanwhile. */
const ATTEMPTS = 5
const PARALLEL = 16
const MANAGED_BY = 'app.kubernetes.io/managed-by'

export interface CleanUpOptions {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'jsonPatch' | 'delete'>
  readonly timing: Timing
  /** Where the operator is. */
  readonly namespace: string
  /** Name of its Deployment and of its Lease. */
  readonly operator: string
  readonly webhookConfiguration: string
  /** What `helm test` may have left, all of one name; undefined: it stays. */
  readonly verify: Verification | undefined
  /** Secrets to delete; those that somebody else made stay. */
  readonly secrets: readonly string[]
  /** Revokes keys and says what it did; undefined: they stay. */
  readonly revoke: (() => Promise<string>) | undefined
  readonly writeLine: (line: string) => void
}

/** Objects of `helm test`: its pod, and its account and rights, which stay where it was interrupted. */
export interface Verification {
  readonly name: string
  /** Where it has its Role; undefined: nowhere. */
  readonly namespace: string | undefined
}

/** @returns whether nothing is left that would hang. A failed revocation is told, and does not count. */
export async function cleanUp(options: CleanUpOptions): Promise<boolean> {
  const { client, namespace, operator, webhookConfiguration, verify, secrets, revoke, writeLine } = options
  const attempt = async (what: string, step: () => Promise<string>): Promise<boolean> => {
    try {
      writeLine(`${what}: ${await step()}`)
      return true
    } catch (error) {
      writeLine(`${what}: failed: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
  }
  const remove = (resource: Resource, name: ObjectName) => deleteIfThere(client, resource, name)
  const unblocked = [
    await attempt(`webhook configuration ${webhookConfiguration}`, () =>
      remove(MUTATING_WEBHOOK_CONFIGURATIONS, { name: webhookConfiguration }),
    ),
    await attempt(`operator ${operator}`, () => stopOperator(options)),
  ]
  if (revoke !== undefined) await attempt('keys in Redis', revoke)
  unblocked.push(await attempt('finalizers', () => stripFinalizers(options)))
  await attempt(`lease ${operator}`, () => remove(LEASES, { namespace, name: operator }))
  for (const { resource, name } of verify === undefined ? [] : leftBy(verify, namespace))
    await attempt(`${resource.kind} ${name.name}`, () => remove(resource, name))
  for (const name of secrets) await attempt(`secret ${name}`, () => deleteOurs(client, { namespace, name }))
  return unblocked.every(Boolean)
}

interface Left {
  readonly resource: Resource
  readonly name: ObjectName
}

function leftBy({ name, namespace }: Verification, ownNamespace: string): readonly Left[] {
  const at = (place: string, ...resources: readonly Resource[]): readonly Left[] =>
    resources.map((resource) => ({ resource, name: { namespace: place, name } }))
  return [
    ...at(ownNamespace, PODS, SERVICE_ACCOUNTS),
    { resource: CLUSTER_ROLE_BINDINGS, name: { name } },
    { resource: CLUSTER_ROLES, name: { name } },
    ...(namespace === undefined ? [] : at(namespace, ROLE_BINDINGS, ROLES)),
  ]
}

async function stopOperator(options: CleanUpOptions): Promise<string> {
  const { client, namespace, operator } = options
  const name = { namespace, name: operator }
  const scale = () => client.jsonPatch(DEPLOYMENTS, name, [{ op: 'replace', path: '/spec/replicas', value: 0 }])
  if ((await orMissing(scale())) === undefined) return 'not there'
  const replicas = async () => asNumber(asObject((await client.get(DEPLOYMENTS, name))['status'])?.['replicas']) ?? 0
  if (!(await becomes(options, STOP_TIMEOUT_MS, async () => (await replicas()) === 0)))
    throw new Error(`still runs after ${STOP_TIMEOUT_MS / 1_000} s`)
  // The pods may still be ending; the last thing that a leader does is to give its Lease back.
  const isLed = async () => {
    const lease = await orMissing(client.get(LEASES, name))
    return (asString(asObject(lease?.['spec'])?.['holderIdentity']) ?? '') !== ''
  }
  const isReleased = await becomes(options, LEASE_TIMEOUT_MS, async () => !(await isLed()))
  return isReleased ? 'stopped' : 'stopped, its Lease not given back'
}

async function stripFinalizers(options: CleanUpOptions): Promise<string> {
  const list = await orMissing(options.client.list(VIRTUAL_KEYS))
  const keys = (list?.items ?? []).filter(hasFinalizer)
  for (let start = 0; start < keys.length; start += PARALLEL) {
    await Promise.all(keys.slice(start, start + PARALLEL).map((key) => stripFinalizer(options, key)))
  }
  return `${keys.length} VirtualKeys released, ${list?.items.length ?? 0} in all`
}

async function stripFinalizer({ client }: CleanUpOptions, key: KubeObject): Promise<void> {
  const { namespace, name } = key.metadata
  const place = { name, ...(namespace === undefined ? {} : { namespace }) }
  let current: KubeObject | undefined = key
  for (let attempts = 1; current !== undefined && hasFinalizer(current); attempts++) {
    try {
      await client.jsonPatch(VIRTUAL_KEYS, place, finalizerRemoval(current))
      return
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return
      if (!(error instanceof KubeError && error.status === 422) || attempts === ATTEMPTS) throw error
    }
    current = await orMissing(client.get(VIRTUAL_KEYS, place))
  }
}

async function deleteOurs(client: CleanUpOptions['client'], name: ObjectName): Promise<string> {
  const found = await orMissing(client.get(SECRETS, name))
  if (found === undefined) return 'not there'
  if (asObject(found.metadata['labels'])?.[MANAGED_BY] !== 'tollgate') return 'not made by the operator, stays'
  return deleteIfThere(client, SECRETS, name)
}

async function deleteIfThere(client: CleanUpOptions['client'], resource: Resource, name: ObjectName): Promise<string> {
  const gone = await orMissing(client.delete(resource, name).then(() => true))
  return gone === undefined ? 'not there' : 'deleted'
}

async function becomes(
  { timing }: CleanUpOptions,
  timeoutMs: Milliseconds,
  isSo: () => Promise<boolean>,
): Promise<boolean> {
  for (const end = timing.elapsed() + timeoutMs; !(await isSo());) {
    if (timing.elapsed() > end) return false
    await pause(timing, POLL_MS)
  }
  return true
}

/** Undefined where there is no such object, or no such kind. */
async function orMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KubeError && error.isNotFound) return undefined
    throw error
  }
}

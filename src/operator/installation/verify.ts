/** Whether an installation works: a VirtualKey becomes ready, and a pod would get its sidecar. */
import { asArray, asObject, asString, type JsonObject } from '../../domain/json.ts'
import { ENABLED, INJECTION_LABEL, isEnabled } from '../injection/namespaces.ts'
import { TRIAL_LABEL } from '../injection/usable-key.ts'
import { conditionOf } from '../kube/conditions.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject, ObjectName } from '../kube/kube-object.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS, NAMESPACES, ORGANIZATIONS, PODS, VIRTUAL_KEYS } from '../kube/resource.ts'
import { pause, type Milliseconds, type Timing } from '../kube/timing.ts'

const POLL_MS = 250
const SIDECAR = 'tollgate'
/** Reason of a key that its organization does not allow in its namespace. */
const NOT_GRANTED = 'NotGranted'

/** Of a ResourceQuota, of what has no requests or limits. */
const QUOTA_WANTS_RESOURCES = 'must specify'
const AMOUNTS = { cpu: '100m', memory: '128Mi' }
const EXAMPLE_RESOURCES = { requests: AMOUNTS, limits: AMOUNTS }

export interface VerifyOptions {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'create' | 'delete'>
  readonly timing: Timing
  readonly webhookConfiguration: string
  /** Labelled for injection; undefined: keys and injection are not tried. */
  readonly namespace: string | undefined
  /** Of that key; undefined: the first that is ready and grants the namespace. */
  readonly organization: string | undefined
  /** Of the VirtualKey that is made and deleted again; further ones have a number after it. */
  readonly keyName: string
  readonly timeoutMs: Milliseconds
  readonly writeLine: (line: string) => void
}

/** A check that has failed, in words for the user. */
export class VerificationError extends Error {}

/** @throws {VerificationError} at the first thing that does not work in time; KubeError where a call is refused */
export async function verifyInstallation(options: VerifyOptions): Promise<void> {
  const { namespace, writeLine } = options
  await checkKinds(options)
  await checkWebhook(options)
  if (namespace === undefined)
    return writeLine('not tried: keys and injection, for want of a namespace (values: namespaces, or tests.namespace)')
  await checkNamespace(options, namespace)
  const names: string[] = []
  try {
    const keyName = await checkKey(options, namespace, names)
    await checkInjection(options, namespace, keyName)
  } finally {
    for (const name of names) await deleteKey(options, namespace, name)
  }
}

async function checkKinds({ client, writeLine }: VerifyOptions): Promise<void> {
  try {
    await client.list(ORGANIZATIONS)
  } catch (error) {
    if (!(error instanceof KubeError && error.isNotFound)) throw error
    throw new VerificationError('the API server does not know the kinds of tollgate.dev: install the CRDs')
  }
  writeLine('kinds: served')
}

async function checkWebhook(options: VerifyOptions): Promise<void> {
  const { client, webhookConfiguration: name, writeLine } = options
  await inTime(options, async () => {
    const found = await read(client.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name }))
    if (found === undefined) return `there is no MutatingWebhookConfiguration ${name}`
    const bundles = asArray(found['webhooks']).map((one) => asObject(asObject(one)?.['clientConfig'])?.['caBundle'])
    return bundles.length > 0 && bundles.every((bundle) => asString(bundle) !== undefined)
      ? undefined
      : `${name} has no caBundle: does an operator run?`
  })
  writeLine('webhook: has its certificate authority')
}

async function checkNamespace({ client }: VerifyOptions, namespace: string): Promise<void> {
  const found = await read(client.get(NAMESPACES, { name: namespace }))
  if (found === undefined) throw new VerificationError(`there is no namespace ${namespace}`)
  if (!isEnabled(found))
    throw new VerificationError(`run: kubectl label namespace ${namespace} ${INJECTION_LABEL}=${ENABLED}`)
}

/**
 * Returns the name of the key that is ready; `names` are those of all that were made. Of several organizations the first may
 * grant nothing here, which says nothing about the installation: then the next is tried, under a name whose Secret is free.
 */
async function checkKey(options: VerifyOptions, namespace: string, names: string[]): Promise<string> {
  const organizations = options.organization === undefined ? await readyOrganizations(options) : [options.organization]
  const refusals: string[] = []
  for (const organization of organizations) {
    const name = names.length === 0 ? options.keyName : `${options.keyName}-${names.length}`
    names.push(name)
    const refusal = await tryKey(options, { namespace, name }, organization)
    if (refusal === undefined) {
      options.writeLine(`key: ${namespace}/${name} is ready`)
      return name
    }
    refusals.push(refusal)
  }
  throw new VerificationError(refusals.join('; '))
}

/** Why this organization gives no key here; undefined where it does. @throws {VerificationError} for anything else */
async function tryKey(options: VerifyOptions, at: ObjectName, organization: string): Promise<string | undefined> {
  const { client } = options
  await client.create(VIRTUAL_KEYS, {
    metadata: { ...at, labels: { [TRIAL_LABEL]: 'true' } },
    spec: { organizationRef: { name: organization } },
  })
  let refusal: string | undefined
  await inTime(options, async () => {
    const key = await client.get(VIRTUAL_KEYS, at)
    refusal = conditionOf(key, 'Ready')?.['reason'] === NOT_GRANTED ? notReady(key) : undefined
    return refusal === undefined ? notReady(key) : undefined
  })
  return refusal
}

async function readyOrganizations(options: VerifyOptions): Promise<readonly string[]> {
  let found: readonly string[] = []
  await inTime(options, async () => {
    const { items } = await options.client.list(ORGANIZATIONS)
    found = items.filter((one) => conditionOf(one, 'Ready')?.['status'] === 'True').map(({ metadata }) => metadata.name)
    if (found.length > 0) return undefined
    return items.length === 0 ? 'there is no Organization that a key could belong to' : 'no Organization is ready'
  })
  return found
}

/** Why it is not ready; undefined where it is. */
function notReady(key: KubeObject): string | undefined {
  const ready = conditionOf(key, 'Ready')
  if (ready?.['status'] === 'True') return undefined
  if (ready === undefined) return 'the VirtualKey has no status: does an operator lead?'
  return `the VirtualKey is not ready: ${asString(ready['reason']) ?? ''}: ${asString(ready['message']) ?? ''}`
}

async function checkInjection(options: VerifyOptions, namespace: string, keyName: string): Promise<void> {
  const { client, writeLine } = options
  let resources: JsonObject = {}
  await inTime(options, async () => {
    try {
      const pod = await client.create(PODS, examplePod(namespace, keyName, resources), { dryRun: true })
      const [first] = asArray(asObject(pod['spec'])?.['initContainers']).map(asObject)
      return first?.['name'] === SIDECAR ? undefined : 'a pod got no sidecar'
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      // Only then: a LimitRange may want others.
      if (error.message.includes(QUOTA_WANTS_RESOURCES)) resources = EXAMPLE_RESOURCES
      return `a pod was refused: ${error.message}`
    }
  })
  writeLine(`injection: a pod of ${namespace} would get its sidecar`)
}

/** As the Pod Security Standard `restricted` wants it; it is never run. */
function examplePod(namespace: string, keyName: string, resources: JsonObject): JsonObject {
  const securityContext = {
    runAsNonRoot: true,
    runAsUser: 65532,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  }
  return {
    metadata: { namespace, name: keyName, annotations: { 'tollgate.dev/virtual-key': keyName } },
    spec: {
      serviceAccountName: 'default',
      containers: [{ name: 'app', image: 'example.org/never:run', securityContext, resources }],
    },
  }
}

async function deleteKey({ client, writeLine }: VerifyOptions, namespace: string, name: string): Promise<void> {
  try {
    await client.delete(VIRTUAL_KEYS, { namespace, name })
  } catch (error) {
    if (error instanceof KubeError && error.isNotFound) return
    writeLine(`not deleted: VirtualKey ${namespace}/${name}`)
  }
}

/** Asks until there is no problem any more; the last one is the error. */
async function inTime({ timing, timeoutMs }: VerifyOptions, problem: () => Promise<string | undefined>): Promise<void> {
  for (const end = timing.elapsed() + timeoutMs; ;) {
    const found = await problem()
    if (found === undefined) return
    if (timing.elapsed() > end) throw new VerificationError(found)
    await pause(timing, POLL_MS)
  }
}

async function read(call: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KubeError && error.isNotFound) return undefined
    throw error
  }
}

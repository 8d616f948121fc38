/** Operators as processes of their own, on a control plane and a Redis of the test. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import type { KubeObject } from '../../src/operator/kube/kube-object.ts'
import { KubeError } from '../../src/operator/kube/kube-error.ts'
import type { Resource } from '../../src/operator/kube/resource.ts'
import { CONFIG_MAPS, NAMESPACES, ORGANIZATIONS, SECRETS, VIRTUAL_KEYS } from '../../src/operator/kube/resource.ts'
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { startRedis, until } from './redis.ts'
import type { RedisServer } from './redis.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
export const SYSTEM = 'tollgate-system'

export interface RunningOperator {
  readonly child: ChildProcess
  /** All that it has printed. */
  output(): string
  /** Value of a metric, named with its labels as the page has them. */
  metric(name: string): Promise<number | undefined>
  isLeader(): Promise<boolean>
  /** What `/readyz` says, trimmed; empty where it does not answer. */
  ready(): Promise<string>
  end(signal: NodeJS.Signals): Promise<void>
}

export interface OperatorWorld {
  readonly plane: ControlPlane
  readonly redis: RedisServer
  startOperator(...flags: readonly string[]): Promise<RunningOperator>
  apply(...documents: readonly JsonObject[]): Promise<void>
  /** Undefined where it is gone. */
  read(resource: Resource, namespace: string | undefined, name: string): Promise<KubeObject | undefined>
  /** `status reason` of a condition. */
  condition(resource: Resource, namespace: string | undefined, name: string, type: string): Promise<string>
  /** Waits until the condition is so. */
  reaches(key: string, type: string, wanted: string, timeoutMs?: number): Promise<void>
  /** The published entry of a key, from its namespace's shard. */
  published(key: string): Promise<JsonObject | undefined>
}

/** A control plane with the CRDs, an organization `acme`, the namespaces, and a Redis. */
export async function startWorld(
  t: Test,
  namespaces: readonly string[],
  options: ControlPlaneOptions = {},
): Promise<OperatorWorld | undefined> {
  const plane = await startControlPlane(t, options)
  if (plane === undefined) return undefined
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  await plane.applyCrds()
  const world = worldOf(t, plane, redis)
  for (const name of [SYSTEM, ...namespaces]) await plane.client.create(NAMESPACES, { metadata: { name } })
  await world.apply(organization())
  return world
}

/** Open to all namespaces; `spec` adds or replaces. */
export function organization(spec: JsonObject = {}): JsonObject {
  const grant = { name: 'all', namespaceSelector: {}, privileges: ['trace'], maxKeysPerNamespace: 100 }
  return document('Organization', { name: 'acme' }, { grants: [grant], ...spec })
}

export function virtualKey(
  namespace: string,
  name: string,
  spec: JsonObject = {},
  annotations: JsonObject = {},
): JsonObject {
  return document('VirtualKey', { namespace, name, annotations }, { organizationRef: { name: 'acme' }, ...spec })
}

export function provider(name: string, spec: JsonObject = {}): JsonObject {
  return document(
    'Provider',
    { name },
    {
      type: 'OpenAI',
      countries: ['us'],
      credentials: { type: 'Bearer', secretRef: { name: `provider-${name}` } },
      models: [{ name: `model-of-${name}`, quality: 0.5, pricing: { input: '1', output: '1' } }],
      ...spec,
    },
  )
}

export function secret(namespace: string, name: string, entries: Readonly<Record<string, string>>): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type: 'Opaque', stringData: { ...entries } }
}

/** Decoded entry of a Secret. */
export function entry(object: KubeObject | undefined, key: string): string {
  return Buffer.from(asString(asObject(object?.['data'])?.[key]) ?? '', 'base64').toString()
}

/** The digests of a published entry. */
export function digestsOf(published: JsonObject | undefined): readonly string[] {
  return asArray(published?.['digests']).map((one) => asString(asObject(one)?.['digest']) ?? '')
}

function document(kind: string, metadata: JsonObject, spec: JsonObject): JsonObject {
  return { apiVersion: 'tollgate.dev/v1alpha1', kind, metadata, spec }
}

function worldOf(t: Test, plane: ControlPlane, redis: RedisServer): OperatorWorld {
  const read = async (resource: Resource, namespace: string | undefined, name: string) => {
    try {
      return await plane.client.get(resource, namespace === undefined ? { name } : { namespace, name })
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return undefined
      throw error
    }
  }
  const condition = async (resource: Resource, namespace: string | undefined, name: string, type: string) => {
    const status = asObject((await read(resource, namespace, name))?.['status'])
    const found = asArray(status?.['conditions'])
      .map(asObject)
      .find((one) => one?.['type'] === type)
    return `${asString(found?.['status']) ?? '-'} ${asString(found?.['reason']) ?? '-'}`
  }
  return {
    plane,
    redis,
    read,
    condition,
    startOperator: (...flags) => startOperator(t, plane, redis, flags),
    apply: async (...documents) => {
      for (const one of documents) {
        const { code, stderr } = await plane.tryKubectl(
          ['apply', '--server-side', '--force-conflicts', '-f', '-'],
          JSON.stringify(one),
        )
        if (code !== 0) throw new Error(stderr)
      }
    },
    reaches: async (key, type, wanted, timeoutMs = 30_000) => {
      const [namespace = '', name = ''] = key.split('/')
      let last = ''
      try {
        await until(async () => (last = await condition(VIRTUAL_KEYS, namespace, name, type)) === wanted, timeoutMs)
      } catch {
        throw new Error(`${type} of ${key} is "${last}", not "${wanted}"`)
      }
    },
    published: async (key) => {
      const [owner = ''] = key.split('/')
      const shard: unknown = JSON.parse((await redis.cli('GET', `tg:cfg:ns:${owner}`)).trim() || '{}')
      const body: unknown = JSON.parse(textIn(shard, 'body') ?? '{"virtualKeys":[]}')
      const keys = typeof body === 'object' && body !== null && 'virtualKeys' in body ? body.virtualKeys : []
      return Array.isArray(keys) ? keys.find((one: JsonObject) => one['id'] === key) : undefined
    },
  }
}

function textIn(value: unknown, field: string): string | undefined {
  const found =
    typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === field) : undefined
  return typeof found?.[1] === 'string' ? found[1] : undefined
}

/** With the rights of `kubeconfig`; an administrator's where it is absent. */
export async function startOperator(
  t: Test,
  plane: ControlPlane,
  redis: RedisServer,
  flags: readonly string[] = [],
  kubeconfig = plane.kubeconfig,
): Promise<RunningOperator> {
  // By the environment: a test's own flags come before them.
  const defaults = {
    TOLLGATE_REDIS: redis.url,
    TOLLGATE_NAMESPACE: SYSTEM,
    TOLLGATE_ADMIN: '127.0.0.1:0',
    TOLLGATE_LOG_LEVEL: 'debug',
  }
  const env = { ...process.env, ...defaults, KUBECONFIG: kubeconfig }
  const child = spawn(process.execPath, [MAIN, 'operator', ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const take = (chunk: Buffer) => void (output += chunk.toString())
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  t.teardown(() => end('SIGKILL'))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`operator ended: ${output}`)
    return output.includes('cluster read')
  }, 60_000)
  const url = /"admin":"([^"]+)"/.exec(output)?.[1] ?? ''
  const metric = async (name: string) => {
    try {
      const page = await (await fetch(`${url}/metrics`)).text()
      const line = page.split('\n').find((one) => one.startsWith(`${name} `))
      return line === undefined ? undefined : Number(line.slice(name.length + 1))
    } catch {
      return undefined
    }
  }
  const ready = async () => {
    try {
      return (await (await fetch(`${url}/readyz`)).text()).trim()
    } catch {
      return ''
    }
  }
  return {
    child,
    output: () => output,
    metric,
    ready,
    isLeader: async () => (await metric('tollgate_leader')) === 1,
    end,
  }
}

/** Everything that the cluster and Redis show to people who may not read Secrets, and the log. */
export async function visible({ plane, redis }: OperatorWorld, operator: RunningOperator): Promise<string> {
  const lists = await Promise.all(
    [VIRTUAL_KEYS, ORGANIZATIONS, NAMESPACES, CONFIG_MAPS].map((resource) => plane.client.list(resource)),
  )
  const events = await plane.kubectl('get', 'events', '-A', '-o', 'json')
  const names = (await redis.cli('--scan')).split('\n').filter((name) => name !== '')
  const dumps = await Promise.all(
    names.map(async (name) => {
      const type = (await redis.cli('TYPE', name)).trim()
      return `${name}\n${await redis.cli(...(type === 'hash' ? ['HGETALL', name] : type === 'set' ? ['SMEMBERS', name] : ['GET', name]))}`
    }),
  )
  return [JSON.stringify(lists.map(({ items }) => items)), events, ...dumps, operator.output()].join('\n')
}

/** The Secrets of a namespace by name. */
export function secretOf(world: OperatorWorld, namespace: string, name: string): Promise<KubeObject | undefined> {
  return world.read(SECRETS, namespace, name)
}

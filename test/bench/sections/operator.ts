/**
 * How long the operator takes from its start to the last of many VirtualKeys in force, on a real etcd and kube-apiserver,
 * what that costs which process, and what a change of their Organization then costs. Not pinned: the API server is what
 * bounds it, and gets all cores.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asArray, asObject } from '../../../src/domain/json.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { NAMESPACES, ORGANIZATIONS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { writeAccountKubeconfig } from '../../helpers/account-kubeconfig.ts'
import { runControlPlane } from '../../helpers/control-plane.ts'
import type { ControlPlane } from '../../helpers/control-plane.ts'
import { startRedis } from '../../helpers/redis.ts'
import type { RedisServer } from '../../helpers/redis.ts'
import { TOLLGATE_ENVIRONMENT, TOLLGATE_FLAGS } from '../rig/contenders.ts'
import { processorMs, residentMiB } from '../rig/processes.ts'
import type { Bench, Report, Section } from './section.ts'

const KEYS = { quick: 1_000, full: 5_000 }
const NAMESPACES_OF_KEYS = 50
const SYSTEM = 'tollgate-system'
const ACCOUNT = 'tollgate-operator'
/** Of the client that makes the keys. */
const CONCURRENCY = 32
const LOOK_MS = 1_000
const DEADLINE_MS = 5 * 60_000
/** What an operator still allocates after its start is over by then. */
const SETTLE_MS = 5_000
/** As the container image has it; `make bundle` makes it. */
const PROGRAM = process.env['TOLLGATE_PROGRAM'] ?? join(import.meta.dirname, '../../../dist/tollgate.mjs')

export const operatorScale: Section = {
  name: 'operator',
  title: 'Operator: many VirtualKeys from cold',
  needs: 'nothing',

  async run(bench: Bench): Promise<Report> {
    const plane = await runControlPlane()
    const redis = await startRedis()
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
    try {
      return await measure(bench, plane, redis, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await redis.stop()
      await plane.stop()
    }
  },
}

async function measure(bench: Bench, plane: ControlPlane, redis: RedisServer, folder: string): Promise<Report> {
  const keys = bench.quick ? KEYS.quick : KEYS.full
  await prepare(plane, keys)
  const login = { kubeconfig: await writeAccountKubeconfig(folder, plane, SYSTEM, ACCOUNT), redis }
  const idleMiB = await idle(login)
  await makeKeys(plane, keys)
  bench.log(`  ${keys} keys are there`)
  const begun = performance.now()
  const spent = await meter(plane)
  const operator = await start(login)
  const readMs = performance.now() - begun
  await until(async () => (await operator.statuses()) >= keys)
  await until(async () => (await inForce(plane)) >= keys)
  const coldMs = performance.now() - begun
  const cost = await spent(operator.pid)
  bench.log(`  all in force after ${(coldMs / 1_000).toFixed(1)} s`)
  const statuses = await operator.statuses()
  const settledMiB = residentMiB(operator.pid)
  const edit = await editOrganization(plane, redis, operator, keys)
  await operator.stop()
  const perKey = (ms: number) => (ms / keys).toFixed(1)
  return {
    bars: [
      { text: `${keys} keys from cold to in force`, value: coldMs / 1_000, limit: { atMost: 60 }, unit: 's' },
      { text: 'statuses written for each key', value: statuses / keys, limit: undefined, unit: '' },
      {
        text: 'publications of an edit of their organization',
        value: edit.publications,
        limit: { atMost: 1 },
        unit: '',
      },
    ],
    columns: ['', ''],
    rows: [
      ['keys a second', (keys / (coldMs / 1_000)).toFixed(0)],
      ['cluster read after', `${(readMs / 1_000).toFixed(1)} s`],
      [
        'processor, ms a key: API server, etcd, operator',
        [cost.server, cost.etcd, cost.operator].map(perKey).join(', '),
      ],
      ['processors used by these three', ((cost.server + cost.etcd + cost.operator) / coldMs).toFixed(2)],
      ['writes of an edit of their organization', String(edit.statuses)],
      ['its publication after', `${edit.ms.toFixed(0)} ms`],
      ['resident MiB: without keys, all in force', `${idleMiB.toFixed(0)}, ${settledMiB.toFixed(0)}`],
    ],
    remarks: [
      `${NAMESPACES_OF_KEYS} namespaces, generated keys: a Secret, a finalizer and a status each. etcd without fsync, as in tests.`,
    ],
  }
}

const names = Array.from({ length: NAMESPACES_OF_KEYS }, (_unused, index) => `team-${index}`)

/** What the keys need. */
async function prepare(plane: ControlPlane, keys: number): Promise<void> {
  await plane.applyCrds()
  await Promise.all([SYSTEM, ...names].map((name) => plane.client.create(NAMESPACES, { metadata: { name } })))
  const grants = [{ name: 'all', namespaceSelector: {}, privileges: [], maxKeysPerNamespace: keys }]
  await plane.client.create(ORGANIZATIONS, { metadata: { name: 'acme' }, spec: { grants } })
  await plane.kubectl('create', 'serviceaccount', ACCOUNT, '-n', SYSTEM)
  const role = ['--clusterrole', 'cluster-admin', '--serviceaccount', `${SYSTEM}:${ACCOUNT}`]
  await plane.kubectl('create', 'clusterrolebinding', ACCOUNT, ...role)
}

/**
 * By token, as in a pod: the API server remembers those for seconds, and verifies the chain of a client's certificate at
 * each request, which was a tenth of its time.
 */
interface Login {
  readonly kubeconfig: string
  readonly redis: RedisServer
}

/** Resident memory of an operator that has nothing to do, MiB. */
async function idle(login: Login): Promise<number> {
  const operator = await start(login)
  await sleep(SETTLE_MS)
  const resident = residentMiB(operator.pid)
  await operator.stop()
  return resident
}

async function makeKeys(plane: ControlPlane, keys: number): Promise<void> {
  let made = 0
  const make = async (): Promise<void> => {
    while (made < keys) {
      const index = made++
      const namespace = names[index % names.length] ?? ''
      const spec = { organizationRef: { name: 'acme' }, budgets: [{ window: 'Month', limitUSD: '10' }] }
      await plane.client.create(VIRTUAL_KEYS, { metadata: { namespace, name: `key-${index}` }, spec })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, make))
}

interface Process {
  readonly pid: number
  /** Statuses that it has written. */
  statuses(): Promise<number>
  stop(): Promise<void>
}

/** Resolves when it has read the cluster. */
async function start({ kubeconfig, redis }: Login): Promise<Process> {
  const args = [...TOLLGATE_FLAGS, PROGRAM, 'operator', '--redis', redis.url, '--namespace', SYSTEM]
  const child = spawn(process.execPath, [...args, '--admin', '127.0.0.1:0'], {
    env: { ...process.env, ...TOLLGATE_ENVIRONMENT, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output = `${output}${data.toString()}`.slice(-65_536)))
  await until(() => Promise.resolve(output.includes('cluster read')))
  const address = /"admin":"([^"]+)"/.exec(output)?.[1] ?? ''
  return {
    pid: child.pid ?? -1,
    statuses: async () => {
      const page = await (await fetch(`${address}/metrics`)).text()
      return Number(/^tollgate_status_writes_total (\S+)$/m.exec(page)?.[1] ?? 0)
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

interface Cost {
  readonly server: number
  readonly etcd: number
  readonly operator: number
}

/** Processor milliseconds from now on. */
async function meter(plane: ControlPlane): Promise<(operatorPid: number) => Promise<Cost>> {
  const [server, etcd] = await Promise.all([plane.pid('kube-apiserver'), plane.pid('etcd')])
  const before = { server: processorMs(server), etcd: processorMs(etcd) }
  return (operatorPid) =>
    Promise.resolve({
      server: processorMs(server) - before.server,
      etcd: processorMs(etcd) - before.etcd,
      operator: processorMs(operatorPid),
    })
}

interface Edit {
  readonly publications: number
  readonly statuses: number
  readonly ms: number
}

/** A new display name: the organization's own entry changes, the keys' do not. */
async function editOrganization(
  plane: ControlPlane,
  redis: RedisServer,
  running: Process,
  keys: number,
): Promise<Edit> {
  const before = { publications: await publications(redis), statuses: await running.statuses() }
  const begun = performance.now()
  const grants = [{ name: 'all', namespaceSelector: {}, privileges: ['trace'], maxKeysPerNamespace: keys }]
  const operations = [{ op: 'replace' as const, path: '/spec/grants', value: grants }]
  await plane.client.jsonPatch(ORGANIZATIONS, { name: 'acme' }, operations)
  await until(async () => (await publications(redis)) > before.publications)
  const ms = performance.now() - begun
  await sleep(5_000)
  return {
    publications: (await publications(redis)) - before.publications,
    statuses: (await running.statuses()) - before.statuses,
    ms,
  }
}

/** Publications that Redis has seen. */
async function publications(redis: RedisServer): Promise<number> {
  return Number(/cmdstat_publish:calls=(\d+)/.exec(await redis.cli('INFO', 'commandstats'))?.[1] ?? 0)
}

async function inForce(plane: ControlPlane): Promise<number> {
  return (await plane.client.list(VIRTUAL_KEYS)).items.filter(isInForce).length
}

function isInForce({ status }: KubeObject): boolean {
  const conditions = asArray(asObject(status)?.['conditions']).map((one): JsonObject => asObject(one) ?? {})
  return conditions.some(({ type, status: answer }) => type === 'Programmed' && answer === 'True')
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the operator did not get there in time')
    await sleep(LOOK_MS / 4)
  }
}

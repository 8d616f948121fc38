/** Redis, the operator or its webhook away: applications that run go on (notes: scenario 19; docs/sidecar.md). */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply, eventually, get, kubectl, list, rolledOut, run } from './support/kubectl.ts'
import { deployment } from './support/load.ts'
import { appPod, podSpec, readyPod, readyPods, start } from './support/pods.ts'
import { platform, readyKey, SYSTEM } from './support/platform.ts'
import { reach } from './support/reach.ts'

await platform()
const cluster = await reach(t)
const KEY = { 'tollgate.dev/virtual-key': 'whole' }
const URL = 'http://assistant.load.svc:8080'
const OPERATOR = 'app.kubernetes.io/component=operator'
await apply(deployment(2))
await rolledOut('load', 'deployment/assistant')
await start(t, appPod({ name: 'running', namespace: 'apps', annotations: KEY }))
await readyPod('apps', 'running')

t.test('Redis is deleted: applications without budgets go on, the configuration comes back by itself', async (t) => {
  const stop = await cluster.load(URL, 4, 5)
  await kubectl(['-n', SYSTEM, 'delete', 'pod', 'tollgate-redis-0', '--grace-period=0', '--force'])
  await sleep(1_000)
  await readyPod(SYSTEM, 'tollgate-redis-0')
  // Its data went with it (no volume here): the operator must write everything again, a new pod needs all of it.
  await start(t, appPod({ name: 'after-redis', namespace: 'apps', annotations: KEY }))
  await readyPod('apps', 'after-redis')
  t.equal((await cluster.ask('apps', 'pods/after-redis:8080', { prompt: 'Hi' })).text, 'a was asked: Hi')
  t.same((await stop()).failures, {})
})

t.test(
  'Redis answers nobody for eight seconds: calls stay bounded, and nothing of it remains afterwards',
  async (t) => {
    const stop = await cluster.load(URL, 4, 5)
    await redis('CLIENT', 'PAUSE', '8000', 'ALL')
    await t.rejects(redis('PING'), 'it does not answer')
    const begun = Date.now()
    const answer = await cluster.ask('apps', 'pods/running:8080', { prompt: 'Still there?' })
    t.equal(answer.text, 'a was asked: Still there?')
    t.ok(Date.now() - begun < 5_000, `answered in ${Date.now() - begun} ms`)
    await eventually('Redis answers', () => redis('PING'), 20)
    t.same((await stop()).failures, {})
    t.equal((await readyPods('apps', 'app=running')).length, 1, 'the pod never left its Services')
  },
)

t.test('no operator: what runs goes on; new pods are refused where injection is on, and nowhere else', async (t) => {
  await kubectl(['-n', SYSTEM, 'scale', 'deployment/tollgate-operator', '--replicas=0'])
  t.teardown(restoreOperator)
  await eventually('no operator', async () => (await list('pods', SYSTEM, OPERATOR)).length === 0)
  t.equal((await cluster.ask('apps', 'pods/running:8080', { prompt: 'Alone?' })).text, 'a was asked: Alone?')

  const { code, stderr } = await run('kubectl', ['apply', '-f', '-'], podText('refused', 'apps'))
  t.equal(code, 1)
  t.match(stderr, /inject\.tollgate\.dev/, 'the message names the webhook')
  await apply(podText('elsewhere-now', 'plain'))
  await kubectl([
    '-n',
    SYSTEM,
    'run',
    'system',
    '--image=docker.io/local/node-app:1',
    '--restart=Never',
    '--',
    '--version',
  ])
  await kubectl(['-n', SYSTEM, 'delete', 'pod', 'system', '--wait=false'])
  t.ok(await get('pod', 'elsewhere-now', 'plain'), 'other namespaces and its own are not touched')

  // The way out that the documentation names.
  await kubectl(['label', 'namespace', 'apps', 'tollgate.dev/injection-'])
  await eventually('a pod without a sidecar', async () => (await apply(podText('bare', 'apps')), true), 20)
  await kubectl(['label', 'namespace', 'apps', 'tollgate.dev/injection=enabled'])
  await kubectl(['-n', 'apps', 'delete', 'pod', 'bare', '--wait=false'])
})

t.test('the operator is back: pods start again, and a change reaches those that ran all the time', async (t) => {
  await restoreOperator()
  await eventually('a pod is injected', async () => (await apply(podText('accepted', 'apps')), true), 30)
  t.equal((await get('pod', 'accepted', 'apps'))?.text('metadata', 'labels', 'tollgate.dev/injected'), 'true')
  await suspend(true)
  await eventually('the suspended key is refused', async () => (await status()) === 401, 30)
  await suspend(false)
  await eventually('and served again', async () => (await status()) === 200, 30)
  await readyKey('apps', 'whole')
})

t.test('an operator pod is killed under load: another serves, none of the applications fails', async (t) => {
  const stop = await cluster.load(URL, 4, 5)
  const [first = ''] = await readyPods(SYSTEM, OPERATOR)
  await kubectl(['-n', SYSTEM, 'delete', 'pod', first, '--grace-period=0', '--force'])
  // The Deployment starts a pod at once; injection must work while one of two operators is away.
  await eventually('a pod is injected', async () => (await apply(podText('meanwhile', 'apps')), true), 20)
  await rolledOut(SYSTEM, 'deployment/tollgate-operator')
  t.same((await stop()).failures, {})
})

t.test(
  "the webhook's certificates are deleted: they are made again, and the webhook trusts the new ones",
  async (t) => {
    await kubectl(['-n', SYSTEM, 'delete', 'secret', 'tollgate-tls'])
    await eventually('a certificate', async () => get('secret', 'tollgate-tls', SYSTEM), 60)
    await eventually('a pod is injected', async () => (await apply(podText('certified', 'apps')), true), 60)
    t.ok(await readyPod('apps', 'certified'))
  },
)

async function restoreOperator(): Promise<void> {
  await kubectl(['-n', SYSTEM, 'scale', 'deployment/tollgate-operator', '--replicas=2'])
  await rolledOut(SYSTEM, 'deployment/tollgate-operator')
}

async function suspend(suspended: boolean): Promise<void> {
  const patch = JSON.stringify({ spec: { suspended } })
  await kubectl(['-n', 'apps', 'patch', 'virtualkey', 'whole', '--type=merge', '--patch', patch])
}

function podText(name: string, namespace: string): string {
  return JSON.stringify(appPod({ name, namespace, annotations: KEY, spec: podSpec({}) }))
}

/** @throws {Error} where it does not answer within two seconds. */
async function redis(...command: readonly string[]): Promise<string> {
  const shell = `timeout 2 redis-cli --no-auth-warning -a "$REDIS_PASSWORD" ${command.join(' ')}`
  return kubectl(['-n', SYSTEM, 'exec', 'tollgate-redis-0', '--', 'sh', '-c', shell])
}

async function status(): Promise<number> {
  return (await cluster.ask('apps', 'pods/running:8080', { prompt: 'Hi' })).status
}

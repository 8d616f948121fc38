/** Scenario 21: who gets credentials from an operator, with pods of the webhook and tokens and reviews of a real API server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { PODS } from '../../../src/operator/kube/resource.ts'
import { CredentialsClient } from '../../../src/proxy/config/credentials-client.ts'
import { collect } from '../../helpers/gateway.ts'
import { freePort } from '../../helpers/addresses.ts'
import { envOf, pod, startInjectionWorld } from '../../helpers/injection.ts'
import type { InjectionWorld } from '../../helpers/injection.ts'
import type { RunningOperator } from '../../helpers/operator.ts'
import { entry, secretOf, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts')
const AUDIENCE = 'tollgate.dev'
const silent = { info: () => undefined, warn: () => undefined }

t.test('credentials for pods of the webhook', async (t) => {
  const port = await freePort()
  const operatorAddress = `localhost:${port}`
  const world = await startInjectionWorld(t, ['shop'], ['plain'], { operatorAddress })
  if (world === undefined) return
  const { plane } = world
  await world.register()
  await world.apply(virtualKey('shop', 'app'), virtualKey('plain', 'app'))
  const operator = await world.startInjecting('--listen-grpc', `127.0.0.1:${port}`)
  const injected = await running(world, pod('shop', 'app'))
  const ca = envOf(injected, 'tollgate')['TOLLGATE_CA'] ?? ''

  t.test('a sidecar that is started as the pod says gets them and serves the key of the application', async (t) => {
    const sidecar = await startSidecar(t, injected, await token(world, injected))
    await until(async () => (await fetch(`${sidecar.admin}/readyz`)).status === 200)
    const [secretName = '', key = ''] = (envOf(injected, 'app')['OPENAI_API_KEY'] ?? '').split('/')
    const text = entry(await secretOf(world, 'shop', secretName), key)
    const call = async (authorization: string) =>
      (await fetch(`${sidecar.data}/v1/models`, { headers: { authorization } })).status
    await until(async () => (await call(`Bearer ${text}`)) === 200)
    t.equal(await call('Bearer tollgate_other'), 401)
  })

  t.test('an operator that cannot have the address for credentials names its flag, and ends', async (t) => {
    const address = `127.0.0.1:${port}`
    const said = `tollgate: --listen-grpc ${address} (TOLLGATE_LISTEN_GRPC) cannot be listened at: it is in use already`
    await t.rejects(world.startOperator('--listen-grpc', address), { message: said })
  })

  const refusals: [string, string, () => Promise<{ readonly token: string; readonly of: KubeObject }>][] = [
    [
      'a token for another audience',
      // Asked about our audience, the API server says that it does not know the token.
      'not-authenticated',
      async () => ({
        token: await token(world, injected, { audience: 'https://kubernetes.default.svc' }),
        of: injected,
      }),
    ],
    [
      'a token of the ServiceAccount that is bound to no pod',
      'not-pod-bound',
      async () => ({ token: await token(world, injected, { bound: false }), of: injected }),
    ],
    [
      "another pod's token",
      'other-pod',
      async () => {
        const other = await running(world, pod('shop', 'other'))
        return { token: await token(world, other), of: injected }
      },
    ],
    [
      'the uid of another pod',
      'other-pod',
      async () => {
        const lying = { ...injected, metadata: { ...injected.metadata, uid: 'another' } }
        return { token: await token(world, injected), of: lying }
      },
    ],
    [
      'a pod without a sidecar, in a namespace that is not injected',
      'no-sidecar',
      async () => {
        const bare = await running(world, pod('plain', 'bare'))
        return { token: await token(world, bare), of: bare }
      },
    ],
    [
      'a pod at another address',
      'other-address',
      async () => {
        const elsewhere = await running(world, pod('shop', 'elsewhere'), '10.1.2.3')
        return { token: await token(world, elsewhere), of: elsewhere }
      },
    ],
    [
      'a pod that is gone',
      // The API server itself says that its tokens are void.
      'not-authenticated',
      async () => {
        const gone = await running(world, pod('shop', 'gone'))
        const kept = await token(world, gone)
        await plane.client.delete(PODS, { namespace: 'shop', name: 'gone' }, { uid: gone.metadata.uid })
        await until(async () => (await world.read(PODS, 'shop', 'gone')) === undefined)
        return { token: kept, of: gone }
      },
    ],
  ]
  for (const [what, reason, prepare] of refusals) {
    t.test(`${what} gets nothing`, async (t) => {
      const { token: text, of } = await prepare()
      const before = await refused(operator, reason)
      const grants = await subscribe(
        t,
        operatorAddress,
        ca,
        text,
        of,
        async () => (await refused(operator, reason)) > before,
      )
      t.equal(grants, 0)
    })
  }

  t.test('a token is reviewed once for many connections', async (t) => {
    const pods = await running(world, pod('shop', 'again'))
    const text = await token(world, pods)
    const before = await reviews(world)
    for (let connection = 0; connection < 5; connection++) {
      let granted = false
      const count = await subscribe(
        t,
        operatorAddress,
        ca,
        text,
        pods,
        () => granted,
        () => (granted = true),
      )
      t.equal(count, 1)
    }
    t.equal((await reviews(world)) - before, 1)
  })

  t.test('a deleted pod loses its stream', async (t) => {
    const doomed = await running(world, pod('shop', 'doomed'))
    const text = await token(world, doomed)
    let granted = 0
    const client = connect(operatorAddress, ca, text, doomed, () => granted++)
    t.teardown(() => client.close())
    await until(() => client.connected)
    await plane.client.delete(PODS, { namespace: 'shop', name: 'doomed' })
    await until(() => !client.connected)
    t.equal(granted, 1)
  })

  t.test('a sidecar that was started with one authority comes back when another one signs', async (t) => {
    const grants: (string | undefined)[] = []
    const survivor = await running(world, pod('shop', 'survivor'))
    const client = connect(operatorAddress, ca, await token(world, survivor), survivor, (trust) => grants.push(trust))
    t.teardown(() => client.close())
    await until(() => client.connected)
    // The new authority is told while the connection is open; then the old certificate goes with its authority.
    await plane.kubectl('delete', 'secret', 'tollgate-ca', '-n', 'tollgate-system')
    await plane.kubectl('annotate', 'secret', 'tollgate-tls', '-n', 'tollgate-system', 'look=now')
    await until(() => grants.length === 2)
    await plane.kubectl('patch', 'secret', 'tollgate-tls', '-n', 'tollgate-system', '-p', '{"data":{"tls.key":"AAAA"}}')
    await until(async () => operator.output().split('"reason":"missing"').length === 3)
    await operator.end('SIGTERM')
    await until(() => !client.connected)
    await world.startInjecting('--listen-grpc', `127.0.0.1:${port}`)
    await until(() => client.connected, 40_000)
    const stranger = await subscribe(t, operatorAddress, ca, await token(world, survivor), survivor, () => true)
    t.equal(stranger, 0, 'who knows only the old one does not believe the new certificate')
  })
})

/** A pod of the API server, with the address that our connections come from. */
async function running(world: InjectionWorld, wanted: ReturnType<typeof pod>, ip = '127.0.0.1'): Promise<KubeObject> {
  const created = await world.create(wanted)
  const { namespace = '', name } = created.metadata
  const value = { phase: 'Running', podIP: ip, podIPs: [{ ip }] }
  const patch = [{ op: 'add', path: '/status', value }] as const
  await world.plane.client.jsonPatch(PODS, { namespace, name }, patch, { subresource: 'status' })
  return created
}

async function token(
  { plane }: InjectionWorld,
  { metadata }: KubeObject,
  { audience = AUDIENCE, bound = true } = {},
): Promise<string> {
  const binding = ['--bound-object-kind', 'Pod', '--bound-object-name', metadata.name]
  const uid = ['--bound-object-uid', metadata.uid ?? '']
  const args = ['create', 'token', 'default', '-n', metadata.namespace ?? '', '--audience', audience]
  return (await plane.kubectl(...args, ...(bound ? [...binding, ...uid] : []))).trim()
}

async function refused(operator: RunningOperator, reason: string): Promise<number> {
  return (await operator.metric(`tollgate_sidecar_authentications_total{result="${reason}"}`)) ?? 0
}

/** TokenReviews that the API server has answered. */
async function reviews({ plane }: InjectionWorld): Promise<number> {
  const page = await plane.kubectl('get', '--raw', '/metrics')
  return page
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{') && line.includes('resource="tokenreviews"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

function connect(
  address: string,
  ca: string,
  text: string,
  { metadata }: KubeObject,
  onGrant: (trust: string | undefined) => void,
): CredentialsClient {
  return new CredentialsClient({
    address,
    readCa: () => Promise.resolve(ca),
    readToken: () => Promise.resolve(text),
    pod: { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' },
    onGrant: ({ trust }) => onGrant(trust),
    onHint: () => undefined,
    log: silent,
    random: () => 0,
  })
}

/** One caller, until `done`; returns how many grants it got. */
async function subscribe(
  t: Test,
  address: string,
  ca: string,
  text: string,
  of: KubeObject,
  done: () => boolean | Promise<boolean>,
  onGrant: () => void = () => undefined,
): Promise<number> {
  let grants = 0
  const client = connect(address, ca, text, of, () => {
    grants += 1
    onGrant()
  })
  t.teardown(() => client.close())
  await until(done)
  await client.close()
  return grants
}

/** With the variables of the injected container, but for its addresses. */
async function startSidecar(t: Test, { metadata, ...rest }: KubeObject, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-injected-'))
  writeFileSync(join(folder, 'token'), text)
  const env = {
    ...envOf({ metadata, ...rest }, 'tollgate'),
    PATH: process.env['PATH'],
    POD_NAME: metadata.name,
    POD_NAMESPACE: metadata.namespace,
    POD_UID: metadata.uid,
    TOLLGATE_LISTEN: '127.0.0.1:0',
    TOLLGATE_ADMIN: '127.0.0.1:0',
    TOLLGATE_TOKEN: join(folder, 'token'),
  }
  const child = spawn(process.execPath, [MAIN, 'sidecar'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })
  const listening = await collect(child).line(({ msg }) => msg === 'listening')
  return { data: String(listening['data']), admin: String(listening['admin']) }
}

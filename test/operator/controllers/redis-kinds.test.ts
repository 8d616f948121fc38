/** DESIGN section 8 and 9 where Redis is more than one server: an operator and a sidecar, which logs in as its namespace's user. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { revokePublished } from '../../../src/operator/installation/revoke.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { createSigner } from '../../../src/operator/publish/sign.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { chatCompletion } from '../../helpers/answers.ts'
import { ok } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import {
  entry,
  organization,
  provider,
  secret,
  secretOf,
  startWorld,
  SYSTEM,
  virtualKey,
} from '../../helpers/operator.ts'
import type { OperatorWorld } from '../../helpers/operator.ts'
import { makePod, startCredentialsSource, startPodSidecar } from '../../helpers/pod-sidecar.ts'
import { startCluster, startRedis, startSentinels, startTlsRedis, until } from '../../helpers/redis.ts'
import type { RedisCluster, RedisServer } from '../../helpers/redis.ts'

/** A second to see it and one to elect; then the operator, who looks each five seconds, makes the logins at the new master. */
const FAIL_OVER_MS = 60_000
/** Of a login that all sidecars share. */
const [, SHARED_RIGHTS = ''] =
  /```\n(%R~[^`]*)```/.exec(readFileSync(join(import.meta.dirname, '../../../docs/helm.md'), 'utf8')) ?? []
const WARY = { budgets: [{ window: 'Month', limitUSD: '1000' }] }

t.test('an operator and a sidecar on each kind of Redis', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  await prepare(t, world)

  t.test('Sentinels: calls go on at the new master, with what was spent, and so does the configuration', async (t) => {
    const sentinels = await startSentinels('a-password-of-sentinels')
    t.teardown(() => sentinels.stop())
    const { call, goesOn } = await startBoth(t, world, sentinels.url)
    const afterLoss = await goesOn()
    await sentinels.master.kill()
    await until(afterLoss, FAIL_OVER_MS)
    t.equal(await suspend(world, call), 200)
  })

  t.test('a Redis Cluster: calls go on where a replica has taken over', async (t) => {
    const cluster = await startCluster(1)
    t.teardown(() => cluster.stop())
    const { call, goesOn, operator } = await startBoth(t, world, cluster.url)
    // As an upgrade does: the former master lives on, and no connection breaks.
    const former = await ownerOf(cluster, 'tg:q:{acme}:whole')
    const afterHandOver = await goesOn()
    await (await replicaOf(cluster, former)).cli('CLUSTER', 'FAILOVER')
    await until(async () => (await former.cli('ROLE')).startsWith('slave'))
    await until(afterHandOver, FAIL_OVER_MS)
    const afterLoss = await goesOn()
    await (await ownerOf(cluster, 'tg:q:{acme}:whole')).kill()
    await until(afterLoss, FAIL_OVER_MS)
    t.equal(await suspend(world, call), 200)
    await operator.end('SIGTERM')
    await revoke(t, world, cluster.url)
    t.equal(await call(), 401, 'as soon as all is revoked')
  })

  t.test('TLS with an authority of its own', async (t) => {
    const redis = await startTlsRedis()
    t.teardown(() => redis.stop())
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-ca-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'ca.crt')
    writeFileSync(file, redis.ca)
    // As the chart does; the sidecar is told by the operator.
    process.env['NODE_EXTRA_CA_CERTS'] = file
    const both = startBoth(t, world, redis.url, ['--sidecar-redis-ca', file])
    delete process.env['NODE_EXTRA_CA_CERTS']
    const { call } = await both
    t.equal(await suspend(world, call), 200)
  })
})

t.test('where Redis lets nobody make users, sidecars share a login that is kept by others', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const rights = SHARED_RIGHTS.trim().split(/\s+/)
  const user = (name: string) => ['--user', name, 'on', `>password-of-${name}`, ...rights]
  const redis = await startRedis(
    ['--rename-command', 'ACL', '', '--requirepass', 'root', ...user('former'), ...user('later')],
    ['-a', 'root', '--no-auth-warning'],
  )
  t.teardown(() => redis.stop())
  const loginOf = (username: string) => secret(SYSTEM, 'sidecars', { username, password: `password-of-${username}` })
  await prepare(t, world)
  await world.apply(secret(SYSTEM, 'operators', { password: 'root' }), loginOf('former'))
  const secrets = ['--redis-secret', 'operators', '--sidecar-redis-secret', 'sidecars']
  const { call, goesOn, operator } = await startBoth(t, world, redis.url, secrets)
  t.equal(await suspend(world, call), 200)
  t.match(await redis.cli('CLIENT', 'LIST'), /user=former/)
  const afterChange = await goesOn()
  await world.apply(loginOf('later'))
  await until(async () => /user=later/.test(await redis.cli('CLIENT', 'LIST')))
  await until(afterChange)
  await until(async () => !/user=former/.test(await redis.cli('CLIENT', 'LIST')))
  await operator.end('SIGTERM')
  await revoke(t, world, `redis://:root@127.0.0.1:${redis.port}`)
  t.equal(await call(), 401, 'nobody has a login to lose, and no key is in force')
})

/** As `tollgate cleanup` does. */
async function revoke(t: Test, world: OperatorWorld, url: string): Promise<void> {
  const redis = connectRedis(url)
  t.teardown(() => redis.close())
  await redis.requireReady(FAIL_OVER_MS)
  const signer = createSigner(new Secret(entry(await secretOf(world, SYSTEM, 'tollgate-signing'), 'key')))
  t.same(await revokePublished({ redis, signer, epoch: 0, timing: SYSTEM_TIMING }), {
    owners: ['team'],
    unaware: new Map(),
  })
}

/** The master that has the slot of `key`. */
async function ownerOf({ nodes }: RedisCluster, key: string): Promise<RedisServer> {
  for (const node of nodes) {
    const role = await node.cli('ROLE')
    if (role.startsWith('master') && !(await node.cli('TYPE', key)).startsWith('MOVED')) return node
  }
  throw new Error(`no master has the slot of ${key}`)
}

async function replicaOf({ nodes }: RedisCluster, { port }: RedisServer): Promise<RedisServer> {
  for (const node of nodes) if ((await node.cli('ROLE')).startsWith(`slave\n127.0.0.1\n${port}\n`)) return node
  throw new Error(`nobody replicates ${port}`)
}

/** A key with a budget, and a provider that answers. */
async function prepare(t: Test, { plane, apply }: OperatorWorld): Promise<void> {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('hello', { inputTokens: 10, outputTokens: 10 })))
  await plane.kubectl('create', 'serviceaccount', 'app', '-n', 'team')
  await apply(
    organization(WARY),
    secret(SYSTEM, 'provider-main', { apiKey: 'sk-the-key-of-a-provider-0123456789' }),
    provider('main', { endpoint: { baseURL: `${upstream.url}/v1`, allowInsecureHTTP: true } }),
    virtualKey('team', 'app', WARY),
  )
}

/** An operator and a sidecar of its own, on the Redis at `url`; calls are answered and counted. */
async function startBoth(t: Test, world: OperatorWorld, url: string, more: readonly string[] = []) {
  const { plane } = world
  const source = await startCredentialsSource(world, '--redis', url, ...more)
  const { operator, ca } = source
  t.teardown(() => operator.end('SIGTERM'))
  const sidecar = await startPodSidecar(t, plane, source, await makePod(plane, `app-${operator.child.pid}`, ca))
  await world.reaches('team/app', 'Ready', 'True Ready')
  const authorization = `Bearer ${entry(await secretOf(world, 'team', 'app-virtual-key'), 'key')}`
  const call = async () => {
    const answer = await fetch(`${sidecar.data}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: JSON.stringify({ model: 'auto', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  /** Of the organization, US dollars; NaN while that cannot be asked. */
  const spent = async () => {
    const answer = await fetch(`${sidecar.data}/v1/usage`, { headers: { authorization } })
    const { limits } = (await answer.json()) as { limits?: { scope: string; spent: string }[] }
    return Number(limits?.find(({ scope }) => scope === 'organization')?.spent)
  }
  /** Whether calls are answered and counted on from what is spent now: also served of the grace they would be answered. */
  const goesOn = async () => {
    let before = Number.NaN
    await until(async () => !Number.isNaN((before = await spent())))
    return async () => (await call()) === 200 && (await spent()) > before
  }
  await until(async () => (await call()) === 200 && (await spent()) > 0)
  return { call, goesOn, operator }
}

/** A change reaches the sidecar, and is taken back. Returns what a call gives then. */
async function suspend(world: OperatorWorld, call: () => Promise<number>): Promise<number> {
  await world.apply(virtualKey('team', 'app', { ...WARY, suspended: true }))
  await until(async () => (await call()) === 401)
  await world.apply(virtualKey('team', 'app', { ...WARY, suspended: false }))
  await until(async () => (await call()) === 200)
  return call()
}

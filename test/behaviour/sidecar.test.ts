/** The sidecar as a process, with a real Redis, real gRPC over TLS and a provider that tells what it was sent. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { acknowledgedRevisions } from '../../src/operator/publish/acknowledgements.ts'
import { ensureTenantUser } from '../../src/operator/publish/redis-users.ts'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { startProxy } from '../helpers/forward-proxy.ts'
import { startCluster, startSentinels, until, type RedisServer } from '../helpers/redis.ts'
import { KEY_DIGEST, OPERATOR_MASTER, startOperator, startSidecar } from '../helpers/sidecar.ts'
import { keyEntry, organizationEntry, providerEntry, snapshotOf, type KeyEntryOptions } from '../helpers/snapshots.ts'

const TENANT = { owner: 'team-a', organizations: ['acme'], master: OPERATOR_MASTER }

async function start(t: Test, redisUrl?: string) {
  const provider = await startFakeProvider()
  t.teardown(() => provider.close())
  provider.otherwise(ok(chatCompletion('hello')))
  const snapshot = (key: KeyEntryOptions = {}) =>
    snapshotOf({
      organizations: [organizationEntry('acme')],
      providers: [providerEntry('p', `${provider.url}/v1`)],
      virtualKeys: [keyEntry('team-a/app', { digest: KEY_DIGEST, ...key })],
    })
  const operator = await startOperator(t, snapshot(), redisUrl)
  return { provider, operator, snapshot }
}

async function startReady(t: Test) {
  const parts = await start(t)
  await parts.operator.apply({})
  const sidecar = await startSidecar(t, parts.operator)
  await until(async () => (await sidecar.ready()) === 200)
  return { ...parts, sidecar }
}

t.test('is ready with the first good configuration, serves with the granted key, and says what it runs', async (t) => {
  const { provider, operator } = await start(t)
  const sidecar = await startSidecar(t, operator)
  t.equal(await sidecar.ready(), 503, 'nothing is published yet')
  const said = 'not ready: the configuration cannot be read from Redis; the log says why\n'
  await until(async () => (await (await fetch(`${sidecar.admin}/readyz`)).text()) === said)
  t.equal((await fetch(`${sidecar.admin}/livez`)).status, 200)
  await operator.apply({})
  await until(async () => (await sidecar.ready()) === 200)
  const answer = await sidecar.chat()
  t.equal(answer.status, 200)
  await answer.text()
  t.equal(provider.requests[0]?.headers.authorization, 'Bearer provider-key-1')
  await until(async () => (await acknowledgedRevisions(operator.redis, 'team-a')).size === 1)
  const running = (await acknowledgedRevisions(operator.redis, 'team-a')).get('app-1')
  t.same(Object.keys(running?.shards ?? {}).toSorted(), ['tg:cfg:catalog', 'tg:cfg:ns:team-a', 'tg:cfg:org:acme'])
  t.equal((await sidecar.chat('another-key-0123456789abcdef0123456789')).status, 401)
})

t.test(
  'a rotated provider key is used by the next call, and a key removed is refused, without a restart',
  async (t) => {
    const { provider, operator, sidecar, snapshot } = await startReady(t)
    await operator.apply({ credential: 'provider-key-2' })
    await until(async () => {
      await (await sidecar.chat()).text()
      return provider.requests.at(-1)?.headers.authorization === 'Bearer provider-key-2'
    })
    await operator.apply({ snapshot: { ...snapshot(), virtualKeys: [] } })
    await until(async () => (await sidecar.chat()).status === 401)
    await operator.apply({ snapshot: snapshot() })
    await until(async () => (await sidecar.chat()).status === 200)
    t.equal(await sidecar.ready(), 200)
  },
)

t.test("a forward proxy in the containers' environment leads neither to the operator nor to providers", async (t) => {
  const { operator } = await start(t)
  await operator.apply({})
  const { proxyUrl, targets } = await startProxy(t)
  const sidecar = await startSidecar(t, operator, {
    https_proxy: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    http_proxy: proxyUrl,
  })
  await until(async () => (await sidecar.ready()) === 200)
  t.equal((await sidecar.chat()).status, 200)
  t.same(targets, [])
})

t.test('a key bound to other ServiceAccounts is not served here', async (t) => {
  const { operator, sidecar, snapshot } = await startReady(t)
  await operator.apply({ snapshot: snapshot({ serviceAccounts: ['somebody-else'] }) })
  await until(async () => (await sidecar.chat()).status === 401)
  await operator.apply({ snapshot: snapshot({ serviceAccounts: ['somebody-else', 'app'] }) })
  await until(async () => (await sidecar.chat()).status === 200)
  t.pass('the one of the pod is')
})

t.test('the last good configuration serves on while Redis is emptied, forged or frozen', async (t) => {
  const { operator, sidecar } = await startReady(t)
  const { redisServer } = operator
  const catalog = (await redisServer.cli('GET', 'tg:cfg:catalog')).trim()
  const forged = catalog.replace('"revision":"', '"revision":"0').replace('127.0.0.1', '127.0.0.2')
  await redisServer.cli('SET', 'tg:cfg:catalog', forged)
  await sidecar.line(
    ({ msg, reason }) => msg === 'configuration refused' && /signature of tg:cfg:catalog/.test(String(reason)),
  )
  t.equal((await sidecar.chat()).status, 200)
  t.equal(await sidecar.metric('tollgate_configuration_loads_total{result="refused"}'), 1)
  await redisServer.cli('DEL', 'tg:cfg:catalog', 'tg:cfg:ns:team-a', 'tg:cfg:org:acme')
  await sidecar.line(
    ({ msg, reason }) => msg === 'configuration refused' && /ns:team-a is missing/.test(String(reason)),
  )
  t.equal((await sidecar.chat()).status, 200)
  await until(async () => ((await sidecar.metric('tollgate_config_stale_seconds')) ?? 0) > 1)
  t.equal(await operator.verifyPublished(), 3)
  await until(async () => ((await sidecar.metric('tollgate_config_stale_seconds')) ?? 9) < 1)
  redisServer.freeze()
  await sidecar.line(({ msg }) => msg === 'shards not read')
  t.equal(await sidecar.ready(), 200)
  t.equal((await sidecar.chat()).status, 200, 'within the grace of the quota store')
  redisServer.thaw()
  await sidecar.line(({ msg }) => msg === 'shards are read again')
})

t.test('an older document, though signed, does not bring back what was revoked', async (t) => {
  const { operator, sidecar, snapshot } = await startReady(t)
  const old = (await operator.redisServer.cli('GET', 'tg:cfg:ns:team-a')).trim()
  await operator.apply({ snapshot: { ...snapshot(), virtualKeys: [] } })
  // The grant without the organization may come first and refuse the key as well: the shard itself must have been seen.
  await sidecar.line(
    ({ msg, complete, virtualKeys }) => msg === 'configuration in force' && complete === true && virtualKeys === 0,
  )
  t.equal((await sidecar.chat()).status, 401)
  await operator.redisServer.cli('SET', 'tg:cfg:ns:team-a', old)
  await sidecar.line(({ reason }) => /ns:team-a is older than the one in use/.test(String(reason)))
  t.equal((await sidecar.chat()).status, 401)
})

t.test('the operator may be away, and the login of Redis may change', async (t) => {
  const { operator, sidecar } = await startReady(t)
  await operator.stop()
  await sidecar.line(({ msg }) => msg === 'operator ended the stream' || msg === 'operator not reached')
  t.equal((await sidecar.chat()).status, 200)
  t.equal(await sidecar.ready(), 200)
  const login = await ensureTenantUser(operator.redis, TENANT)
  await operator.start()
  await operator.apply({ login })
  await until(async () => (await operator.redisServer.cli('CLIENT', 'LIST')).includes('user=tollgate-team-a'))
  await operator.redisServer.cli('CLIENT', 'KILL', 'USER', 'default')
  t.equal((await sidecar.chat()).status, 200)
  await until(async () => ((await sidecar.metric('tollgate_config_stale_seconds')) ?? 9) < 1)
  const log = await operator.redisServer.cli('ACL', 'LOG')
  t.equal(log.trim(), '', 'nothing was refused')
  t.equal(await sidecar.metric('tollgate_audit_dropped_total'), 0)
  t.equal(await sidecar.metric('tollgate_quota_store_unavailable'), 0)
})

/** Servers that hold keys, and the address of them all. */
const INSTALLATIONS: Record<
  string,
  () => Promise<{ url: string; servers: readonly RedisServer[]; stop(): Promise<void> }>
> = {
  'behind Sentinels': async () => {
    const sentinels = await startSentinels()
    return { ...sentinels, servers: [sentinels.master] }
  },
  'in a cluster': async () => {
    const cluster = await startCluster()
    return { ...cluster, servers: cluster.nodes }
  },
}

for (const [where, startServers] of Object.entries(INSTALLATIONS)) {
  t.test(`the login serves ${where}`, async (t) => {
    const { url, servers, stop } = await startServers()
    t.teardown(stop)
    const { operator } = await start(t, url)
    const login = await ensureTenantUser(operator.redis, TENANT)
    await operator.apply({ login })
    const sidecar = await startSidecar(t, operator)
    await until(async () => (await sidecar.ready()) === 200)
    t.equal((await sidecar.chat()).status, 200)
    await until(async () => (await acknowledgedRevisions(operator.redis, 'team-a')).size === 1)
    await until(async () => (await sidecar.metric('tollgate_audit_pending_records')) === 0)
    for (const server of servers) t.equal((await server.cli('ACL', 'LOG')).trim(), '', 'nothing was refused')
    t.equal(await sidecar.metric('tollgate_audit_dropped_total'), 0)
    t.equal(await sidecar.metric('tollgate_quota_store_unavailable'), 0)
  })
}

t.test('ends by signal after its answers, having printed no secret', async (t) => {
  const { sidecar, operator } = await startReady(t)
  await (await sidecar.chat()).text()
  sidecar.process.kill('SIGTERM')
  const [code] = await once(sidecar.process, 'exit')
  t.equal(code, 0, sidecar.output())
  for (const secret of ['provider-key-1', 'abababab', 'e30.', KEY_DIGEST]) t.notOk(sidecar.output().includes(secret))
  t.notOk((await operator.redisServer.cli('GET', 'tg:cfg:catalog')).includes('provider-key-1'))
})

/** Whether it is told that Redis throws keys away. */
import t from 'tap'
import { evictionWatch } from '../src/eviction.ts'
import { connectRedis } from '../src/proxy/stores/redis/redis-client.ts'
import { openStores } from '../src/stores.ts'
import { startAclRedis, startCluster, startRedis, until } from './helpers/redis.ts'

const READY_MS = 30_000
const EVICTS = ['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru']

t.test('a server that evicts is told of once, and once more where its policy has become another', async (t) => {
  const server = await startRedis(EVICTS)
  t.teardown(() => server.stop())
  const { look, told } = await watched(t, server.url)
  await look()
  await look()
  t.same(told, ['allkeys-lru'])
  await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await look()
  await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl')
  await look()
  t.same(told, ['allkeys-lru', 'volatile-ttl'])
})

t.test('nothing is told where nothing is evicted: by policy, or as memory has no bound', async (t) => {
  for (const args of [[], ['--maxmemory', '64mb'], ['--maxmemory-policy', 'allkeys-lru']]) {
    const server = await startRedis(args)
    t.teardown(() => server.stop())
    const { look, told } = await watched(t, server.url)
    await look()
    t.same(told, [], args.join(' '))
  }
})

t.test('nor where the login may not ask, whose connection stays', async (t) => {
  const server = await startAclRedis('app', 'secret', '~* +get')
  t.teardown(() => server.stop())
  await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  await server.cli('CONFIG', 'SET', 'maxmemory', '64mb')
  const { look, told, redis } = await watched(t, server.url)
  await look()
  t.same(told, [])
  t.equal(await redis.send('k', ['GET', 'k']), null)
})

t.test('of a cluster, one master that evicts is enough', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  const server = cluster.nodes[1]
  await server?.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu')
  await server?.cli('CONFIG', 'SET', 'maxmemory', '64mb')
  const { look, told } = await watched(t, cluster.url)
  await look()
  t.same(told, ['allkeys-lfu'])
})

t.test('a gateway asks when it has connected', async (t) => {
  const server = await startRedis(EVICTS)
  t.teardown(() => server.stop())
  const { log, told } = collecting()
  const stores = await openStores(server.url, log, { now: () => performance.now(), wallNow: Date.now })
  t.teardown(() => stores.close())
  await until(() => told.length > 0)
  t.same(told, ['allkeys-lru'])
})

async function watched(t: import('tap').Test, url: string) {
  const redis = connectRedis(url, { callTimeoutMs: READY_MS })
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(READY_MS))
  const { log, told } = collecting()
  return { redis, look: evictionWatch(redis, log), told }
}

function collecting() {
  const told: string[] = []
  const note = (fields: object) => void ('policy' in fields && told.push(String(fields.policy)))
  return { told, log: { debug() {}, info() {}, warn: note, error() {} } }
}

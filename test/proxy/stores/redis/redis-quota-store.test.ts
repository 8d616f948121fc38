import t from 'tap'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../../../src/proxy/stores/redis/redis-quota-store.ts'
import { startCluster, startRedis } from '../../../helpers/redis.ts'
import { quotaStoreContract } from '../quota-store-contract.ts'

/** Generous, because the machine may be busy: bounds are the business of redis-client.test.ts. */
const TIMEOUT_MS = 20_000

t.test('on one server', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  await contractOn(t, server.url)
})

t.test('on a cluster of three masters', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  await contractOn(t, cluster.url)
})

async function contractOn(t: import('tap').Test, url: string): Promise<void> {
  const connections = [connectRedis(url), connectRedis(url)] as const
  t.teardown(() => Promise.all(connections.map((connection) => connection.close())))
  for (const connection of connections) t.ok(await connection.waitUntilReady(TIMEOUT_MS))
  let now = 0
  const stores = [storeOn(connections[0]), storeOn(connections[1])] as const
  function storeOn(connection: (typeof connections)[number]) {
    return new RedisQuotaStore(connection, { now: () => now, timeoutMs: TIMEOUT_MS })
  }
  quotaStoreContract(t, async () => ({
    stores,
    setNow: (ms) => {
      now = ms
    },
  }))
}

import t from 'tap'
import { Acknowledger } from '../../../src/proxy/config/acknowledge.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { acknowledgedRevisions } from '../../../src/operator/publish/acknowledgements.ts'
import { startRedis } from '../../helpers/redis.ts'

t.test('what ends in order is not waited for: its acknowledgement goes with it', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => redis.close())
  await redis.waitUntilReady(20_000)
  const [first, second] = ['pod-1', 'pod-2'].map((name) => new Acknowledger('shop', name, Date.now))
  const running = { revision: 'r1', shards: { catalog: 'c1' } }
  await first?.tell(redis, running)
  await second?.tell(redis, running)
  await first?.withdraw(redis)
  const known = await acknowledgedRevisions(redis, 'shop')
  t.same([...known.keys()], ['pod-2'])
  t.equal(await redis.send('', ['EXISTS', 'tg:ack:shop:pod-1']), 0)
  t.same(await redis.send('', ['SMEMBERS', 'tg:ack:shop']), ['pod-2'])
})

t.test('a Redis whose memory is used up is told all the same: who says nothing counts as not running', async (t) => {
  const server = await startRedis(['--maxmemory-policy', 'noeviction'])
  t.teardown(() => server.stop())
  const redis = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => redis.close())
  await redis.waitUntilReady(20_000)
  await server.cli('CONFIG', 'SET', 'maxmemory', '1')
  await new Acknowledger('shop', 'pod-1', Date.now).tell(redis, { revision: 'r1', shards: { catalog: 'c1' } })
  const known = await acknowledgedRevisions(redis, 'shop')
  t.same(known.get('pod-1'), { revision: 'r1', shards: { catalog: 'c1' } })
  t.ok(Number(await redis.send('', ['PTTL', 'tg:ack:shop'])) > 0)
  t.ok(Number(await redis.send('', ['PTTL', 'tg:ack:shop:pod-1'])) > 0, 'it expires where it is not renewed')
})

t.test('what has told nothing asks nothing of Redis when it ends', async (t) => {
  const unreachable = { send: () => Promise.reject(new Error('nobody there')) }
  await t.resolves(new Acknowledger('shop', 'pod-1', Date.now).withdraw(unreachable))
})

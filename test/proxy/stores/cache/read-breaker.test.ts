import t from 'tap'
import { BreakingReads } from '../../../../src/proxy/stores/cache/read-breaker.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { startRedis, until } from '../../../helpers/redis.ts'

t.test('three late reads in a row open the breaker, one in time closes it', async (t) => {
  const server = await startRedis()
  const redis = connectRedis(server.url, { callTimeoutMs: 300, stallMs: 60_000 })
  t.teardown(async () => {
    await redis.close()
    await server.stop()
  })
  const { now, advance } = createTestClock()
  const reads = new BreakingReads(redis, now)
  const get = () => reads.send('k', ['GET', 'k'])
  await t.rejects(get(), 'not connected yet')
  await redis.waitUntilReady(5_000)
  t.equal(await get(), null)
  server.freeze()
  for (let call = 0; call < 2; call++) await t.rejects(get(), /no answer/)
  server.thaw()
  await until(() => redis.inFlight === 0)
  t.equal(await get(), null, 'two are not enough, and are forgotten')
  await t.rejects(reads.send('k', ['NONSENSE']), /unknown command/, 'an answer too')
  server.freeze()
  for (let call = 0; call < 3; call++) await t.rejects(get(), /no answer/)
  for (let call = 0; call < 5; call++) await t.rejects(get(), /too slow/)
  t.equal(reads.skipped, 5)
  t.equal(reads.isOpen, true)
  advance(2_000)
  const [probe, others] = [get(), [get(), get()]]
  for (const other of others) await t.rejects(other, /too slow/, 'one probes')
  await t.rejects(probe, /no answer/)
  await t.rejects(get(), /too slow/, 'late again: open again')
  server.thaw()
  await until(() => redis.inFlight === 0)
  advance(2_000)
  t.equal(await get(), null)
  t.equal(reads.isOpen, false)
  t.equal(await get(), null)
})

import t from 'tap'
import { PurgeBoard, REFRESH_MS } from '../../../../src/proxy/stores/cache/purge-board.ts'
import { purgeCache } from '../../../../src/proxy/stores/cache/purge.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { startRedis } from '../../../helpers/redis.ts'

t.test('the counts of purges are known at once until they are to be read again', async (t) => {
  const server = await startRedis()
  // So long that a busy machine is no outage.
  const redis = connectRedis(server.url, { callTimeoutMs: 1_000 })
  t.teardown(async () => {
    await redis.close()
    await server.stop()
  })
  await redis.waitUntilReady(5_000)
  const { now, advance } = createTestClock()
  const board = new PurgeBoard(redis, now)
  t.equal(board.known('o'), undefined, 'nobody has asked yet')
  t.same((await board.marks('o')).countsFor('p', 'n/k'), [0, 0, 0])
  const target = { organization: 'o', project: undefined, virtualKey: undefined }
  await purgeCache(redis, { ...target, project: 'p' })
  await purgeCache(redis, { ...target, virtualKey: 'n/k' })
  await purgeCache(redis, { ...target, virtualKey: 'n/k' })
  t.same(board.known('o')?.countsFor('p', 'n/k'), [0, 0, 0], 'the last counts read')
  t.equal(board.known('other'), undefined, 'each organization for itself')
  advance(REFRESH_MS)
  t.equal(board.known('o'), undefined)
  t.same((await board.marks('o')).countsFor('p', 'n/k'), [0, 1, 2])
  t.same(board.known('o')?.countsFor('p', 'n/k'), [0, 1, 2])
  t.same(board.known('o')?.countsFor(undefined, 'n/other'), [0, 0, 0])
  server.freeze()
  advance(REFRESH_MS)
  t.same((await board.marks('o')).countsFor('p', 'n/k'), [0, 1, 2], 'while Redis is silent, the last counts')
  t.ok(board.known('o'), 'and no request waits again within the pause')
  server.thaw()
})

t.test('without Redis there is nothing to read', async (t) => {
  const board = new PurgeBoard(undefined, createTestClock().now)
  t.same(board.known('o')?.countsFor('p', 'n/k'), [0, 0, 0])
  t.equal(board.known('o'), await board.marks('o'))
})

import t from 'tap'
import type { StoredAnswer } from '../../../../src/domain/caching/stored-answer.ts'
import { Secret } from '../../../../src/domain/secret.ts'
import { RedisAnswerStore } from '../../../../src/proxy/stores/cache/l2-redis.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { startRedis, until } from '../../../helpers/redis.ts'

const SECRET = new Secret('ab'.repeat(32))
const ANSWER: StoredAnswer = {
  format: 'messages',
  document: Buffer.from('{"a":"é"}'),
  deployment: 'p/m',
  virtualKey: 'ns/key',
  storedAtMs: 1_700_000_000_000,
  purges: [1, 0, 2],
}

const server = await startRedis()
// A busy machine is no outage.
const redis = connectRedis(server.url, { callTimeoutMs: 20_000 })
t.teardown(async () => {
  await redis.close()
  await server.stop()
})

t.test('without a connection an answer is dropped, and none is found', async (t) => {
  const store = new RedisAnswerStore(redis, createTestClock().now)
  store.write('k', ANSWER, 60_000, SECRET)
  t.equal(store.dropped, 1)
  t.equal(await store.read('k', SECRET), undefined)
})

t.test('answers of all sizes are found as they were, sealed, for their time', async (t) => {
  await redis.waitUntilReady(5_000)
  const store = new RedisAnswerStore(redis, createTestClock().now)
  const sizes = [0, 1, 1_023, 1_025, 20_000, 300_000]
  for (const size of sizes) {
    store.write(`k${size}`, { ...ANSWER, document: Buffer.alloc(size, 'visible ') }, 60_000, SECRET)
  }
  await until(async () => (await store.read('k300000', SECRET)) !== undefined)
  for (const size of sizes) {
    const found = await store.read(`k${size}`, SECRET)
    t.match(found, { format: 'messages', deployment: 'p/m', virtualKey: 'ns/key', purges: [1, 0, 2] })
    t.ok(Buffer.alloc(size, 'visible ').equals(found?.document ?? Buffer.of(1)), `${size} bytes`)
    t.notMatch(await server.cli('--raw', 'GET', `k${size}`), /visible|messages/)
    t.ok(Number(await server.cli('PTTL', `k${size}`)) > 50_000)
  }
  t.equal(await store.read('k1', new Secret('cd'.repeat(32))), undefined)
  await server.cli('COPY', 'k1', 'copied')
  t.equal(await store.read('copied', SECRET), undefined, 'what somebody copies to another name does not open')
  t.equal(store.dropped, 0)
})

t.test('an entry that is larger than any of ours is not read', async (t) => {
  const store = new RedisAnswerStore(redis, createTestClock().now)
  await server.cli('SETRANGE', 'garbage', String(64 * 1024 * 1024), 'x')
  await server.cli('CONFIG', 'RESETSTAT')
  t.equal(await store.read('garbage', SECRET), undefined)
  const [, sent] = /total_net_output_bytes:(\d+)/.exec(await server.cli('INFO', 'stats')) ?? []
  t.ok(Number(sent) < 1024 * 1024, `${sent} bytes`)
})

t.test('what is too many or too much at a time is dropped', async (t) => {
  const store = new RedisAnswerStore(redis, createTestClock().now)
  for (let index = 0; index < 70; index++) store.write(`many${index}`, ANSWER, 60_000, SECRET)
  t.equal(store.dropped, 6)
  await until(async () => (await server.cli('EXISTS', 'many63', 'many64')).trim() === '1')
  const large = { ...ANSWER, document: Buffer.alloc(2 * 1024 * 1024) }
  for (let index = 0; index < 6; index++) store.write(`large${index}`, large, 60_000, SECRET)
  t.equal(store.dropped, 8, 'four are eight mebibytes')
  store.write('larger', { ...ANSWER, document: Buffer.alloc(2 * 1024 * 1024 + 1) }, 60_000, SECRET)
  t.equal(store.dropped, 9)
  await until(async () => (await server.cli('EXISTS', 'large0', 'large1', 'large2', 'large3')).trim() === '4')
  await until(() => redis.inFlight === 0)
  store.write('after', ANSWER, 60_000, SECRET)
  await until(async () => (await store.read('after', SECRET)) !== undefined)
  t.equal(store.dropped, 9, 'their places are free again')
})

t.test('what Redis does not take is counted as dropped', async (t) => {
  const store = new RedisAnswerStore(redis, createTestClock().now)
  await server.cli('CONFIG', 'SET', 'maxmemory', '1')
  store.write('full', ANSWER, 60_000, SECRET)
  await until(() => store.dropped === 1)
  await server.cli('CONFIG', 'SET', 'maxmemory', '0')
  t.equal(await store.read('full', SECRET), undefined)
})

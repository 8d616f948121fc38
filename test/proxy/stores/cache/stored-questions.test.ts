import t from 'tap'
import { Secret } from '../../../../src/domain/secret.ts'
import type { CacheAddress, KnownQuestion } from '../../../../src/proxy/pipeline/cache-port.ts'
import { MAX_GROUP, StoredQuestions } from '../../../../src/proxy/stores/cache/stored-questions.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { startRedis, until } from '../../../helpers/redis.ts'

const group = (digest: string): CacheAddress => ({
  scope: { organization: 'o', project: undefined, secret: new Secret('ab'.repeat(32)) },
  digest,
})
const question = (answer: string, size = 4): KnownQuestion => ({
  wording: 'a visible wording',
  vector: { components: Int8Array.from({ length: size }, (_, index) => index - 2), step: 0.5 },
  answer,
  askedAtMs: 5,
})

t.test('a group holds its newest questions, all groups together their bytes', async (t) => {
  const index = new StoredQuestions({ redis: undefined, now: createTestClock().now, maxBytes: 1_000_000 })
  for (let each = 0; each < 300; each++) index.add(group('g'), question(`${each}`), 1_000)
  const held = await index.questions(group('g'))
  t.equal(held.length, MAX_GROUP)
  t.equal(held[0]?.answer, '299')
  for (let each = 0; each < 2_000; each++) {
    index.add(group(`g${each}`), question('x', 1_536), 1_000)
    if (index.bytes > 1_000_000) t.fail(`${index.bytes} bytes`)
  }
})

t.test('what one process learns another one finds in Redis, sealed', async (t) => {
  const redis = await startRedis()
  const connection = connectRedis(redis.url)
  t.teardown(async () => {
    await connection.close()
    await redis.stop()
  })
  await connection.waitUntilReady(5_000)
  const { now } = createTestClock()
  const [one, two] = [new StoredQuestions({ redis: connection, now }), new StoredQuestions({ redis: connection, now })]
  for (let each = 0; each < 20; each++) one.add(group('g'), question(`${each}`), 60_000)
  await until(async () => (await redis.cli('LLEN', 'tg:c:v1:{o}:s:-:g')).trim() === '20')
  const found = await two.questions(group('g'))
  t.strictSame(
    found.map(({ answer }) => answer).toSorted(),
    Array.from({ length: 20 }, (_, each) => `${each}`).toSorted(),
  )
  t.strictSame(found[0]?.vector, question('').vector)
  t.notMatch(await redis.cli('--raw', 'LRANGE', 'tg:c:v1:{o}:s:-:g', '0', '-1'), /visible/)
  t.ok(Number(await redis.cli('PTTL', 'tg:c:v1:{o}:s:-:g')) > 0)
  redis.freeze()
  t.strictSame(await two.questions(group('other')), [], 'frozen: nobody has asked')
  redis.thaw()
})

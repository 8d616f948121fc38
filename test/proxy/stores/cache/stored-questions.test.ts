import t from 'tap'
import { CACHE_VERSION } from '../../../../src/domain/caching/stored-answer.ts'
import { Secret } from '../../../../src/domain/secret.ts'
import type { CacheAddress, CacheScope, KnownQuestion, PurgeMarks } from '../../../../src/proxy/pipeline/cache-port.ts'
import { purgeCache } from '../../../../src/proxy/stores/cache/purge.ts'
import { MAX_GROUP, StoredQuestions } from '../../../../src/proxy/stores/cache/stored-questions.ts'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { startRedis, until } from '../../../helpers/redis.ts'

const secret = new Secret('ab'.repeat(32))
const scope = (project?: string): CacheScope => ({ organization: 'o', project, secret })
const group = (digest: string, project?: string): CacheAddress => ({ scope: scope(project), digest })
const question = (answer: string, size = 4): KnownQuestion => ({
  wording: 'a visible wording',
  vector: { components: Int8Array.from({ length: size }, (_, index) => index - 2), step: 0.5 },
  answer,
  askedAtMs: 5,
})
const marks = (count = 0): PurgeMarks => ({ countsFor: () => [count, 0, 0] })
const answers = (questions: readonly KnownQuestion[]) => questions.map(({ answer }) => answer)

const redis = await startRedis()
// So long that a busy machine is no outage.
const connection = connectRedis(redis.url, { callTimeoutMs: 1_000 })
t.teardown(async () => {
  await connection.close()
  await redis.stop()
})
await connection.waitUntilReady(5_000)

/** Two processes on one Redis, whose clock moves by as much as a change may stay unknown. */
function processes() {
  const { now, advance } = createTestClock()
  const [one, two] = [new StoredQuestions({ redis: connection, now }), new StoredQuestions({ redis: connection, now })]
  return { one, two, later: () => advance(250) }
}

const length = async (key: string) => Number((await redis.cli('LLEN', `tg:c:v${CACHE_VERSION}:{o}:s:${key}`)).trim())

t.test('a group holds its newest questions, all groups together their bytes', async (t) => {
  const index = new StoredQuestions({ redis: undefined, now: createTestClock().now, maxBytes: 1_000_000 })
  for (let each = 0; each < 300; each++) index.add(group('g'), question(`${each}`), 1_000, marks())
  const held = await index.questions(group('g'), marks())
  t.equal(held.length, MAX_GROUP)
  t.equal(held[0]?.answer, '299')
  for (let each = 0; each < 2_000; each++) {
    index.add(group(`g${each}`), question('x', 1_536), 1_000, marks())
    if (index.bytes > 1_000_000) t.fail(`${index.bytes} bytes`)
  }
})

t.test('what one process learns another one finds in Redis, sealed', async (t) => {
  const { one, two } = processes()
  for (let each = 0; each < 20; each++) one.add(group('g'), question(`${each}`), 60_000, marks())
  await until(async () => (await length('-:g')) === 20)
  const found = await two.questions(group('g'), marks())
  t.strictSame(answers(found).toSorted(), Array.from({ length: 20 }, (_, each) => `${each}`).toSorted())
  t.strictSame(found[0]?.vector, question('').vector)
  t.notMatch(await redis.cli('--raw', 'LRANGE', `tg:c:v${CACHE_VERSION}:{o}:s:-:g`, '0', '-1'), /visible/)
  for (const key of ['s:-:g', 'g:-'])
    t.ok(Number(await redis.cli('PTTL', `tg:c:v${CACHE_VERSION}:{o}:${key}`)) > 50_000, key)
})

t.test('a change elsewhere is known at the next question, and only what is new is read', async (t) => {
  const { one, two, later } = processes()
  const of = (index: StoredQuestions) => index.questions(group('c', 'changes'), marks())
  t.strictSame(await of(two), [])
  for (let each = 0; each < 3; each++) {
    one.add(group('c', 'changes'), question(`${each}`), 60_000, marks())
    await until(async () => (await length('changes:c')) === each + 1)
    t.strictSame(answers(await of(two)).length, each, 'not within the pause')
    later()
    const many = await Promise.all([of(two), of(two), of(two)])
    for (const found of many) t.equal(found.length, each + 1)
  }
  // More than the newest few: all is read.
  for (let each = 3; each < 20; each++) one.add(group('c', 'changes'), question(`${each}`), 60_000, marks())
  await until(async () => (await length('changes:c')) === 20)
  later()
  t.equal((await of(two)).length, 20)
  two.add(group('c', 'changes'), question('own'), 60_000, marks())
  one.add(group('c', 'changes'), question('0'), 60_000, marks())
  await until(async () => (await length('changes:c')) === 22)
  later()
  const both = answers(await of(two))
  t.equal(new Set(both).size, 21)
  t.equal(both.length, 21, 'each answer once')
})

t.test('more changes than are read at once make every group one that may have changed', async (t) => {
  const { one, two, later } = processes()
  await two.questions(group('g599', 'many'), marks())
  for (let each = 0; each < 600; each++) {
    one.add(group(`g${each}`, 'many'), question('x'), 60_000, marks())
    if (each % 20 === 19) await until(async () => (await length(`many:g${each}`)) === 1)
  }
  later()
  t.strictSame(answers(await two.questions(group('g599', 'many'), marks())), ['x'])
  later()
  t.strictSame(answers(await two.questions(group('g0', 'many'), marks())), ['x'])
})

t.test('what is there at the start is read before anybody asks, within half of the memory', async (t) => {
  const { one, two } = processes()
  const digests = Array.from({ length: 40 }, (_, each) => `h${each}`)
  for (const digest of digests) {
    one.add(group(digest, 'start'), question('x', 1_000), 60_000, marks())
    await until(async () => (await length(`start:${digest}`)) === 1)
  }
  await two.hydrate(scope('start'), async () => marks())
  t.ok(two.bytes > 40_000)
  const { now } = createTestClock()
  const small = new StoredQuestions({ redis: connection, now, maxBytes: 30_000 })
  await small.hydrate(scope('start'), async () => marks())
  t.ok(small.bytes > 14_000 && small.bytes < 17_000, `${small.bytes} bytes`)
  redis.freeze()
  t.strictSame(answers(await two.questions(group('h39', 'start'), marks())), ['x'], 'held')
  redis.thaw()
  await connection.waitUntilReady(5_000)
})

t.test('a purge reaches what is held and what is stored', async (t) => {
  const { one, two, later } = processes()
  one.add(group('p', 'purged'), question('x'), 60_000, marks())
  one.add(group('p', 'other'), question('x'), 60_000, marks())
  await until(async () => (await length('purged:p')) === 1 && (await length('other:p')) === 1)
  t.equal((await two.questions(group('p', 'purged'), marks())).length, 1)
  await purgeCache(connection, { organization: 'o', project: 'purged', virtualKey: undefined })
  t.equal(
    await redis.cli('EXISTS', `tg:c:v${CACHE_VERSION}:{o}:g:purged`, `tg:c:v${CACHE_VERSION}:{o}:s:purged:p`),
    '0\n',
  )
  t.equal(
    await redis.cli('EXISTS', `tg:c:v${CACHE_VERSION}:{o}:g:other`, `tg:c:v${CACHE_VERSION}:{o}:s:other:p`),
    '2\n',
  )
  later()
  for (const index of [one, two]) t.strictSame(await index.questions(group('p', 'purged'), marks(1)), [])
})

t.test('Redis frozen: nobody has asked, and after a few late reads none waits for it', async (t) => {
  const { now, advance } = createTestClock()
  const own = connectRedis(redis.url, { stallMs: 60_000 })
  t.teardown(() => own.close())
  await own.waitUntilReady(5_000)
  const index = new StoredQuestions({ redis: own, now })
  redis.freeze()
  for (let each = 0; each < 3; each++) {
    t.strictSame(await index.questions(group(`f${each}`), marks()), [])
    advance(250)
  }
  t.equal(index.reads?.isOpen, true)
  const before = own.inFlight
  for (let each = 0; each < 3; each++) t.strictSame(await index.questions(group(`f${each}`), marks()), [])
  t.equal(own.inFlight, before, 'nothing was sent')
  t.ok((index.reads?.skipped ?? 0) > 0)
  redis.thaw()
  await until(() => own.inFlight === 0)
  advance(2_000)
  await index.questions(group('f'), marks())
  t.equal(index.reads?.isOpen, false, 'one probe has been answered')
})

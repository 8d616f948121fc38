/** Reading and restoring counters, against what the data plane's own scripts say of them. */
import t from 'tap'
import { counterKey, wholeKey } from '../../../src/domain/quota/counter-keys.ts'
import { planOf, plannedScope } from '../../../src/domain/quota/limits.ts'
import type { Limits } from '../../../src/domain/snapshot/snapshot.ts'
import { CounterStore, spanOf } from '../../../src/operator/usage/counter-store.ts'
import type { CounterCopy, CounterName } from '../../../src/operator/usage/counter-store.ts'
import { RedisQuotaStore } from '../../../src/proxy/stores/redis/redis-quota-store.ts'
import { connectedRedis } from '../../helpers/connected-redis.ts'
import { startCluster, startRedis } from '../../helpers/redis.ts'

const HOUR = 3_600_000
const budget = (window: 'Day' | 'Month' | 'Total', reset: 'Calendar' | 'Rolling') =>
  ({ window, reset, limit: 1_000_000, warnAtPercent: 80, onExceed: 'Block' }) as const
const LIMITS: Limits = {
  budgets: [budget('Month', 'Calendar'), budget('Day', 'Rolling'), budget('Total', 'Calendar')],
  tokenQuotas: [],
  rateLimits: {},
}
const PLAN = planOf('ac/me', [plannedScope('key', 'key/team/a b', LIMITS)])
const NAMES: readonly CounterName[] = LIMITS.budgets.map(({ window, reset }) => ({
  organization: 'ac/me',
  scope: 'key/team/a b',
  window,
  reset,
}))
const NEED = { inputTokens: 10, outputTokens: 5, costMicroUsd: 100, rateTokens: 0 }

t.test('counters as the operator sees them', async (t) => {
  const server = await startRedis()
  const redis = await connectedRedis(t, server)
  const counters = new CounterStore(redis)
  let clock = await counters.now()
  const quotas = new RedisQuotaStore(redis, { now: () => clock })
  let id = 0
  const spend = async (costMicroUsd: number) => {
    const admission = await quotas.admit({ id: `r${id++}`, plan: PLAN, need: NEED })
    if (admission.type === 'refused') return admission.reason
    await quotas.settle(admission.reservation, { costMicroUsd, inputTokens: 10, outputTokens: 5 })
    return 'settled'
  }
  const spent = async () => (await counters.read(NAMES, clock)).map((state) => state?.costMicroUsd)
  const usage = async () => (await quotas.usage(PLAN)).limits.map((limit) => limit.spent)
  t.beforeEach(async () => {
    await server.cli('FLUSHALL')
    clock = await counters.now()
  })

  t.test('are those that the data plane counts, rolling ones too', async (t) => {
    t.strictSame(await spent(), [0, 0, 0])
    await spend(300)
    clock += 5 * HOUR
    await spend(40)
    t.strictSame(await spent(), await usage())
    // The month may have ended in these hours.
    t.match((await counters.read(NAMES, clock))[2], {
      costMicroUsd: 340,
      inputTokens: 20,
      outputTokens: 10,
      requests: 2,
    })
    clock += 20 * HOUR
    const [, day] = await spent()
    t.equal(day, 40, 'the first has dropped out, though nobody has spent since')
    t.equal((await usage())[1], 40)
  })

  t.test('a refusal near the end leaves its mark', async (t) => {
    t.strictSame((await counters.read(NAMES, clock))[0]?.marks, {})
    await spend(999_950)
    t.equal(await spend(1), 'budget')
    t.strictSame((await counters.read(NAMES, clock))[0]?.marks, { cost: { limit: 1_000_000, spent: 999_950 } })
    t.strictSame(await usage(), [999_950, 999_950, 999_950], 'and counts nothing')
  })

  t.test('are restored to what the copies say, once, and never lowered', async (t) => {
    await spend(700)
    await spend(80)
    const copies = await copiesOf(counters, clock)
    await server.cli('FLUSHALL')
    t.strictSame(await counters.wholeSince(['ac/me']), new Map([['ac/me', undefined]]))
    const now = await counters.now()
    t.equal(await counters.restore('ac/me', copies, clock, now), 3)
    t.equal(await counters.restore('ac/me', copies, clock - 1, now), 0, 'a second time changes nothing')
    t.strictSame(await counters.wholeSince(['ac/me']), new Map([['ac/me', clock]]))
    clock = now
    t.strictSame(await usage(), [780, 780, 780])
    t.strictSame(await spent(), [780, 780, 780])
    await spend(20)
    t.equal(await counters.restore('ac/me', copies, clock, now), 0)
    t.strictSame(await usage(), [800, 800, 800])
    for (const key of (await server.cli('KEYS', '*')).trim().split('\n'))
      t.ok(Number(await server.cli('PTTL', key)) > 0, `${key} has an expiry`)
    clock += 25 * HOUR
    t.equal((await usage())[1], 0, 'a rolling window lets go of them in the end')
  })

  t.test('a window that is over is not restored', async (t) => {
    const now = await counters.now()
    const past = { costMicroUsd: 5, inputTokens: 1, outputTokens: 1, requests: 1 }
    const over = NAMES.slice(0, 2).map((name) => ({ ...name, figures: past, startMs: 0, atMs: now - 90 * 24 * HOUR }))
    t.equal(await counters.restore('ac/me', over, now, now), 0)
    t.equal((await server.cli('DBSIZE')).trim(), '1', 'only the mark')
  })

  t.test('many windows take several calls, of which the last says that all is there', async (t) => {
    const now = await counters.now()
    const figures = { costMicroUsd: 5, inputTokens: 1, outputTokens: 1, requests: 1 }
    const copies = Array.from({ length: 300 }, (_unused, index): CounterCopy => {
      const name = { organization: 'ac/me', scope: `key/team/k${index}`, window: 'Total', reset: 'Calendar' } as const
      return { ...name, startMs: 0, atMs: now, figures }
    })
    t.equal(await counters.restore('ac/me', copies, now, now), 300)
    const read = await counters.read(copies, now)
    t.ok(read.every((state) => state?.costMicroUsd === 5))
  })

  t.test('a store that wants whole counters admits nobody without the mark', async (t) => {
    const strict = new RedisQuotaStore(redis, { onlyWhole: true })
    const ask = () => strict.admit({ id: `s${id++}`, plan: PLAN, need: NEED })
    await t.rejects(ask(), { name: 'RedisUnavailableError' })
    await t.rejects(strict.usage(PLAN), { name: 'RedisUnavailableError' })
    t.notOk(await counters.advance('ac/me', 5), 'what is lost is not called whole')
    await counters.restore('ac/me', [], 0, await counters.now())
    t.match(await ask(), { type: 'admitted' })
    t.ok(await counters.advance('ac/me', 5))
    t.equal((await server.cli('GET', wholeKey('ac/me'))).trim(), '5')
  })

  t.test('what a tenant writes in their place neither shows nor hinders', async (t) => {
    const keyOf = (window: 'Total' | 'Month' | 'Day', reset: 'Calendar' | 'Rolling' = 'Calendar') =>
      counterKey('ac/me', 'key/team/a b', { window, reset }, clock)
    await server.cli('SET', keyOf('Total'), 'x')
    await server.cli('HSET', keyOf('Month'), 's1', 'much', 's2', '-7', 's3', '1e300', 'q', 'x')
    await server.cli('HSET', keyOf('Day', 'Rolling'), 's1', '5', 'o', '0', 'z', '999999999999999', 'b0', 'x')
    await server.cli('SADD', wholeKey('ac/me'), 'x')
    await server.cli('EVAL', "redis.call('HSET', KEYS[1], 'x1', string.rep('9', 9000000))", '1', keyOf('Month'))
    const bytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await server.cli('INFO', 'stats'))?.[1])
    const before = await bytes()
    const [month] = await counters.read(NAMES, clock)
    t.ok((await bytes()) - before < 1_000_000, 'a mark that is none is not read')
    t.match(month, { costMicroUsd: 0, inputTokens: 0, requests: 0, marks: {} })
    t.ok(Number.isSafeInteger(month?.outputTokens) && Number(month?.outputTokens) >= 0)
    t.strictSame(await spent(), [0, 5, 0])
    t.strictSame(await counters.wholeSince(['ac/me']), new Map([['ac/me', undefined]]))
    const figures = { costMicroUsd: 90, inputTokens: 1, outputTokens: 1, requests: 1 }
    const copies = NAMES.map((name) => ({ ...name, figures, atMs: clock, startMs: spanOf(name, clock).startMs }))
    t.equal(await counters.restore('ac/me', copies, clock, clock), 3)
    t.strictSame(await spent(), [90, 90, 90])
    t.strictSame(await counters.wholeSince(['ac/me']), new Map([['ac/me', clock]]))
    const now = await counters.now()
    for (const mark of [
      String(now + 26 * HOUR),
      `${now}.5`,
      `0${now}0`,
      'nan',
      'inf',
      '0xffffffffffff',
      '9'.repeat(15),
    ]) {
      await server.cli('SET', wholeKey('ac/me'), mark)
      await counters.restore('ac/me', copies, now - 1, now)
      t.strictSame(await counters.wholeSince(['ac/me']), new Map([['ac/me', now - 1]]), mark)
    }
  })
})

t.test('on a cluster each organization is on one node', async (t) => {
  const cluster = await startCluster()
  const redis = await connectedRedis(t, cluster)
  const counters = new CounterStore(redis)
  const now = await counters.now()
  const organizations = ['one', 'two', 'three', 'four', 'five']
  const figures = { costMicroUsd: 5, inputTokens: 1, outputTokens: 1, requests: 1 }
  const copies = organizations.flatMap((organization) =>
    NAMES.map((name) => ({ ...name, organization, startMs: spanOf(name, now).startMs, atMs: now, figures })),
  )
  for (const name of organizations) {
    const own = copies.filter(({ organization }) => organization === name)
    t.equal(await counters.restore(name, own, now, now), 3)
  }
  t.ok((await counters.read(copies, now)).every((state) => state?.costMicroUsd === 5))
  t.strictSame(
    [...(await counters.wholeSince(organizations)).values()],
    organizations.map(() => now),
  )
})

async function copiesOf(counters: CounterStore, nowMs: number): Promise<CounterCopy[]> {
  const states = await counters.read(NAMES, nowMs)
  return states.flatMap((figures, index) => {
    const name = NAMES[index]
    return name === undefined || figures === undefined
      ? []
      : [{ ...name, figures, atMs: nowMs, startMs: spanOf(name, nowMs).startMs }]
  })
}

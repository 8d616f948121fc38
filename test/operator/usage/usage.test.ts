/** Scenarios 7 and 14 of the operator's tests: usage in statuses, spent budgets, lost counters, on a real API server and Redis. */
import t from 'tap'
import { asArray, asObject } from '../../../src/domain/json.ts'
import { counterKey } from '../../../src/domain/quota/counter-keys.ts'
import type { QuotaWindow } from '../../../src/domain/quota/windows.ts'
import { ORGANIZATIONS, VIRTUAL_KEYS } from '../../../src/operator/kube/resource.ts'
import { DAY_MS, farFromEdge } from '../../helpers/clock.ts'
import { organization, startWorld, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const MONTH = { window: 'Month', limitUSD: '10' }

t.test('budgets and their usage', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { redis, plane } = world
  // Counters have the day in their names.
  await farFromEdge(DAY_MS, 300_000)
  const counter = (scope: string, window: QuotaWindow, reset: 'Calendar' | 'Rolling' = 'Calendar') =>
    counterKey('acme', scope, { window, reset }, Date.now())
  const spend = (scope: string, window: QuotaWindow, microUsd: number) =>
    redis.cli('HSET', counter(scope, window), 's1', `${microUsd}`, 's2', '100', 's3', '50', 'q', '3')
  const status = async (name: string) => asObject((await world.read(VIRTUAL_KEYS, 'team', name))?.['status'])
  const usageOf = async (name: string) => asArray((await status(name))?.['usage']).map(asObject)
  const web = { name: 'web', budgets: [{ window: 'Day', limitUSD: '2' }] }
  await world.apply(
    organization({ budgets: [{ window: 'Week', limitUSD: '100' }], projects: [web, { name: 'other' }] }),
  )
  await world.apply(
    virtualKey('team', 'own', { budgets: [MONTH, { window: 'Hour', limitUSD: '1', reset: 'Rolling' }] }),
    virtualKey('team', 'webby', { project: 'web' }),
    virtualKey('team', 'free', { project: 'other' }),
  )
  const operator = await world.startOperator()
  for (const name of ['own', 'webby', 'free']) await world.reaches(`team/${name}`, 'Ready', 'True Ready')

  t.test('7: what is spent shows in the status, once a minute at most', async (t) => {
    await spend('key/team/own', 'Month', 2_500_000)
    await until(async () => (await usageOf('own')).length > 0)
    t.match(await usageOf('own'), [
      {
        window: 'Month',
        reset: 'Calendar',
        spentUSD: '2.500000',
        remainingUSD: '7.500000',
        inputTokens: 100,
        outputTokens: 50,
        requests: 3,
      },
      { window: 'Hour', reset: 'Rolling', spentUSD: '0.000000', remainingUSD: '1.000000' },
    ])
    t.match((await usageOf('own'))[0]?.['windowEnd'], /^\d{4}-\d\d-01T00:00:00Z$/)
    t.match((await status('own'))?.['conditions'], [{ type: 'Accepted' }], 'beside the conditions')
    const written = await operator.metric('tollgate_usage_writes_total')
    await spend('key/team/own', 'Month', 5_000_000)
    await until(async () => (await operator.metric('tollgate_usage_writes_total')) === written)
    t.equal((await usageOf('own'))[0]?.['spentUSD'], '2.500000')
  })

  t.test('7: a spent project is said of all its keys and of no other, until the next window', async (t) => {
    await spend('project/web', 'Day', 2_000_000)
    await world.reaches('team/webby', 'QuotaAvailable', 'False ProjectBudgetExceeded')
    t.equal(await world.condition(VIRTUAL_KEYS, 'team', 'webby', 'Ready'), 'False ProjectBudgetExceeded')
    t.equal(await world.condition(VIRTUAL_KEYS, 'team', 'own', 'QuotaAvailable'), 'True QuotaAvailable')
    const told = async () => asObject((await world.read(ORGANIZATIONS, undefined, 'acme'))?.['status'])
    await until(async () => JSON.stringify((await told())?.['projects']).includes('"exhausted":true'))
    t.match((await told())?.['projects'], [
      { name: 'web', keyCount: 1 },
      { name: 'other', exhausted: false },
    ])
    t.equal(await world.condition(ORGANIZATIONS, undefined, 'acme', 'QuotaAvailable'), 'True QuotaAvailable')
    // As a new day: what was counted belongs to another window.
    await redis.cli('RENAME', counter('project/web', 'Day'), `${counter('project/web', 'Day')}0`)
    await world.reaches('team/webby', 'Ready', 'True Ready')
  })

  t.test('7: a budget that pays for no request any more is spent, though something is left', async () => {
    await spend('organization', 'Week', 99_900_000)
    await world.reaches('team/free', 'QuotaAvailable', 'True QuotaAvailable')
    await redis.cli('HSET', counter('organization', 'Week'), 'x1', '100000000:99900000')
    await world.reaches('team/free', 'QuotaAvailable', 'False OrganizationBudgetExceeded')
    await until(
      async () =>
        (await world.condition(ORGANIZATIONS, undefined, 'acme', 'Ready')) === 'False OrganizationBudgetExceeded',
    )
    await world.apply(
      organization({ budgets: [{ window: 'Week', limitUSD: '200' }], projects: [web, { name: 'other' }] }),
    )
    await world.reaches('team/free', 'Ready', 'True Ready')
  })

  t.test('24: while nobody spends anything, nothing is written', async (t) => {
    const commands = async () => {
      const stats = await redis.cli('INFO', 'commandstats')
      const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
      const writes = ['set', 'hset', 'hincrby', 'hdel', 'del', 'pexpire', 'publish', 'srem'].map(calls)
      return { looks: calls('time'), writes }
    }
    const statuses = async () => [
      await operator.metric('tollgate_status_writes_total'),
      await operator.metric('tollgate_usage_writes_total'),
    ]
    // The write that the last test has brought about may still be to come.
    await until(async () => {
      const [told, { looks }] = [await statuses(), await commands()]
      await until(async () => (await commands()).looks >= looks + 3)
      return JSON.stringify(told) === JSON.stringify(await statuses())
    })
    const [told, before] = [await statuses(), await commands()]
    await until(async () => (await commands()).looks >= before.looks + 8)
    t.strictSame((await commands()).writes, before.writes, 'in Redis')
    t.strictSame(await statuses(), told, 'in the cluster')
  })

  t.test('14: after a flush the counters are at least what was known, and the configuration is there', async (t) => {
    await spend('key/team/own', 'Month', 9_000_000)
    // Read by the operator, though not written to the status yet.
    await spend('project/web', 'Day', 2_000_000)
    await world.reaches('team/webby', 'QuotaAvailable', 'False ProjectBudgetExceeded')
    await redis.cli('FLUSHALL')
    await until(async () => (await redis.cli('EXISTS', 'tg:q:{acme}:whole')).trim() === '1')
    t.equal((await redis.cli('HGET', counter('key/team/own', 'Month'), 's1')).trim(), '9000000')
    t.equal((await redis.cli('HGET', counter('key/team/own', 'Month'), 'q')).trim(), '3')
    t.equal((await redis.cli('HGET', counter('project/web', 'Day'), 's1')).trim(), '2000000')
    t.ok(Number(await redis.cli('PTTL', counter('project/web', 'Day'))) > 0)
    await until(async () => (await world.published('team/own')) !== undefined)
    await until(async () => (await plane.kubectl('get', 'events', '-A')).includes('CountersRestored'))
    t.ok(Number(await operator.metric('tollgate_counters_restored_total')) >= 2)
    t.equal(await world.condition(VIRTUAL_KEYS, 'team', 'webby', 'QuotaAvailable'), 'False ProjectBudgetExceeded')
  })

  t.test('14: so they are when Redis dies and comes back empty', async (t) => {
    await redis.kill()
    await redis.restart()
    await until(async () => (await redis.cli('EXISTS', 'tg:q:{acme}:whole')).trim() === '1', 40_000)
    t.equal((await redis.cli('HGET', counter('key/team/own', 'Month'), 's1')).trim(), '9000000')
    await until(async () => (await world.published('team/own')) !== undefined)
  })

  t.test('14: an operator that starts on an empty Redis restores what the statuses say', async (t) => {
    await operator.end('SIGTERM')
    // What the minute would have brought.
    const [month, ...others] = await usageOf('own')
    const usage = [{ ...month, spentUSD: '9.000000' }, ...others]
    const patch = JSON.stringify({ status: { usage } })
    await plane.kubectl('patch', 'vk', 'own', '-n', 'team', '--subresource=status', '--type=merge', '-p', patch)
    await redis.cli('FLUSHALL')
    await redis.cli('HSET', counter('organization', 'Week'), 's1', '150000000')
    const next = await world.startOperator()
    await until(async () => (await world.published('team/own')) !== undefined)
    t.equal((await redis.cli('HGET', counter('key/team/own', 'Month'), 's1')).trim(), '9000000')
    t.equal((await redis.cli('HGET', counter('organization', 'Week'), 's1')).trim(), '150000000', 'never lowered')
    // An older copy of Redis' data, with a mark of its time.
    await until(async () => Number(await redis.cli('GET', 'tg:q:{acme}:whole')) > 0)
    await redis.cli('HSET', counter('key/team/own', 'Month'), 's1', '1')
    await redis.cli('SET', 'tg:q:{acme}:whole', '1000')
    await until(async () => Number(await redis.cli('HGET', counter('key/team/own', 'Month'), 's1')) >= 9_000_000)
    await next.end('SIGTERM')
  })
})

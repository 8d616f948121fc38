/** `x-llm-billing: async` with real processes: what comes after the answer is not lost, and not free. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import {
  aMinuteLater,
  COST,
  keyText,
  metric,
  organization,
  planOfKey,
  PRICED,
  send,
  type Usage,
  usageOf,
  WHOLE,
} from '../helpers/quota-traffic.ts'
import { startRedis, until } from '../helpers/redis.ts'

t.test('billing async: settled after the answer, flushed on SIGTERM, charged at the bound after SIGKILL', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const key = (name: string) =>
    virtualKey({
      name,
      key: keyText(name),
      spec: '  privileges: { asyncBilling: true }\n  budgets: [{ window: Total, limitUSD: "1" }]',
    })
  const manifests = {
    'all.yaml': yaml(
      organization('default'),
      provider({ name: 'p', url: upstream.url, models: PRICED }),
      key('flushed'),
      key('killed'),
    ),
  }
  const start = () => startGateway(t, { manifests, args: ['--redis', redis.url] })
  const [one, two] = await Promise.all([start(), start()])
  const later = { headers: { 'x-llm-billing': 'async' } }

  upstream.otherwise(WHOLE)
  t.equal(await send(one, 'flushed', {}, later), 'ok')
  await until(async () => (await usageOf(two, 'flushed')).limits[0]?.spent === '0.000300')
  t.match(await one.line((line) => line['type'] === 'audit'), { policy: { billing: 'async' }, costMicroUsd: COST })

  // Redis is away when the answers end: they end all the same, and what is owed shows.
  let freeze = true
  upstream.otherwise(async (exchange) => {
    if (freeze) redis.freeze()
    freeze = false
    await WHOLE(exchange)
  })
  t.equal(await send(one, 'flushed', {}, later), 'ok')
  await until(async () => (await metric(one, 'tollgate_pending_settlements')) === 1)
  await until(async () => (await metric(one, 'tollgate_settlement_lag_seconds')) > 0.1)
  one.process.kill('SIGTERM')
  const exited = once(one.process, 'exit')
  await sleep(300)
  redis.thaw()
  t.strictSame(await exited, [0, null])
  t.match((await usageOf(two, 'flushed')).limits, [{ spent: '0.000600', reserved: '0.000000' }])
  const audits = await redis.cli('XLEN', 'tg:audit:{default}')
  t.equal(audits.trim(), '2', 'the audit was flushed as well')

  // Killed right after the answer: the settlement has left, or the reservation stays and is charged at its bound.
  const three = await start()
  freeze = true
  t.equal(await send(three, 'killed', {}, later), 'ok')
  three.process.kill('SIGKILL')
  await once(three.process, 'exit')
  redis.thaw()
  let usage: Usage | undefined
  await until(async () => {
    usage = await usageOf(two, 'killed').catch(() => undefined)
    return usage !== undefined
  })
  const charged = Number(usage?.limits[0]?.spent) + Number(usage?.limits[0]?.reserved)
  t.ok(charged >= COST / 1e6, `${charged} are spent or reserved`)
  const plan = planOfKey('killed', { budgets: [{ window: 'Total', limit: 1_000_000 }] })
  t.match((await (await aMinuteLater(t, redis)).usage(plan)).limits, [
    { spent: Math.round(charged * 1e6), reserved: 0 },
  ])
  t.match((await usageOf(two, 'killed')).limits, [{ reserved: '0.000000' }])
})

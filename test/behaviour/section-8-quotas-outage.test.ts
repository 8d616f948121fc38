/** DESIGN section 8 with real processes: a Redis that freezes, dies, comes back, or is not there yet. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { delayed } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'
import { COST, counted, keyText, metric, organization, PRICED, send, usageOf, WHOLE } from '../helpers/quota-traffic.ts'
import { startRedis, until } from '../helpers/redis.ts'

t.test('a Redis that is frozen under load, beyond the grace: every request ends, everything is settled', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(delayed(10, WHOLE))
  const key = (name: string) =>
    virtualKey({
      name,
      key: keyText(name),
      spec: `  organizationRef: { name: ${name} }\n  budgets: [{ window: Total, limitUSD: "20" }]`,
    })
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        organization('closed'),
        organization('open', '  compliance: { quotaFailure: Open }'),
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        key('closed'),
        key('open'),
      ),
    },
    args: ['--redis', redis.url],
  })
  const outcomes: Record<string, string[]> = { closed: [], open: [] }
  let load = true
  const worker = async (name: string) => {
    while (load) {
      outcomes[name]?.push(await send(gateway, name, outcomes[name].length % 2 === 0 ? {} : { max_tokens: 100 }))
      await sleep(60)
    }
  }
  const workers = ['closed', 'closed', 'open', 'open'].map((name) => worker(name))
  await until(() => Object.values(outcomes).every((list) => list.length > 5))
  redis.freeze()
  const lastOf = (name: string) => outcomes[name]?.at(-1)
  await until(() => lastOf('closed') === '503 quota_backend_unavailable', 60_000)
  const beforeEnd = outcomes['open']?.length ?? 0
  await until(() => (outcomes['open']?.length ?? 0) > beforeEnd + 5)
  t.equal(lastOf('open'), 'ok', 'the organization that stays open is served')
  t.ok((await metric(gateway, 'tollgate_pending_settlements')) > 0)
  t.equal(await metric(gateway, 'tollgate_quota_store_unavailable'), 2)
  redis.thaw()
  await until(() => lastOf('closed') === 'ok')
  load = false
  await Promise.all(workers)
  await until(async () => (await metric(gateway, 'tollgate_pending_settlements')) === 0)
  for (const [name, list] of Object.entries(outcomes)) {
    const counts = counted(list)
    t.comment(name, counts)
    const { ok: served = 0, '503 quota_backend_unavailable': refused = 0 } = counts
    t.equal(served + refused, list.length, JSON.stringify(counts))
    if (name === 'open') t.equal(refused, 0)
    const [limit] = (await usageOf(gateway, name)).limits
    t.equal(Math.round(Number(limit?.spent) * 1e6), served * COST, `${name}: what was served is spent, once`)
    t.equal(limit?.reserved, '0.000000')
  }
})

/** A gateway with a key `one` that has a budget in a Redis of its own. */
async function withBudget(t: Test, answer: Behaviour) {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(answer)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ key: keyText('one'), spec: '  budgets: [{ window: Total, limitUSD: "20" }]' }),
      ),
    },
    args: ['--redis', redis.url],
  })
  return { redis, gateway }
}

t.test('a Redis that is killed and comes back empty: no request fails, and counting goes on', async (t) => {
  const { redis, gateway } = await withBudget(t, delayed(20, WHOLE))
  const outcomes: string[] = []
  let load = true
  const worker = async () => {
    while (load) outcomes.push(await send(gateway, 'one'))
  }
  const workers = [worker(), worker(), worker()]
  await until(() => outcomes.length > 10)
  await redis.kill()
  const atKill = outcomes.length
  await until(() => outcomes.length > atKill + 20)
  await redis.restart()
  const isBack = await gateway.line((line) => line['msg'] === 'quota store is back')
  t.ok(isBack)
  const atRestart = outcomes.length
  await until(() => outcomes.length > atRestart + 10)
  load = false
  await Promise.all(workers)
  await until(async () => (await metric(gateway, 'tollgate_pending_settlements')) === 0)
  t.strictSame(counted(outcomes), { ok: outcomes.length })
  const [limit] = (await usageOf(gateway, 'one')).limits
  const spent = Math.round(Number(limit?.spent) * 1e6)
  t.equal(limit?.reserved, '0.000000')
  t.ok(spent >= (outcomes.length - atKill - 3) * COST, 'all that ended after Redis was lost is counted')
  t.ok(spent <= outcomes.length * COST, 'nothing twice')
})

t.test('a gateway that ends while Redis is away says what never reached it', async (t) => {
  const { redis, gateway } = await withBudget(t, WHOLE)
  await until(async () => (await send(gateway, 'one')) === 'ok')
  await until(async () => (await metric(gateway, 'tollgate_pending_settlements')) === 0)
  await until(async () => (await metric(gateway, 'tollgate_audit_pending_records')) === 0)
  await redis.kill()
  t.same([await send(gateway, 'one'), await send(gateway, 'one')], ['ok', 'ok'])
  gateway.process.kill('SIGTERM')
  await once(gateway.process, 'close')
  const [told, stopped] = gateway.lines.slice(-2)
  t.match(told, { level: 'warn', chargedAtBound: 0, uncharged: 2, auditRecordsOnStdoutOnly: 2 })
  t.match(stopped, { msg: 'stopped' })
})

t.test('ready when Redis has been reached, or after a while without it', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(WHOLE)
  const manifests = {
    'all.yaml': yaml(
      provider({ name: 'p', url: upstream.url, models: PRICED }),
      virtualKey({ key: keyText('one'), spec: '  budgets: [{ window: Total, limitUSD: "20" }]' }),
    ),
  }
  redis.freeze()
  const waits = await startGateway(t, { manifests, args: ['--redis', redis.url] })
  const isReady = async (gateway: Gateway) => (await fetch(`${gateway.admin}/readyz`)).status === 200
  const waiting = await fetch(`${waits.admin}/readyz`)
  t.strictSame([waiting.status, await waiting.text()], [503, 'not ready: Redis has not been reached yet\n'])
  t.equal(await send(waits, 'one'), '503 quota_backend_unavailable', 'a limit that was never seen has no lease')
  redis.thaw()
  await until(() => isReady(waits))
  // The refusal above began an outage, which the next probe ends.
  await until(async () => (await send(waits, 'one')) === 'ok')
  await redis.kill()
  const without = await startGateway(t, { manifests, args: ['--redis', redis.url] })
  t.notOk(await isReady(without))
  await until(() => isReady(without), 30_000)
})

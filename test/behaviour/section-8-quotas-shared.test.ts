/**
 * DESIGN section 8 with real processes: two gateways on one Redis, clients that leave, gateways that are killed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { delayed, inTurn, stallAfter, stream } from '../helpers/behaviours.ts'
import { DAY_MS, farFromEdge } from '../helpers/clock.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import {
  aMinuteLater,
  COST,
  counted,
  keyText,
  planOfKey,
  PRICED,
  send,
  STREAMED,
  usageOf,
  WHOLE,
} from '../helpers/quota-traffic.ts'
import { startRedis, until } from '../helpers/redis.ts'

t.test('two gateways, 200 requests at once on a budget for 10, clients leaving, one gateway killed', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const windows = ['Total', 'Day', 'Hour'] as const
  const LIMIT = 10 * COST
  const keys = windows.map((window) =>
    virtualKey({
      name: window.toLowerCase(),
      key: keyText(window.toLowerCase()),
      spec: `  budgets: [{ window: ${window}, limitUSD: "0.003", reset: ${window === 'Hour' ? 'Rolling' : 'Calendar'} }]\n  rateLimits: { maxConcurrent: 500 }`,
    }),
  )
  const slow = provider({
    name: 'p',
    url: upstream.url,
    models: PRICED,
    spec: '  timeouts: { firstByte: 3s, streamIdle: 1s }',
  })
  const manifests = { 'all.yaml': yaml(slow, ...keys) }
  const start = () => startGateway(t, { manifests, args: ['--redis', redis.url] })
  const stays = await start()
  for (const window of windows) {
    // It looks a minute ahead.
    await farFromEdge(DAY_MS, 120_000)
    const key = window.toLowerCase()
    const dies = await start()
    const before = upstream.requests.length
    const streamed = inTurn(
      delayed(30, stallAfter(STREAMED.slice(0, 3))),
      delayed(30, stallAfter(STREAMED.slice(0, 2))),
      delayed(20, stream(STREAMED, { pauseMs: 5 })),
    )
    const whole = delayed(40, WHOLE)
    upstream.otherwise((exchange) => (exchange.request.json?.['stream'] === true ? streamed : whole)(exchange))
    const outcomes = Array.from({ length: 200 }, (_, index) =>
      send(
        index % 2 === 0 ? dies : stays,
        key,
        index % 3 === 0 ? { stream: true } : {},
        index % 4 === 0 ? { leaveAfterMs: 150 + (index % 7) * 20 } : {},
      ),
    )
    await upstream.received(before + 3)
    await sleep(20)
    dies.process.kill('SIGKILL')
    const ended = counted(await Promise.all(outcomes))
    t.comment(window, ended)
    t.notOk(ended['HANGS'], 'no request hangs')
    const failed = Object.keys(ended).filter((outcome) => outcome.startsWith('5'))
    // Where the machine is too busy for Redis to answer in time, refusing is right; nothing else is.
    t.strictSame(
      failed.filter((outcome) => outcome !== '503 quota_backend_unavailable'),
      [],
    )
    // What the killed gateway held is charged at its bound by whoever comes a minute later.
    const plan = planOfKey(key, {
      budgets: [{ window, limit: LIMIT, reset: window === 'Hour' ? 'Rolling' : 'Calendar' }],
      rateLimits: { maxConcurrent: 500 },
    })
    const later = await aMinuteLater(t, redis)
    let report = await later.usage(plan)
    // What the other still settles then replaces a bound: they may differ until it has.
    await until(async () => {
      const { limits } = await usageOf(stays, key)
      report = await later.usage(plan)
      return Math.round(Number(limits[0]?.spent) * 1e6) === report.limits[0]?.spent
    })
    const [limit] = report.limits
    t.ok(limit !== undefined && limit.spent <= LIMIT, `${limit?.spent} of ${LIMIT} are spent`)
    t.ok(limit !== undefined && limit.spent >= (ended['ok'] ?? 0) * COST, 'every whole answer is paid for')
    t.equal(limit?.reserved, 0, 'nothing is locked')
    t.match(report.rateLimits, [{ concurrent: { open: 0 } }])
    t.match(await usageOf(stays, key), {
      limits: [{ scope: 'key', window, reserved: '0.000000' }],
      rate_limits: [{ concurrent: { open: 0 } }],
    })
    // What is left can be spent.
    upstream.otherwise(WHOLE)
    const left = LIMIT - (limit?.spent ?? 0)
    const further = []
    for (let call = 0; call < 11; call++) further.push(await send(stays, key))
    t.notOk(
      further.some((outcome) => outcome.includes('budget_reserved')),
      'what is left is not locked',
    )
    if (left >= 400) t.equal(further[0], 'ok')
    t.equal(further.at(-1), '429 budget_exceeded')
  }
  t.equal((await redis.cli('EXISTS', 'tg:q:{default}:open')).trim(), '0')
})

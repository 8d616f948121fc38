import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { connectRedis } from '../../../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../../../src/proxy/stores/redis/redis-quota-store.ts'
import { KILL_TEST_PLAN } from '../../../helpers/quota.ts'
import { startRedis } from '../../../helpers/redis.ts'

const CLIENT = fileURLToPath(new URL('../../../helpers/quota-client.ts', import.meta.url))

t.test(
  'two processes with 200 requests on a budget for 10, killed in flight: never overspent, nothing locked',
  async (t) => {
    const server = await startRedis()
    t.teardown(() => server.stop())
    const redis = connectRedis(server.url, { callTimeoutMs: 20_000 })
    t.teardown(() => redis.close())
    t.ok(await redis.waitUntilReady(20_000))
    let settled = 0
    let open = 0
    for (const round of [1, 2, 3]) {
      const reports = await Promise.all([
        runAndKill(server.url, `a${round}`, 100),
        runAndKill(server.url, `b${round}`, 100),
      ])
      settled += reports.reduce((sum, report) => sum + report.settled, 0)
      open += reports.reduce((sum, report) => sum + report.open, 0)
      t.match(await new RedisQuotaStore(redis).usage(KILL_TEST_PLAN), {
        limits: [{ spent: settled, reserved: open * 100 }, {}],
      })
      t.ok(settled + open * 100 <= 1_000, `round ${round}: ${settled} settled, ${open} open`)
    }
    t.ok(open > 0, 'some were killed in flight')
    // A minute later, whoever comes next charges what the killed left behind.
    const later = new RedisQuotaStore(redis, { now: () => Date.now() + 61_000 })
    const report = await later.usage(KILL_TEST_PLAN)
    for (const limit of report.limits) t.match(limit, { spent: settled + open * 100, reserved: 0 })
    t.match(report.rateLimits, [{ concurrent: { open: 0 } }, {}])
    t.match((await server.cli('KEYS', 'tg:q:{kill}:open')).trim(), '', 'no reservation is left')
  },
)

async function runAndKill(url: string, name: string, count: number): Promise<{ settled: number; open: number }> {
  const child = fork(CLIENT, [url, name, String(count)], { execArgv: [] })
  const [report] = (await once(child, 'message')) as [{ settled: number; open: number }]
  child.kill('SIGKILL')
  await once(child, 'exit')
  return report
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createMetrics } from '../../../src/proxy/telemetry/metrics.ts'
import { endedRequests } from '../../helpers/ended-requests.ts'

/** Written by prom-client for the same requests. */
const GOLDEN = join(import.meta.dirname, '..', '..', 'fixtures', 'telemetry', 'metrics.txt')

const FIGURES = {
  pendingSettlements: 3,
  settlementLagMs: 120,
  droppedSettlements: 1,
  quotaStoresUnavailable: 2,
  pendingAuditRecords: 4,
  droppedAuditRecords: 5,
  cacheReadsSkipped: 6,
  cacheStoreSlow: true,
}

t.test('the page keeps its names, labels, buckets and order', async (t) => {
  const metrics = createMetrics()
  metrics.configurationLoaded(true, Date.UTC(2026, 0, 31, 8, 0, 0, 123))
  metrics.configurationLoaded(false, Date.UTC(2026, 0, 31, 8, 0, 0, 999))
  metrics.watchStaleness(() => 2_500)
  metrics.watchStores(() => FIGURES)
  for (const { record, outcome, endedAtMs } of endedRequests()) metrics.requestEnded(record, outcome, endedAtMs)
  const page = await metrics.page()
  t.equal(page.contentType, 'text/plain; version=0.0.4; charset=utf-8')
  const expected = readFileSync(GOLDEN, 'utf8').split('\n')
  const lines = page.text.split('\n')
  t.equal(lines.length, expected.length)
  lines.forEach((line, index) => line === expected[index] || t.equal(line, expected[index]))
  t.equal((await metrics.page()).text, page.text, 'asked again, it says the same')
})

t.test("the process's own figures are read each time, and what the system does not tell is left out", async (t) => {
  const metrics = createMetrics()
  let user = 1_500_000
  metrics.watchProcess({
    startedAtMs: Date.UTC(2026, 0, 31),
    maxOpenFiles: undefined,
    openFiles: () => 12,
    cpu: () => ({ user, system: 250_000 }),
    memory: () => ({ rss: 100_000_000, heapUsed: 10, heapTotal: 20, external: 30 }),
  })
  await metrics.page()
  user = 2_500_000
  const { text } = await metrics.page()
  t.match(text, /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 2.75$/m)
  t.match(text, /^process_cpu_user_seconds_total 2.5$/m)
  t.match(text, /^process_resident_memory_bytes 100000000$/m)
  t.match(text, /^process_start_time_seconds 1769817600$/m)
  t.match(text, /^process_open_fds 12$/m)
  t.notMatch(text, 'process_max_fds')
})

t.test('a provider is down or not, and is told of as long as it is declared', async (t) => {
  const metrics = createMetrics()
  let providers = new Map([
    ['one', true],
    ['two', false],
  ])
  metrics.watchProviders(() => providers)
  const down = async () => (await metrics.page()).text.match(/^tollgate_provider_down.*$/gm)
  t.strictSame(await down(), ['tollgate_provider_down{provider="one"} 1', 'tollgate_provider_down{provider="two"} 0'])
  providers = new Map([['two', false]])
  t.strictSame(await down(), ['tollgate_provider_down{provider="two"} 0'])
})

t.test('what is watched is read each time that the page is asked for', async (t) => {
  const metrics = createMetrics()
  let staleMs = 1_000
  metrics.watchStaleness(() => staleMs)
  t.match((await metrics.page()).text, /^tollgate_config_stale_seconds 1$/m)
  staleMs = Infinity
  t.match((await metrics.page()).text, /^tollgate_config_stale_seconds \+Inf$/m)
})

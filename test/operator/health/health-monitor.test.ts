import t from 'tap'
import { HealthMonitor } from '../../../src/operator/health/health-monitor.ts'
import type { ProbeResult } from '../../../src/operator/health/probe-record.ts'
import type { ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { providerEntry } from '../../helpers/snapshots.ts'
import { ManualTiming } from '../kube/manual-timing.ts'
import { recordedLog } from '../kube/recorded-log.ts'

const ACTIVE = {
  mode: 'Active',
  intervalMs: 1_000,
  timeoutMs: 500,
  unhealthyThreshold: 3,
  healthyThreshold: 1,
} as const

function started(entry: Partial<ProviderEntry> = {}) {
  const timing = new ManualTiming()
  const shown: string[] = []
  let next: ProbeResult = { type: 'answer', status: 200, latencyMs: 5 }
  const monitor = new HealthMonitor({
    prober: { probe: async () => next, retain: () => undefined },
    timing,
    log: recordedLog(),
    onChanged: (name) => shown.push(`${name} ${monitor.healthOf(name)?.status} ${monitor.healthOf(name)?.reason}`),
  })
  const provider = { ...providerEntry('p', 'http://127.0.0.1:1'), healthCheck: ACTIVE, ...entry }
  monitor.use([provider], new Map())
  return { timing, monitor, provider, shown, answer: (result: ProbeResult) => void (next = result) }
}

t.test('is down after as many failures as the threshold, and up again after a success', async (t) => {
  const { timing, monitor, shown, answer } = started()
  t.equal(monitor.healthOf('p'), undefined, 'nothing is known yet')
  await timing.advance(100)
  t.strictSame(shown, ['p True Healthy'])
  answer({ type: 'answer', status: 500, latencyMs: 3 })
  await timing.advance(9_000)
  t.strictSame(shown, ['p True Healthy'], 'the last change was less than ten seconds ago')
  await timing.advance(1_000)
  t.strictSame(shown, ['p True Healthy', 'p False ProbeFailed'])
  t.match(monitor.healthOf('p'), {
    message: 'checks of the operator fail: it answered 500',
    details: { state: 'Down', errorPercent: /\d+/ },
  })
  t.equal(monitor.unhealthy, 1)
  answer({ type: 'answer', status: 404, latencyMs: 3 })
  await timing.advance(11_000)
  t.equal(shown.at(-1), 'p True Healthy')
})

t.test('one that flaps is shown to change once in ten seconds at most', async (t) => {
  const { timing, shown, answer } = started({ healthCheck: { ...ACTIVE, unhealthyThreshold: 1 } })
  for (let second = 0; second < 100; second++) {
    answer(second % 2 === 0 ? { type: 'answer', status: 200, latencyMs: 1 } : { type: 'no-answer', reason: 'timeout' })
    await timing.advance(1_000)
  }
  t.ok(shown.length <= 11, `${shown.length} changes in 100 seconds`)
  t.ok(shown.length >= 2)
})

t.test('an open circuit counts where half of the sidecars report it', async (t) => {
  const { timing, monitor, provider, shown } = started({ healthCheck: { ...ACTIVE, mode: 'Passive' } })
  t.strictSame(shown, [], 'what a former leader said holds until there is a report')
  monitor.report(new Map())
  t.strictSame(shown, ['p True NoFailureReported'])
  await timing.advance(20_000)
  monitor.report(new Map([['p', { open: 1, sidecars: 3 }]]))
  t.equal(shown.at(-1), 'p True CircuitOpenInPart')
  await timing.advance(20_000)
  monitor.report(new Map([['p', { open: 2, sidecars: 3 }]]))
  t.equal(shown.at(-1), 'p False CircuitOpen')
  monitor.use([{ ...provider, priority: 7 }], new Map())
  t.equal(monitor.healthOf('p')?.reason, 'CircuitOpen', 'kept where the checks are the same')
  await timing.advance(20_000)
  monitor.report(new Map())
  t.equal(shown.at(-1), 'p True NoFailureReported')
  monitor.use([{ ...provider, enabled: false }], new Map())
  await timing.advance(20_000)
  t.equal(shown.at(-1), 'p Unknown NotChecked')
  monitor.use([], new Map())
  t.equal(monitor.healthOf('p'), undefined)
  t.equal(timing.timers, 0, 'and is left alone when it is gone')
})

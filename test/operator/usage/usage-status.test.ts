import t from 'tap'
import { plannedScope } from '../../../src/domain/quota/limits.ts'
import type { Limits } from '../../../src/domain/snapshot/snapshot.ts'
import type { CounterFigures } from '../../../src/operator/usage/counter-store.ts'
import { spanOf } from '../../../src/operator/usage/counter-store.ts'
import { hasMoved, parseUsage, renderUsage } from '../../../src/operator/usage/usage-status.ts'
import type { WindowUsage } from '../../../src/operator/usage/usage-status.ts'

const NOW = Date.UTC(2026, 0, 15, 12, 30)
const NOTHING: CounterFigures = { costMicroUsd: 0, inputTokens: 0, outputTokens: 0, requests: 0 }
const LIMITS: Limits = {
  budgets: [
    { window: 'Month', limit: 10_000_000, reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' },
    { window: 'Day', limit: 1_000_000, reset: 'Rolling', warnAtPercent: 80, onExceed: 'Warn' },
  ],
  tokenQuotas: [
    { window: 'Month', kind: 'Input', limit: 1_000, reset: 'Calendar', onExceed: 'Block' },
    { window: 'Month', kind: 'Total', limit: 1_100, reset: 'Calendar', onExceed: 'Block' },
    { window: 'Total', kind: 'Output', limit: 5_000, reset: 'Calendar', onExceed: 'Block' },
  ],
  rateLimits: {},
}

/** The same figures in each window. */
function usagesOf(figures: Partial<CounterFigures>, limits = LIMITS, nowMs = NOW): WindowUsage[] {
  const { windows } = plannedScope('key', 'key/a/b', limits)
  return windows.map((window) => ({ window, figures: { ...NOTHING, ...figures }, ...spanOf(window, nowMs) }))
}

t.test('tells of each window', async (t) => {
  const usages = usagesOf({ costMicroUsd: 1_500_000, inputTokens: 400, outputTokens: 300, requests: 7 })
  const tokens = { inputTokens: 400, outputTokens: 300 }
  t.strictSame(renderUsage(usages), [
    {
      window: 'Month',
      reset: 'Calendar',
      windowStart: '2026-01-01T00:00:00Z',
      windowEnd: '2026-02-01T00:00:00Z',
      spentUSD: '1.500000',
      remainingUSD: '8.500000',
      ...tokens,
      remainingTokens: 400,
      requests: 7,
    },
    {
      window: 'Day',
      reset: 'Rolling',
      windowStart: '2026-01-14T12:24:00Z',
      spentUSD: '1.500000',
      remainingUSD: '0.000000',
      ...tokens,
    },
    { window: 'Total', reset: 'Calendar', spentUSD: '1.500000', ...tokens, remainingTokens: 4_700, requests: 7 },
  ])
})

t.test('reads back what it wrote, and nothing of what it did not', async (t) => {
  const usages = usagesOf({ costMicroUsd: 123_456_789, inputTokens: 1, outputTokens: 2, requests: 3 })
  const read = parseUsage(renderUsage(usages))
  t.strictSame(
    read.map(({ window, reset, startMs, figures }) => ({ window, reset, startMs, figures })),
    usages.map(({ window, startMs, figures }) => ({
      window: window.window,
      reset: window.reset,
      startMs,
      figures: window.reset === 'Rolling' ? { ...figures, requests: 0 } : figures,
    })),
  )
  const foreign = [
    7,
    null,
    {},
    { window: 'Decade', spentUSD: '1' },
    { window: 'Day', spentUSD: 'all' },
    { window: 'Day' },
  ]
  t.strictSame(parseUsage(foreign), [])
  t.strictSame(parseUsage('usage'), [])
})

t.test('a hundredth of a limit is worth telling, less is not', async (t) => {
  const written = parseUsage(renderUsage(usagesOf({ costMicroUsd: 500_000, inputTokens: 100, outputTokens: 100 })))
  const moved = (figures: Partial<CounterFigures>) =>
    hasMoved(written, usagesOf({ costMicroUsd: 500_000, inputTokens: 100, outputTokens: 100, ...figures }))
  t.notOk(moved({}))
  t.notOk(moved({ requests: 9 }))
  t.notOk(moved({ costMicroUsd: 509_999 }))
  t.ok(moved({ costMicroUsd: 510_000 }), 'of the smallest budget')
  t.ok(moved({ costMicroUsd: 490_000 }), 'downwards too')
  t.notOk(moved({ inputTokens: 109 }))
  t.ok(moved({ inputTokens: 110 }))
})

t.test('what was never told is told when anything has been spent', async (t) => {
  t.notOk(hasMoved([], usagesOf({})))
  t.ok(hasMoved([], usagesOf({ costMicroUsd: 1 })))
})

t.test('a window that has begun anew is told once, and an idle one never again', async (t) => {
  const month = { ...LIMITS, budgets: LIMITS.budgets.slice(0, 1), tokenQuotas: [] }
  const next = NOW + 31 * 86_400_000
  const spent = parseUsage(renderUsage(usagesOf({ costMicroUsd: 5 }, month)))
  t.ok(hasMoved(spent, usagesOf({}, month, next)))
  const idle = parseUsage(renderUsage(usagesOf({}, month, next)))
  t.notOk(hasMoved(idle, usagesOf({}, month, next)))
  t.notOk(hasMoved(idle, usagesOf({}, month, next + 31 * 86_400_000)))
})

t.test('other limits are told', async (t) => {
  const written = parseUsage(renderUsage(usagesOf({ costMicroUsd: 5 })))
  const doubled = LIMITS.budgets.map((budget) => ({ ...budget, limit: budget.limit * 2 }))
  t.ok(hasMoved(written, usagesOf({ costMicroUsd: 5 }, { ...LIMITS, budgets: doubled })))
  t.ok(hasMoved(written, usagesOf({ costMicroUsd: 5 }, { ...LIMITS, tokenQuotas: [] })), 'a limit that is gone')
  t.ok(hasMoved(written, []))
})

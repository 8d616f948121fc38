/** What every quota store promises. Each test file runs it on its own store, with the clock in its hands. */
import type { Test } from 'tap'
import { NOTHING_USED } from '../../../src/domain/quota/amounts.ts'
import { SWEEP_LIMIT } from '../../../src/proxy/stores/memory/organization-ledger.ts'
import type { QuotaPlan } from '../../../src/domain/quota/limits.ts'
import type { QuotaNeed } from '../../../src/domain/quota/need.ts'
import type { Admitted, QuotaStore, Reservation } from '../../../src/proxy/pipeline/quota-port.ts'
import { charge, need, plan } from '../../helpers/quota.ts'

export interface StoreUnderTest {
  /** Two clients of one store: two proxies. */
  readonly stores: readonly [QuotaStore, QuotaStore]
  /** Sets the clock of both. */
  setNow(ms: number): void
}

/** Thursday, 2026-01-01T12:00:00Z: noon, no boundary near. */
export const NOON = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** @param make a store whose state no other test shares; names are made unique by `organization` */
export function quotaStoreContract(t: Test, make: () => Promise<StoreUnderTest>): void {
  let serial = 0

  const test = (name: string, body: (t: Test, tools: Tools) => Promise<void>) =>
    t.test(name, async (t) => {
      const underTest = await make()
      underTest.setNow(NOON)
      await body(t, toolsOf(underTest, `org-${++serial}`))
    })

  test('reserves the bound and settles at what was used', async (t, { store, limited, spend }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    const reservation = await spend.admit(day, need(60))
    t.match((await store.usage(day)).limits, [{ spent: 0, reserved: 60, remaining: 40, limit: 100 }])
    await store.settle(reservation, charge(25))
    t.match((await store.usage(day)).limits, [{ spent: 25, reserved: 0, remaining: 75 }])
  })

  test('refuses what does not fit, in the words of the limit, and says when the window ends', async (t, {
    store,
    limited,
    spend,
  }) => {
    const day = limited({ project: { budgets: [{ limit: 100 }] } })
    await store.settle(await spend.admit(day, need(90)), charge(90))
    t.match(await spend.tryAdmit(day, need(11)), {
      type: 'refused',
      reason: 'budget',
      scope: 'project',
      window: 'Day',
      unit: 'cost',
      limit: 100,
      resetAtMs: Date.UTC(2026, 0, 2),
      retryAfterMs: undefined,
    })
    t.match(await spend.tryAdmit(day, need(10)), { type: 'admitted', remaining: [0] })
  })

  test('tells apart what is spent and what is only reserved', async (t, { store, limited, spend }) => {
    const day = limited({ organization: { budgets: [{ limit: 100 }] } })
    const reservation = await spend.admit(day, need(60))
    t.match(await spend.tryAdmit(day, need(60)), {
      type: 'refused',
      reason: 'reserved',
      scope: 'organization',
      retryAfterMs: 1_000,
      resetAtMs: undefined,
    })
    await store.settle(reservation, charge(50))
    t.match(await spend.tryAdmit(day, need(60)), { type: 'refused', reason: 'budget' })
  })

  test('gives no reset time to a request that is larger than the whole limit', async (t, { limited, spend }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    t.match(await spend.tryAdmit(day, need(101)), {
      type: 'refused',
      reason: 'budget',
      resetAtMs: undefined,
      retryAfterMs: undefined,
    })
  })

  test('a refused request changes nothing in any scope', async (t, { store, limited, spend }) => {
    const full = limited({
      key: {
        budgets: [{ limit: 1_000 }],
        rateLimits: { requestsPerMinute: 10, tokensPerMinute: 1_000, maxConcurrent: 3 },
      },
      project: { tokenQuotas: [{ limit: 1_000 }], rateLimits: { requestsPerMinute: 5 } },
      organization: { budgets: [{ limit: 10 }] },
    })
    const before = await store.usage(full)
    for (let round = 0; round < 4; round++)
      t.match(await spend.tryAdmit(full, need(11)), { type: 'refused', scope: 'organization' })
    t.same(await store.usage(full), before)
  })

  test('a released reservation costs nothing', async (t, { store, limited, spend }) => {
    const day = limited({
      key: { budgets: [{ limit: 100 }], tokenQuotas: [{ kind: 'Input' }, { kind: 'Output' }, { kind: 'Total' }] },
    })
    await store.settle(await spend.admit(day, need(60)), NOTHING_USED)
    for (const limit of (await store.usage(day)).limits) t.match(limit, { spent: 0, reserved: 0 })
  })

  test('settles once, however often it is told to', async (t, { store, limited, spend }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    const reservation = await spend.admit(day, need(60))
    await Promise.all([store.settle(reservation, charge(30)), store.settle(reservation, charge(30))])
    await store.settle(reservation, NOTHING_USED)
    t.match((await store.usage(day)).limits, [{ spent: 30, reserved: 0 }])
  })

  test('charges the truth where it is more than the bound', async (t, { store, limited, spend }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    await store.settle(await spend.admit(day, need(60)), charge(130))
    t.match((await store.usage(day)).limits, [{ spent: 130, reserved: 0, remaining: 0 }])
  })

  test('a limit refuses nothing that takes nothing of it, however much is spent', async (t, {
    store,
    limited,
    spend,
  }) => {
    const both = limited({ key: { budgets: [{ limit: 100 }], tokenQuotas: [{ kind: 'Output', limit: 10 }] } })
    await store.settle(await spend.admit(both, need(60, 5, 10)), charge(130, 5, 11))
    t.match(await spend.tryAdmit(both, need(0, 5, 0)), { type: 'admitted' })
    const open = { ...need(0, 5, 0), open: { choices: 1, minTokens: 1, maxTokens: 9, price: 0 } }
    t.match(await spend.tryAdmit(both, open), { type: 'refused', reason: 'token-quota' })
    t.match(await spend.tryAdmit(both, need(1, 5, 0)), { type: 'refused', reason: 'budget' })
    t.match((await store.usage(both)).limits, [{ spent: 130, reserved: 0 }, { spent: 11 }])
  })

  test('counts tokens by kind', async (t, { store, limited, spend }) => {
    const tokens = limited({
      key: {
        tokenQuotas: [
          { kind: 'Input', limit: 100 },
          { kind: 'Output', limit: 100 },
          { kind: 'Total', limit: 150 },
        ],
      },
    })
    await store.settle(await spend.admit(tokens, need(0, 80, 40)), charge(0, 80, 40))
    t.match((await store.usage(tokens)).limits, [
      { unit: 'input', spent: 80 },
      { unit: 'output', spent: 40 },
      { unit: 'total', spent: 120 },
    ])
    t.match(await spend.tryAdmit(tokens, need(0, 21, 0)), { reason: 'token-quota', unit: 'input' })
    t.match(await spend.tryAdmit(tokens, need(0, 0, 61)), { reason: 'token-quota', unit: 'output' })
    t.match(await spend.tryAdmit(tokens, need(0, 11, 20)), { reason: 'token-quota', unit: 'total' })
    t.match(await spend.tryAdmit(tokens, need(0, 10, 20)), { type: 'admitted' })
  })

  test('a limit that warns refuses nothing and says that it is exceeded', async (t, { store, limited, spend }) => {
    const soft = limited({ key: { budgets: [{ limit: 100, onExceed: 'Warn', warnAtPercent: 80 }] } })
    t.same((await spend.tryAdmit(soft, need(500))).warnings, [])
    await store.settle(await spend.admit(soft, need(80)), charge(80))
    t.match((await spend.tryAdmit(soft, need(1))).warnings, [
      { type: 'near', scope: 'key', window: 'Day', reset: 'Calendar', unit: 'cost', limit: 100, spent: 80 },
    ])
    await store.settle(await spend.admit(soft, need(20)), charge(20))
    t.match((await spend.tryAdmit(soft, need(1))).warnings, [{ type: 'exceeded', spent: 100 }])
  })

  test('a blocking limit warns from its share on', async (t, { store, limited, spend }) => {
    const hard = limited({ key: { budgets: [{ limit: 100, warnAtPercent: 80 }] } })
    await store.settle(await spend.admit(hard, need(79)), charge(79))
    t.same((await spend.tryAdmit(hard, need(0))).warnings, [])
    await store.settle(await spend.admit(hard, need(1)), charge(1))
    t.match((await spend.tryAdmit(hard, need(0))).warnings, [{ type: 'near', spent: 80 }])
  })

  for (const [window, before, after] of WINDOW_EDGES) {
    test(`a ${window} in calendar time starts anew at its boundary`, async (t, { store, limited, spend, setNow }) => {
      const calendar = limited({ key: { tokenQuotas: [{ window, limit: 30 }] } })
      setNow(before)
      await store.settle(await spend.admit(calendar, need(0)), charge(0))
      t.match(await spend.tryAdmit(calendar, need(0)), { type: 'refused', window, resetAtMs: after })
      t.match((await store.usage(calendar)).limits, [{ spent: 30, resetAtMs: after }])
      setNow(after)
      t.match((await store.usage(calendar)).limits, [{ spent: 0, windowStartMs: after }])
      t.match(await spend.tryAdmit(calendar, need(0)), { type: 'admitted' })
    })
  }

  test('a total never starts anew', async (t, { store, limited, spend, setNow }) => {
    const total = limited({ key: { budgets: [{ window: 'Total', limit: 10 }] } })
    await store.settle(await spend.admit(total, need(10)), charge(10))
    setNow(NOON + 300 * DAY)
    t.match(await spend.tryAdmit(total, need(1)), {
      type: 'refused',
      reason: 'budget',
      window: 'Total',
      resetAtMs: undefined,
    })
  })

  test('a rolling window lets go of each amount when it is older than the window', async (t, {
    store,
    limited,
    spend,
    setNow,
  }) => {
    const rolling = limited({ key: { budgets: [{ window: 'Hour', reset: 'Rolling', limit: 100 }] } })
    await store.settle(await spend.admit(rolling, need(40)), charge(40))
    setNow(NOON + 30 * MINUTE)
    await store.settle(await spend.admit(rolling, need(60)), charge(60))
    t.match(await spend.tryAdmit(rolling, need(40)), { type: 'refused', resetAtMs: NOON + 61 * MINUTE })
    t.match(await spend.tryAdmit(rolling, need(41)), { type: 'refused', resetAtMs: NOON + 91 * MINUTE })
    setNow(NOON + 61 * MINUTE - 1)
    t.match((await store.usage(rolling)).limits, [{ spent: 100, resetAtMs: NOON + 61 * MINUTE }])
    setNow(NOON + 61 * MINUTE)
    t.match((await store.usage(rolling)).limits, [{ spent: 60, resetAtMs: NOON + 91 * MINUTE }])
    t.match(await spend.tryAdmit(rolling, need(40)), { type: 'admitted' })
    setNow(NOON + 5 * HOUR)
    t.match(
      (await store.usage(rolling)).limits,
      [{ spent: 40, reserved: 0, resetAtMs: NOON + 6 * HOUR + MINUTE }],
      'the last one expired at its bound',
    )
  })

  test('a rolling window counts a long request when it ends', async (t, { store, limited, spend, setNow }) => {
    const rolling = limited({ key: { tokenQuotas: [{ window: 'Minute', reset: 'Rolling', limit: 30 }] } })
    const reservation = await spend.admit(rolling, need(0))
    for (const second of [20, 40, 60, 80]) {
      setNow(NOON + second * 1_000)
      await store.renew(reservation)
      t.match(await spend.tryAdmit(rolling, need(0)), { type: 'refused', reason: 'reserved' })
    }
    await store.settle(reservation, charge(0))
    t.match((await store.usage(rolling)).limits, [{ spent: 30 }])
  })

  test('a request belongs to the calendar window of its admission', async (t, { store, limited, spend, setNow }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    setNow(Date.UTC(2026, 0, 2) - 1_000)
    const reservation = await spend.admit(day, need(100))
    setNow(Date.UTC(2026, 0, 2) + 1_000)
    await store.settle(reservation, charge(100))
    t.match((await store.usage(day)).limits, [{ spent: 0, reserved: 0 }])
  })

  test('grants an open answer what the tightest limit leaves', async (t, { store, limited, spend }) => {
    const both = limited({ key: { budgets: [{ limit: 10_000 }], tokenQuotas: [{ kind: 'Output', limit: 5_000 }] } })
    // 10 micro-dollars a token: 9,000 left after the prompt buy 900.
    const open = { ...need(1_000, 10, 0), open: { choices: 1, minTokens: 256, maxTokens: 16_384, price: 10e9 } }
    const admitted = await spend.tryAdmit(both, open)
    t.match(admitted, { type: 'admitted', grantedOutputTokens: 900 })
    t.match((await store.usage(both)).limits, [{ reserved: 10_000, remaining: 0 }, { reserved: 900 }])
  })

  test('shares an open grant among the choices', async (t, { limited, spend }) => {
    const tokens = limited({ key: { tokenQuotas: [{ kind: 'Output', limit: 1_000 }] } })
    const open = { ...need(0, 10, 0), open: { choices: 3, minTokens: 256, maxTokens: 16_384, price: 0 } }
    t.match(await spend.tryAdmit(tokens, open), { grantedOutputTokens: 333 })
  })

  test('refuses an open answer below its useful minimum', async (t, { limited, spend }) => {
    const tokens = limited({ key: { tokenQuotas: [{ kind: 'Output', limit: 255 }] } })
    const open = { ...need(0, 10, 0), open: { choices: 1, minTokens: 256, maxTokens: 16_384, price: 0 } }
    t.match(await spend.tryAdmit(tokens, open), { type: 'refused', reason: 'token-quota', unit: 'output' })
  })

  test('grants an open answer everything where no limit blocks on its size', async (t, { limited, spend }) => {
    const soft = limited({ key: { budgets: [{ limit: 1, onExceed: 'Warn' }], rateLimits: { requestsPerMinute: 5 } } })
    const open = { ...need(0, 10, 0), open: { choices: 1, minTokens: 256, maxTokens: 16_384, price: 10e9 } }
    t.match(await spend.tryAdmit(soft, open), { type: 'admitted', grantedOutputTokens: 16_384 })
  })

  test('extends a reservation within its limits', async (t, { store, limited, spend }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    const reservation = await spend.admit(day, need(60))
    t.match(await store.extend(reservation, need(30)), { type: 'extended', grantedOutputTokens: undefined })
    t.match(await store.extend(reservation, need(11)), { type: 'refused', reason: 'budget', resetAtMs: undefined })
    t.match((await store.usage(day)).limits, [{ reserved: 90 }])
    await store.settle(reservation, charge(85))
    t.match((await store.usage(day)).limits, [{ spent: 85, reserved: 0 }])
    t.match(await store.extend(reservation, need(1)), { type: 'expired' })
  })

  test('what a request holds itself does not become free for it', async (t, { store, limited, spend }) => {
    for (const reset of ['Calendar', 'Rolling'] as const) {
      const day = limited({ key: { budgets: [{ limit: 100, reset }] } })
      const [own, other] = [await spend.admit(day, need(40)), await spend.admit(day, need(50))]
      const refused = async (more: number) => {
        const extension = await store.extend(own, need(more))
        return extension.type === 'refused' && [extension.reason, (extension.resetAtMs ?? 0) > NOON]
      }
      t.strictSame(await refused(20), ['reserved', false])
      await store.settle(other, charge(50))
      t.strictSame(await refused(20), ['budget', true], 'until the window ends')
      t.strictSame(await refused(61), ['budget', false], 'never')
      t.match(await store.extend(own, need(10)), { type: 'extended' })
      await store.settle(own, charge(0, 0, 0))
    }
  })

  test('of tokens only those count as its own of which more is asked', async (t, { store, limited, spend }) => {
    const quota = limited({ key: { tokenQuotas: [{ kind: 'Total', limit: 100 }] } })
    const own = await spend.admit(quota, need(0, 60, 20))
    t.match(await store.extend(own, need(0, 0, 30)), { type: 'refused', reason: 'reserved' })
    t.match(await store.extend(own, need(0, 1, 40)), { type: 'refused', reason: 'token-quota' })
  })

  test('extends in the window of the admission, even past its end', async (t, { store, limited, spend, setNow }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    setNow(Date.UTC(2026, 0, 2) - 1_000)
    const reservation = await spend.admit(day, need(60))
    setNow(Date.UTC(2026, 0, 2) + 1_000)
    t.match(await store.extend(reservation, need(41)), { type: 'refused' })
    t.match(await store.extend(reservation, need(40)), { type: 'extended' })
    t.match((await store.usage(day)).limits, [{ spent: 0, reserved: 0 }])
  })

  test('charges a reservation that nobody renews at its bound', async (t, { store, other, limited, spend, setNow }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }], rateLimits: { maxConcurrent: 1 } } })
    await spend.admit(day, need(60))
    setNow(NOON + 59_999)
    t.match((await other.usage(day)).limits, [{ spent: 0, reserved: 60 }])
    t.match(await spend.tryAdmit(day, need(1)), { reason: 'concurrency' })
    setNow(NOON + 60_000)
    t.match(await store.usage(day), {
      limits: [{ spent: 60, reserved: 0 }],
      rateLimits: [{ concurrent: { limit: 1, open: 0 } }],
    })
  })

  test('renewal keeps a reservation alive', async (t, { store, limited, spend, setNow }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    const reservation = await spend.admit(day, need(60))
    for (const seconds of [40, 80, 120]) {
      setNow(NOON + seconds * 1_000)
      await store.renew(reservation)
    }
    setNow(NOON + 179_999)
    t.match((await store.usage(day)).limits, [{ spent: 0, reserved: 60 }])
    setNow(NOON + 180_000)
    t.match((await store.usage(day)).limits, [{ spent: 60, reserved: 0 }])
  })

  test('a clock that jumped by hours or years leaves a rolling window as it was when it is right again', async (t, {
    store,
    limited,
    spend,
    setNow,
  }) => {
    const rolling = limited({ key: { tokenQuotas: [{ window: 'Minute', reset: 'Rolling', limit: 90 }] } })
    const jumps = [NOON, NOON - 3 * HOUR, NOON + 10 * MINUTE, NOON + 3_650 * DAY, 0, NOON + 20 * MINUTE]
    for (const now of jumps) {
      setNow(now)
      await store.settle(await spend.admit(rolling, need(1)), charge(1))
    }
    // What was spent in the years to come counts until then.
    t.match((await store.usage(rolling)).limits, [{ spent: 60, resetAtMs: NOON + 21 * MINUTE + 1_000 }])
    t.match(await spend.tryAdmit(rolling, need(1, 31, 0)), { type: 'refused', resetAtMs: NOON + 21 * MINUTE + 1_000 })
  })

  test('a burst that was used fills evenly, however long nobody comes', async (t, { limited, spend, setNow }) => {
    const rated = limited({ key: { rateLimits: { requestsPerMinute: 1, burst: 100 } } })
    for (let call = 0; call < 100; call++) await spend.admit(rated, need(1))
    setNow(NOON + 80 * MINUTE)
    t.match(await spend.tryAdmit(rated, need(1)), { rateLimits: { requests: { remaining: 79 } } })
  })

  test('a clock that went back stops no rate for longer than its bucket takes to fill', async (t, {
    limited,
    spend,
    setNow,
  }) => {
    for (const rateLimits of [{ requestsPerMinute: 60, burst: 1 }, { tokensPerMinute: 60 }]) {
      setNow(NOON)
      const rated = limited({ key: { rateLimits } })
      await spend.admit(rated, need(1, 30, 30))
      setNow(NOON - 500)
      t.match(await spend.tryAdmit(rated, need(1, 30, 30)), { type: 'refused' }, 'less than that gives nothing')
      setNow(NOON - HOUR)
      t.match(await spend.tryAdmit(rated, need(1, 30, 30)), { type: 'admitted' })
      t.match(await spend.tryAdmit(rated, need(1, 30, 30)), { type: 'refused' })
      setNow(NOON - HOUR + MINUTE)
      t.match(await spend.tryAdmit(rated, need(1, 30, 30)), { type: 'admitted' })
    }
  })

  for (const reset of ['Calendar', 'Rolling'] as const) {
    test(`a settlement that comes after the expiry corrects it (${reset})`, async (t, {
      store,
      limited,
      spend,
      setNow,
    }) => {
      const day = limited({ key: { budgets: [{ limit: 100, reset }] } })
      const [less, more] = [await spend.admit(day, need(60)), await spend.admit(day, need(40))]
      setNow(NOON + 2 * MINUTE)
      t.match((await store.usage(day)).limits, [{ spent: 100, reserved: 0 }])
      await store.settle(less, charge(10))
      await store.settle(less, charge(10))
      t.match((await store.usage(day)).limits, [{ spent: 50 }])
      await store.settle(more, charge(45))
      t.match((await store.usage(day)).limits, [{ spent: 55 }])
    })
  }

  test('charges expired reservations a bounded number at a time, and all in the end', async (t, {
    store,
    limited,
    spend,
    setNow,
  }) => {
    const day = limited({ key: { budgets: [{ limit: 1_000 }] } })
    const count = SWEEP_LIMIT * 2 + 5
    for (let index = 0; index < count; index++) await spend.admit(day, need(1))
    setNow(NOON + MINUTE)
    t.match((await store.usage(day)).limits, [{ spent: SWEEP_LIMIT, reserved: count - SWEEP_LIMIT }])
    await store.usage(day)
    t.match((await store.usage(day)).limits, [{ spent: count, reserved: 0 }])
  })

  test('requests a minute flow evenly after the burst, and waiting times are exact', async (t, {
    limited,
    spend,
    setNow,
  }) => {
    const rate = limited({ key: { rateLimits: { requestsPerMinute: 6, burst: 2 } } })
    t.match(await spend.tryAdmit(rate, need(0)), {
      rateLimits: { requests: { limit: 6, remaining: 1, resetMs: 10_000 }, tokens: undefined },
    })
    t.match(await spend.tryAdmit(rate, need(0)), { rateLimits: { requests: { remaining: 0, resetMs: 20_000 } } })
    t.match(await spend.tryAdmit(rate, need(0)), {
      type: 'refused',
      reason: 'rate-limit',
      unit: 'requests',
      limit: 6,
      retryAfterMs: 10_000,
      rateLimits: { requests: { remaining: 0 } },
    })
    setNow(NOON + 9_999)
    t.match(await spend.tryAdmit(rate, need(0)), { type: 'refused', retryAfterMs: 1 })
    setNow(NOON + 10_000)
    t.match(await spend.tryAdmit(rate, need(0)), { type: 'admitted' })
  })

  test('tokens a minute take the probable size and are corrected by what was used', async (t, {
    store,
    limited,
    spend,
  }) => {
    const rate = limited({ organization: { rateLimits: { tokensPerMinute: 600 } } })
    const reservation = await spend.admit(rate, need(0, 100, 400))
    t.match((await store.usage(rate)).rateLimits, [{ tokens: { limit: 600, remaining: 100, resetMs: 50_000 } }])
    t.match(await spend.tryAdmit(rate, need(0, 100, 100)), {
      type: 'refused',
      reason: 'rate-limit',
      unit: 'total',
      scope: 'organization',
      retryAfterMs: 10_000,
    })
    await store.settle(reservation, charge(0, 100, 50))
    t.match((await store.usage(rate)).rateLimits, [{ tokens: { remaining: 450 } }])
  })

  test('a request above the tokens of a minute passes when the bucket is full, and leaves a debt of a minute at most', async (t, {
    store,
    limited,
    spend,
    setNow,
  }) => {
    const rate = limited({ key: { rateLimits: { tokensPerMinute: 600 } } })
    const reservation = await spend.admit(rate, need(0, 10_000, 0))
    await store.settle(reservation, charge(0, 10_000, 0))
    t.match(await spend.tryAdmit(rate, need(0, 1, 0)), { type: 'refused', retryAfterMs: 60_100 })
    setNow(NOON + 60_100)
    t.match(await spend.tryAdmit(rate, need(0, 1, 0)), { type: 'admitted' })
  })

  test('shows the figures of the tightest scope', async (t, { limited, spend }) => {
    const rate = limited({
      key: { rateLimits: { requestsPerMinute: 10 } },
      project: { rateLimits: { requestsPerMinute: 3 } },
      organization: { rateLimits: { requestsPerMinute: 20 } },
    })
    t.match(await spend.tryAdmit(rate, need(0)), { rateLimits: { requests: { limit: 3, remaining: 2 } } })
  })

  test('bounds what is open at once', async (t, { store, limited, spend }) => {
    const few = limited({ key: { rateLimits: { maxConcurrent: 2 } } })
    const first = await spend.admit(few, need(0))
    await spend.admit(few, need(0))
    t.match(await spend.tryAdmit(few, need(0)), {
      type: 'refused',
      reason: 'concurrency',
      unit: 'requests',
      limit: 2,
      retryAfterMs: 1_000,
    })
    await store.settle(first, NOTHING_USED)
    t.match(await spend.tryAdmit(few, need(0)), { type: 'admitted' })
  })

  test('prefers the refusal that no retry cures', async (t, { limited, spend }) => {
    const all = limited({ key: { rateLimits: { requestsPerMinute: 1 } }, organization: { budgets: [{ limit: 10 }] } })
    await spend.admit(all, need(5))
    t.match(await spend.tryAdmit(all, need(11)), { reason: 'budget' })
    t.match(await spend.tryAdmit(all, need(6)), { reason: 'reserved' })
    t.match(await spend.tryAdmit(all, need(5)), { reason: 'rate-limit' })
  })

  test('keeps keys and organizations apart, and a key created anew as it was', async (t, {
    store,
    limited,
    spend,
    organization,
  }) => {
    const budget = { key: { budgets: [{ limit: 100 }] } }
    await store.settle(await spend.admit(limited(budget), need(60)), charge(60))
    t.match((await store.usage(limited(budget))).limits, [{ spent: 60 }], 'the same name is the same account')
    t.match((await store.usage(plan(budget, { key: 'team/other', organization }))).limits, [{ spent: 0 }])
    t.match((await store.usage(plan(budget, { organization: `${organization}-2` }))).limits, [{ spent: 0 }])
  })

  test('takes names with any characters', async (t, { store, spend, organization }) => {
    const odd = plan({ key: { budgets: [{ limit: 100 }] } }, { key: 'team}{:%/ä', organization: `${organization}{}:` })
    await store.settle(await spend.admit(odd, need(60)), charge(60))
    t.match((await store.usage(odd)).limits, [{ spent: 60, scopeName: 'key/team}{:%/ä' }])
  })

  test('is exact with large amounts', async (t, { store, limited, spend }) => {
    const huge = limited({ key: { budgets: [{ limit: 9_000_000_000_000_001 }] } })
    await store.settle(await spend.admit(huge, need(9_000_000_000_000_000)), charge(9_000_000_000_000_000))
    t.match((await store.usage(huge)).limits, [{ spent: 9_000_000_000_000_000, remaining: 1 }])
    t.match(await spend.tryAdmit(huge, need(2)), { type: 'refused' })
    t.match(await spend.tryAdmit(huge, need(1)), { type: 'admitted' })
  })

  test("charges what was spent without the store's word, once", async (t, { store, other, limited }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    const reservation = { id: 'grace-1', plan: day, origin: 'unconfirmed' } as const
    await store.settle(reservation, charge(30))
    await other.settle(reservation, charge(30))
    t.match((await store.usage(day)).limits, [{ spent: 30, reserved: 0 }])
    await t.rejects(store.admit({ id: 'grace-1', plan: day, need: need(5) }), 'an admission that was delayed until now')
    t.match((await store.usage(day)).limits, [{ spent: 30, reserved: 0 }])
  })

  test('settles an unconfirmed reservation that the store knows after all', async (t, { store, limited }) => {
    const day = limited({ key: { budgets: [{ limit: 100 }] } })
    await store.admit({ id: 'grace-2', plan: day, need: need(50) })
    const reservation = { id: 'grace-2', plan: day, origin: 'unconfirmed' } as const
    await store.settle(reservation, charge(30))
    await store.settle(reservation, charge(30))
    t.match((await store.usage(day)).limits, [{ spent: 30, reserved: 0 }])
  })

  test('asks nobody where nothing is limited', async (t, { store, limited, spend }) => {
    const free = limited({})
    const open = { ...need(5), open: { choices: 1, minTokens: 1, maxTokens: 9, price: 1 } }
    const admitted = await spend.tryAdmit(free, open)
    t.match(admitted, { type: 'admitted', reservation: { origin: 'none' }, grantedOutputTokens: 9, remaining: [] })
    const reservation = await spend.admit(free, need(5))
    t.match(await store.extend(reservation, open), { type: 'extended', grantedOutputTokens: 9 })
    await store.renew(reservation)
    await store.settle(reservation, charge(5))
    t.same((await store.usage(free)).limits, [])
  })

  test('two proxies with 200 requests at once never spend more than a budget for 10', async (t, {
    store,
    other,
    limited,
    spend,
  }) => {
    const tight = limited({ key: { budgets: [{ limit: 1_000 }] }, organization: { budgets: [{ limit: 1_050 }] } })
    const both = [store, other] as const
    let settled = 0
    const admit = async (index: number) => {
      const client = index % 2 === 0 ? store : other
      const admission = await client.admit({ id: spend.nextId(), plan: tight, need: need(100) })
      return admission.type === 'admitted' ? [admission.reservation] : []
    }
    const admitted = (await Promise.all(Array.from({ length: 200 }, (_, index) => admit(index)))).flat()
    t.equal(admitted.length, 10)
    // A third is aborted early, a third is used up, the rest is settled twice.
    await Promise.all(
      admitted.map(async (reservation: Reservation, index) => {
        const used = index % 3 === 0 ? 17 : 100
        settled += used
        await both[index % 2]?.settle(reservation, charge(used))
        if (index % 3 === 2) await both[index % 2]?.settle(reservation, charge(used))
      }),
    )
    for (const limit of (await store.usage(tight)).limits) t.match(limit, { spent: settled, reserved: 0 })
    t.ok(settled <= 1_000)
  })
}

interface Tools {
  readonly store: QuotaStore
  readonly other: QuotaStore
  readonly organization: string
  setNow(ms: number): void
  /** A plan in this test's own organization. */
  limited(scopes: Parameters<typeof plan>[0]): QuotaPlan
  readonly spend: {
    nextId(): string
    /** Fails where it is refused. */
    admit(plan: QuotaPlan, need: QuotaNeed): Promise<Reservation>
    /** As `Admitted`, for `t.match` and its `warnings`. */
    tryAdmit(plan: QuotaPlan, need: QuotaNeed): Promise<Partial<Admitted>>
  }
}

function toolsOf({ stores: [store, other], setNow }: StoreUnderTest, organization: string): Tools {
  let ids = 0
  const nextId = () => `${organization}-${++ids}`
  const admission = (own: QuotaPlan, size: QuotaNeed) => store.admit({ id: nextId(), plan: own, need: size })
  return {
    store,
    other,
    organization,
    setNow,
    limited: (scopes) => plan(scopes, { organization }),
    spend: {
      nextId,
      admit: async (own, size) => {
        const result = await admission(own, size)
        if (result.type === 'refused') throw new Error(`refused: ${JSON.stringify(result)}`)
        return result.reservation
      },
      tryAdmit: async (own, size) => {
        const result = await admission(own, size)
        return result.type === 'admitted' ? result : { ...result, type: result.type as never }
      },
    },
  }
}

/** A moment in each window, and when the next one begins. */
const WINDOW_EDGES = [
  ['Minute', Date.UTC(2026, 0, 1, 12, 0, 30), Date.UTC(2026, 0, 1, 12, 1)],
  ['Hour', Date.UTC(2026, 0, 1, 23, 59, 59), Date.UTC(2026, 0, 2)],
  ['Day', Date.UTC(2026, 1, 28, 12), Date.UTC(2026, 2, 1)],
  // A Sunday; weeks begin on Monday.
  ['Week', Date.UTC(2026, 0, 4, 23, 59), Date.UTC(2026, 0, 5)],
  ['Month', Date.UTC(2028, 1, 29, 23, 59), Date.UTC(2028, 2, 1)],
  ['Month', Date.UTC(2026, 11, 31, 23, 59), Date.UTC(2027, 0, 1)],
] as const

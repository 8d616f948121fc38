import t from 'tap'
import type { Charge } from '../../../src/domain/quota/amounts.ts'
import { planOf } from '../../../src/domain/quota/limits.ts'
import type { QuotaPlan } from '../../../src/domain/quota/limits.ts'
import type { QuotaStore, Reservation } from '../../../src/proxy/pipeline/quota-port.ts'
import { QuotaBacklogError, QuotaUnavailableError } from '../../../src/proxy/pipeline/quota-port.ts'
import { MemoryQuotaStore } from '../../../src/proxy/stores/memory/memory-quota-store.ts'
import { createResilientQuotaStore } from '../../../src/proxy/stores/quota-grace.ts'
import type { ResilienceOptions } from '../../../src/proxy/stores/quota-grace-options.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../../src/proxy/stores/redis/redis-quota-store.ts'
import { charge, need, plan } from '../../helpers/quota.ts'
import { startRedis, until } from '../../helpers/redis.ts'
import { NOON, quotaStoreContract } from './quota-store-contract.ts'

t.test('keeps the contract of its backend while that is there', async (t) => {
  quotaStoreContract(t, async () => {
    let now = NOON
    const backend = new MemoryQuotaStore(() => now)
    const setNow = (ms: number) => {
      now = ms
    }
    const store = createResilientQuotaStore(backend, { now: () => now })
    return { stores: [store, store], setNow }
  })
})

t.test('admits within a tenth of what was left, then refuses as unavailable', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 100), charge(100))
  // 900 were left, 800 after the admission that saw it last.
  await store.settle(await admitted(store, budget, id(), 100), charge(100))
  backend.broken = true
  const spent = [await admitted(store, budget, id(), 40), await admitted(store, budget, id(), 40)]
  t.ok(spent.every(({ origin }) => origin === 'unconfirmed'))
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
  for (const reservation of spent) await store.settle(reservation, charge(30))
  t.match(
    await store.admit({ id: id(), plan: budget, need: need(20) }),
    { type: 'admitted' },
    'what was not used is there again',
  )
  t.match(store.health(), { unavailable: 1, pendingSettlements: 2 })
})

const OPEN = { ...need(10), outputTokens: 0, open: { choices: 1, minTokens: 1, maxTokens: 1_000_000, price: 1e9 } }

t.test('what a request without a maximum has not used is left when it has ended', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const admission = await store.admit({ id: id(), plan: budget, need: OPEN })
  if (admission.type !== 'admitted') throw new Error('refused')
  t.ok((admission.remaining[0] ?? Infinity) <= 1, 'it was granted all')
  await store.settle(admission.reservation, charge(20))
  await store.settle(admission.reservation, charge(20))
  backend.broken = true
  await admitted(store, budget, id(), 90)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(20) }), QuotaUnavailableError, 'a tenth, once')
})

t.test('where it has used all, or is still at it, nothing is left in any outage', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const admission = await store.admit({ id: id(), plan: budget, need: OPEN })
  if (admission.type !== 'admitted') throw new Error('refused')
  const refused = () => t.rejects(store.admit({ id: id(), plan: budget, need: need(2) }), QuotaUnavailableError)
  backend.broken = true
  await refused()
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  await store.settle(admission.reservation, charge(1_000))
  t.match(await store.admit({ id: id(), plan: budget, need: need(2) }), { type: 'refused' })
  for (const _ of [1, 2]) {
    backend.broken = true
    await refused()
    backend.broken = false
    await until(() => store.health().unavailable === 0)
  }
})

t.test('what is left when a request ends is leased in the outage that it ends in', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const admission = await store.admit({ id: id(), plan: budget, need: OPEN })
  if (admission.type !== 'admitted') throw new Error('refused')
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(2) }), QuotaUnavailableError)
  await store.settle(admission.reservation, charge(20))
  await admitted(store, budget, id(), 90)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(20) }), QuotaUnavailableError)
})

t.test('what a request of a window that is over has not used is not left in the next', async (t) => {
  const { store, backend, id, advance } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000, window: 'Hour' }] } })
  const before = await store.admit({ id: id(), plan: budget, need: OPEN })
  if (before.type !== 'admitted') throw new Error('refused')
  advance(60 * 60_000)
  const after = await admitted(store, budget, id(), 950)
  await store.settle(before.reservation, charge(20))
  await store.settle(after, charge(950))
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(6) }), QuotaUnavailableError, 'a tenth of 50')
})

t.test('what a request has not used is left though its window ends before it does', async (t) => {
  const { store, backend, id, advance } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000, window: 'Hour' }] } })
  const admission = await store.admit({ id: id(), plan: budget, need: OPEN })
  if (admission.type !== 'admitted') throw new Error('refused')
  advance(60 * 60_000)
  await store.settle(admission.reservation, charge(20))
  backend.broken = true
  await admitted(store, budget, id(), 90)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(20) }), QuotaUnavailableError)
})

t.test('a limit that has refused leaves less than was asked of it', async (t) => {
  const { store, backend, id } = breakable(t)
  const [budget, others] = ['team/app', 'team/other'].map((key) =>
    plan({ organization: { budgets: [{ limit: 1_000 }] } }, { key }),
  ) as [QuotaPlan, QuotaPlan]
  await store.settle(await admitted(store, budget, id(), 10), charge(10))
  // Another proxy spends it all.
  await backend.inner.admit({ id: id(), plan: others, need: need(990) })
  for (const _ of [1, 2, 3]) {
    t.match(await store.admit({ id: id(), plan: budget, need: need(5) }), { type: 'refused' })
    backend.broken = true
    await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
    backend.broken = false
    await until(() => store.health().unavailable === 0)
  }
})

t.test('an open answer that is refused says as much', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 10), charge(10))
  await backend.inner.admit({ id: id(), plan: budget, need: need(990) })
  t.match(await store.admit({ id: id(), plan: budget, need: OPEN }), { type: 'refused' })
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(2) }), QuotaUnavailableError)
})

t.test('a limit that is lowered is leased as it is now', async (t) => {
  const { store, backend, id } = breakable(t)
  const budgetOf = (limit: number) => plan({ key: { budgets: [{ limit }] } })
  await store.settle(await admitted(store, budgetOf(1_000), id(), 0), charge(0))
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budgetOf(200), need: need(21) }), QuotaUnavailableError)
  await admitted(store, budgetOf(200), id(), 20)
})

t.test(
  'a backend that comes and goes brings no further lease, and no other rates, until it has admitted',
  async (t) => {
    const { store, backend, id } = breakable(t)
    const limits = { budgets: [{ limit: 1_000 }], rateLimits: { requestsPerMinute: 6 } }
    const budget = plan({ key: limits })
    await store.settle(await admitted(store, budget, id(), 0), charge(0))
    const comeAndGo = async () => {
      backend.broken = false
      await until(() => store.health().unavailable === 0)
      backend.broken = true
    }
    for (const _ of [1, 2]) {
      backend.broken = true
      await store.settle(await admitted(store, budget, id(), 40), charge(40))
      await comeAndGo()
    }
    for (const _ of [1, 2, 3]) {
      await t.rejects(store.admit({ id: id(), plan: budget, need: need(40) }), QuotaUnavailableError)
      await comeAndGo()
    }
    const rate = plan({ key: { rateLimits: { requestsPerMinute: 6 } } })
    for (const _ of [1, 2, 3, 4]) {
      await store.settle(await admitted(store, rate, id(), 1), charge(1))
      await comeAndGo()
    }
    t.match(await store.admit({ id: id(), plan: rate, need: need(1) }), { type: 'refused', reason: 'rate-limit' })

    backend.broken = false
    await until(() => store.health().unavailable === 0)
    t.match((await store.usage(budget)).limits, [{ spent: 80 }])
    await store.settle(await admitted(store, budget, id(), 0), charge(0))
    backend.broken = true
    await admitted(store, budget, id(), 92)
  },
)

t.test('what still runs of an outage is not leased once more in the next', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const running: Reservation[] = []
  for (const _ of [1, 2, 3]) {
    await store.settle(await admitted(store, budget, id(), 0), charge(0))
    backend.broken = true
    await store.admit({ id: id(), plan: budget, need: need(90) }).then(
      (admission) => admission.type === 'admitted' && running.push(admission.reservation),
      () => undefined,
    )
    backend.broken = false
    await until(() => store.health().unavailable === 0)
  }
  t.equal(running.length, 1)
  for (const reservation of running) await store.settle(reservation, charge(90))
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.broken = true
  await admitted(store, budget, id(), 90)
})

t.test('what ends while the backend only seems to be back stays spent of the lease', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.broken = true
  const running = await admitted(store, budget, id(), 90)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  backend.broken = true
  await store.settle(running, charge(90))
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(90) }), QuotaUnavailableError)
})

t.test('one request that still runs of an outage takes no lease from others in later ones', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.broken = true
  const running = await admitted(store, budget, id(), 5)
  await store.settle(await admitted(store, budget, id(), 90), charge(90))
  for (const left of [86, 77]) {
    backend.broken = false
    await until(() => store.health().unavailable === 0)
    await store.settle(await admitted(store, budget, id(), 0), charge(0))
    backend.broken = true
    await store.settle(await admitted(store, budget, id(), left), charge(left))
  }
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  await store.settle(running, charge(5))
  t.match((await store.usage(budget)).limits, [{ spent: 90 + 86 + 77 + 5, reserved: 0 }])
})

t.test('an admission that was asked for before an outage, and comes in it, ends no lease', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  const answer = backend.answerLater()
  const late = [1, 2, 3].map(() => admitted(store, budget, id(), 1))
  backend.broken = true
  await store.settle(await admitted(store, budget, id(), 99), charge(99))
  answer()
  for (const one of await Promise.all(late)) await store.settle(one, charge(1))
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(20) }), QuotaUnavailableError)
})

t.test('the grace of a backend that only seems to be back goes on', async (t) => {
  const { store, backend, id, advance } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  for (const _ of [1, 2, 3]) {
    backend.broken = true
    await admitted(store, budget, id(), 1)
    advance(9_000)
    backend.broken = false
    await until(() => store.health().unavailable === 0)
  }
  advance(3_001)
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  advance(30_000)
  backend.broken = true
  await admitted(store, budget, id(), 1)
})

t.test('of a request that the backend knows, the lease holds what an outage has added', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 3_000 }] } })
  const reservation = await admitted(store, budget, id(), 2_000)
  backend.broken = true
  t.match(await store.extend(reservation, need(10)), { type: 'extended' })
  await store.settle(reservation, charge(2_005))
  await admitted(store, budget, id(), 94)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(2) }), QuotaUnavailableError)
})

t.test('what was reserved on top and not used is left, and leased, like the rest', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 3_000 }] } })
  const reservation = await admitted(store, budget, id(), 100)
  t.match(await store.extend(reservation, need(2_000)), { type: 'extended' })
  const other = await admitted(store, budget, id(), 100)
  await store.settle(reservation, charge(1_000))
  backend.broken = true
  // A tenth of 3,000 without the 1,000 that were used and the 100 of the other.
  await admitted(store, budget, id(), 190)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
  await store.settle(other, charge(0))
})

t.test('until it has ended, what was reserved on top is not left', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 3_000 }] } })
  const reservation = await admitted(store, budget, id(), 100)
  t.match(await store.extend(reservation, need(2_000)), { type: 'extended' })
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(91) }), QuotaUnavailableError)
  t.match(await store.extend(reservation, need(10)), { type: 'extended' })
  await store.settle(reservation, charge(2_105))
  // Of the lease it has used 5; of the limit 895 are left.
  await admitted(store, budget, id(), 84)
})

t.test('what one request has used beyond its bound is not left by another', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const [one, other] = [await admitted(store, budget, id(), 500), await admitted(store, budget, id(), 500)]
  await store.settle(one, charge(700))
  await store.settle(other, charge(300))
  backend.broken = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
})

t.test('settles afterwards what was spent during the grace', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const before = await admitted(store, budget, id(), 100)
  backend.broken = true
  const during = await admitted(store, budget, id(), 50)
  await store.settle(before, charge(80))
  await store.settle(during, charge(40))
  await store.settle(during, charge(40))
  t.match(store.health(), { pendingSettlements: 2 })
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  t.match(store.health(), { pendingSettlements: 0, settlementLagMs: 0 })
  t.match((await store.usage(budget)).limits, [{ spent: 120, reserved: 0 }])
})

t.test('gives no lease of a limit that it has never seen', async (t) => {
  const { store, backend, id } = breakable(t)
  const seen = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const more = plan({ key: { budgets: [{ limit: 1_000 }, { limit: 1_000, window: 'Hour' }] } })
  const refused = (budget: QuotaPlan, message: RegExp) =>
    t.rejects(store.admit({ id: id(), plan: budget, need: need(101) }), { constructor: QuotaUnavailableError, message })
  backend.broken = true
  await refused(seen, /^no quota is leased for an outage: this gateway has had no request admitted under /)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  await admitted(store, seen, id(), 1)
  backend.broken = true
  await refused(seen, /^the quota leased for an outage is used up$/)
  await refused(more, /^no quota is leased for an outage/)
  t.match(
    await store.admit({ id: id(), plan: plan({ key: { rateLimits: { requestsPerMinute: 5 } } }), need: need(1) }),
    { type: 'admitted' },
  )
})

t.test('a request that the lease does not cover is admitted where the outage is over in a moment', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }], rateLimits: { maxConcurrent: 10 } } })
  backend.broken = true
  const admitting = Promise.all([admitted(store, budget, id(), 100), admitted(store, budget, id(), 200)])
  // Both have been told that the backend is away.
  await until(() => store.health().unavailable === 1)
  backend.broken = false
  const reservations = await admitting
  t.ok(reservations.every(({ origin }) => origin === 'store'))
  t.match(await store.usage(budget), { limits: [{ reserved: 300 }], rateLimits: [{ concurrent: { open: 2 } }] })
  for (const reservation of reservations) await store.settle(reservation, charge(50))
  t.match(await store.usage(budget), {
    limits: [{ spent: 100, reserved: 0 }],
    rateLimits: [{ concurrent: { open: 0 } }],
  })
})

t.test('closing tries again as long as there is time', async (t) => {
  const { store, backend, id } = breakable(t, { closeMs: 20_000 })
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservation = await admitted(store, budget, id(), 100)
  backend.broken = true
  await store.settle(reservation, charge(70))
  const closed = store.close()
  await new Promise((resolve) => setTimeout(resolve, 120))
  backend.broken = false
  await closed
  t.match((await backend.usage(budget)).limits, [{ spent: 70, reserved: 0 }])
})

t.test('closes after the grace', async (t) => {
  const { store, backend, id, advance } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 10), charge(10))
  backend.broken = true
  advance(1)
  await admitted(store, budget, id(), 10)
  advance(29_999)
  await admitted(store, budget, id(), 10)
  advance(1)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(1) }), QuotaUnavailableError)
})

t.test('stays open where the organization wants that, and charges everything afterwards', async (t) => {
  const { store, backend, id, advance } = breakable(t)
  const open = planOf('acme', plan({ key: { budgets: [{ limit: 100 }] } }).scopes, 'Open')
  backend.broken = true
  await store.settle(await admitted(store, open, id(), 60), charge(60))
  advance(3_600_000)
  await store.settle(await admitted(store, open, id(), 60), charge(60))
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  t.match((await store.usage(open)).limits, [{ spent: 120, reserved: 0 }])
})

t.test('rates hold during the grace, for this process', async (t) => {
  const { store, backend, id } = breakable(t)
  const rate = plan({ key: { rateLimits: { requestsPerMinute: 2 } } })
  backend.broken = true
  await admitted(store, rate, id(), 1)
  await admitted(store, rate, id(), 1)
  t.match(await store.admit({ id: id(), plan: rate, need: need(1) }), {
    type: 'refused',
    reason: 'rate-limit',
    retryAfterMs: 30_000,
  })
})

t.test('extends within the lease, and a reservation of the grace after it', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.broken = true
  const reservation = await admitted(store, budget, id(), 50)
  t.match(await store.extend(reservation, need(50)), { type: 'extended' })
  await t.rejects(store.extend(reservation, need(1)), QuotaUnavailableError)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  t.match(await store.extend(reservation, need(50)), { type: 'extended' })
  await store.settle(reservation, charge(120))
  t.match((await store.usage(budget)).limits, [{ spent: 120, reserved: 0 }])
})

t.test('extending a request of the grace takes no rate once more', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }], rateLimits: { requestsPerMinute: 2, maxConcurrent: 2 } } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.broken = true
  const reservation = await admitted(store, budget, id(), 50)
  backend.broken = false
  await until(() => store.health().unavailable === 0)
  await admitted(store, budget, id(), 1)
  t.match(await store.admit({ id: id(), plan: budget, need: need(1) }), { type: 'refused', reason: 'rate-limit' })
  t.match(await store.extend(reservation, need(50)), { type: 'extended' })
  await store.settle(reservation, charge(70))
  t.match(await store.usage(budget), { limits: [{ spent: 70 }], rateLimits: [{ concurrent: { open: 1 } }] })
})

t.test('nor does extending in the grace, of a request of before it or of the grace itself', async (t) => {
  const { store, backend, id } = breakable(t)
  const rateLimits = { requestsPerMinute: 1, maxConcurrent: 1 }
  const budget = plan({ key: { budgets: [{ limit: 2_000 }], rateLimits } })
  const before = await admitted(store, budget, id(), 0)
  backend.broken = true
  const during = await admitted(store, budget, id(), 50)
  for (const reservation of [before, during]) t.match(await store.extend(reservation, need(50)), { type: 'extended' })
})

t.test('what the lease does not cover is reserved on top where the outage is over in a moment', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservation = await admitted(store, budget, id(), 100)
  backend.broken = true
  const extending = store.extend(reservation, need(500))
  await until(() => store.health().unavailable === 1)
  backend.broken = false
  t.match(await extending, { type: 'extended' })
  t.match((await store.usage(budget)).limits, [{ reserved: 600 }])
  await store.settle(reservation, charge(550))
  t.match((await store.usage(budget)).limits, [{ spent: 550, reserved: 0 }])
})

t.test('an admission whose confirmation was lost is charged once, or released where it was refused', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }], rateLimits: { maxConcurrent: 5 } } })
  await store.settle(await admitted(store, budget, id(), 0), charge(0))
  backend.loseAnswers = true
  const doubtful = await admitted(store, budget, id(), 50)
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(60) }), QuotaUnavailableError)
  await store.settle(doubtful, charge(30))
  backend.loseAnswers = false
  await until(() => store.health().unavailable === 0)
  t.match(await store.usage(budget), {
    limits: [{ spent: 30, reserved: 0 }],
    rateLimits: [{ concurrent: { open: 0 } }],
  })
})

t.test('an admission that was refused after its confirmation was lost does not stay reserved', async (t) => {
  const { store, backend, id } = breakable(t)
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  backend.loseAnswers = true
  await t.rejects(store.admit({ id: id(), plan: budget, need: need(60) }), QuotaUnavailableError)
  t.match((await backend.inner.usage(budget)).limits, [{ reserved: 60 }])
  backend.loseAnswers = false
  await until(() => store.health().unavailable === 0)
  t.match((await store.usage(budget)).limits, [{ spent: 0, reserved: 0 }])
})

t.test("one organization's outage is not another's", async (t) => {
  const { store, backend, id } = breakable(t)
  const mine = plan({ key: { budgets: [{ limit: 1_000 }] } }, { organization: 'mine' })
  const theirs = plan({ key: { budgets: [{ limit: 1_000 }] } }, { organization: 'theirs' })
  backend.brokenFor = 'theirs'
  await t.rejects(store.admit({ id: id(), plan: theirs, need: need(1) }), QuotaUnavailableError)
  t.equal((await admitted(store, mine, id(), 1)).origin, 'store')
  t.match(store.health(), { unavailable: 1 })
})

t.test('refuses rather than lose count when too much is unsettled', async (t) => {
  const { store, backend, id } = breakable(t, { maxPending: 3 })
  const open = planOf('acme', plan({ key: { budgets: [{ limit: 100 }] } }).scopes, 'Open')
  backend.broken = true
  const reservations = [await admitted(store, open, id(), 1), await admitted(store, open, id(), 1)]
  for (const reservation of reservations) await store.settle(reservation, charge(1))
  await admitted(store, open, id(), 1)
  await t.rejects(store.admit({ id: id(), plan: open, need: need(1) }), QuotaBacklogError)
  t.match(store.health(), { pendingSettlements: 2 })
})

t.test('a full queue gives up settlements that the backend will charge at their bound', async (t) => {
  const dropped: string[] = []
  const { store, backend, id } = breakable(t, {
    maxPending: 1,
    onDropped: (reservation) => dropped.push(reservation.id),
  })
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservations = [await admitted(store, budget, id(), 10), await admitted(store, budget, id(), 10)]
  backend.broken = true
  for (const reservation of reservations) await store.settle(reservation, charge(1))
  t.strictSame(dropped, [reservations[1]?.id])
})

t.test('closing delivers what is queued', async (t) => {
  const { store, backend, id } = breakable(t, { closeMs: 20_000 })
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservation = await admitted(store, budget, id(), 10)
  backend.broken = true
  await store.settle(reservation, charge(7))
  backend.broken = false
  await store.close()
  t.match((await backend.inner.usage(budget)).limits, [{ spent: 7, reserved: 0 }])
})

t.test('closing gives up after its bound', async (t) => {
  const { store, backend, id } = breakable(t, { closeMs: 10 })
  const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
  const reservation = await admitted(store, budget, id(), 10)
  backend.hanging = true
  void store.settle(reservation, charge(7))
  await store.close()
  t.pass('came back')
})

t.test(
  'what closing could not deliver is charged at its bound, or not at all where the backend knows nothing of it',
  async (t) => {
    const { store, backend, id } = breakable(t, { closeMs: 10 })
    const budget = plan({ key: { budgets: [{ limit: 1_000 }] } })
    const [reserved, released] = [await admitted(store, budget, id(), 10), await admitted(store, budget, id(), 10)]
    backend.broken = true
    const [used, unused] = [await admitted(store, budget, id(), 10), await admitted(store, budget, id(), 10)]
    for (const reservation of [reserved, used]) await store.settle(reservation, charge(7))
    for (const reservation of [released, unused]) await store.settle(reservation, charge(0, 0, 0))
    await store.close()
    t.same(store.undelivered(), { atBound: 2, uncharged: 1 })
  },
)

t.test('a Redis that freezes under load: every request ends, and everything spent is settled in the end', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  // A bound that a busy machine keeps while Redis runs.
  const redis = connectRedis(server.url, { callTimeoutMs: 3_000, stallMs: 300 })
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(20_000))
  const store = createResilientQuotaStore(new RedisQuotaStore(redis), { now: Date.now })
  t.teardown(() => store.close())
  const budget = plan({ key: { budgets: [{ window: 'Total', limit: 100_000 }], rateLimits: { maxConcurrent: 1_000 } } })
  let spent = 0
  let serial = 0
  const request = async () => {
    const admission = await store.admit({ id: `r${++serial}`, plan: budget, need: need(100) })
    if (admission.type === 'refused') return 'refused'
    await store.renew(admission.reservation)
    await store.settle(admission.reservation, charge(60))
    spent += 60
    return admission.reservation.origin
  }
  const burst = async (count: number) =>
    (await Promise.allSettled(Array.from({ length: count }, request))).map(outcomeOf)
  t.ok((await burst(50)).every((outcome) => outcome === 'store'))
  const frozenBurst = burst(50)
  server.freeze()
  const frozen = await frozenBurst
  const during = await burst(50)
  t.equal(frozen.length + during.length, 100, 'all have ended')
  t.ok(
    during.some((outcome) => outcome === 'unconfirmed'),
    'within the lease',
  )
  t.ok(during.every((outcome) => outcome !== 'store'))
  server.thaw()
  await until(() => store.health().unavailable === 0 && redis.ready)
  t.ok((await burst(10)).every((outcome) => outcome === 'store'))
  const report = await store.usage(budget)
  t.match(report, { limits: [{ spent, reserved: 0 }], rateLimits: [{ concurrent: { open: 0 } }] })
})

t.test('a Redis that restarts empty: what is in flight does no harm', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const redis = connectRedis(server.url, { callTimeoutMs: 5_000 })
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(20_000))
  const store = createResilientQuotaStore(new RedisQuotaStore(redis), { now: Date.now })
  t.teardown(() => store.close())
  const budget = plan({ key: { budgets: [{ window: 'Total', limit: 1_000 }] } })
  const lost = await admitted(store, budget, 'before', 100)
  await server.kill()
  const during = await admitted(store, budget, 'during', 50)
  await server.restart()
  await until(() => redis.ready && store.health().unavailable === 0)
  await store.renew(lost)
  await store.settle(lost, charge(100))
  await store.settle(during, charge(50))
  await store.settle(lost, charge(100))
  t.match((await store.usage(budget)).limits, [{ spent: 150, reserved: 0 }], 'what was in flight is charged, once')
})

/** A memory store that can be made to fail, to hang, or to do what it is asked and fail to say so. */
class Breakable implements QuotaStore {
  readonly inner: QuotaStore
  broken = false
  brokenFor = ''
  loseAnswers = false
  hanging = false
  #later: Promise<void> | undefined

  constructor(inner: QuotaStore) {
    this.inner = inner
  }

  admit: QuotaStore['admit'] = (request) => this.#call(request.plan, () => this.inner.admit(request))
  extend: QuotaStore['extend'] = (reservation, more) =>
    this.#call(reservation.plan, () => this.inner.extend(reservation, more))
  renew: QuotaStore['renew'] = (reservation) => this.#call(reservation.plan, () => this.inner.renew(reservation))
  usage: QuotaStore['usage'] = (own) => this.#call(own, () => this.inner.usage(own))
  close: QuotaStore['close'] = () => this.inner.close()
  settle(reservation: Reservation, actual: Charge): Promise<void> {
    return this.#call(reservation.plan, () => this.inner.settle(reservation, actual))
  }

  /** What is asked from now on is done, and answered when the function is called. */
  answerLater(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#later = promise
    return resolve
  }

  async #call<T>({ organization }: QuotaPlan, call: () => Promise<T>): Promise<T> {
    if (this.hanging) return new Promise(() => undefined)
    if (this.broken || this.brokenFor === organization) throw new Error('gone')
    const later = this.#later
    const answer = await call()
    await later
    if (this.loseAnswers) throw new Error('answer lost')
    return answer
  }
}

function breakable(t: import('tap').Test, options: Partial<ResilienceOptions> = {}) {
  let now = NOON
  let serial = 0
  const backend = new Breakable(new MemoryQuotaStore(() => now))
  const store = createResilientQuotaStore(backend, { now: () => now, closeMs: 100, ...options })
  t.teardown(() => store.close())
  const advance = (ms: number) => {
    now += ms
  }
  return { store, backend, advance, id: () => `r${++serial}` }
}

async function admitted(store: QuotaStore, own: QuotaPlan, id: string, cost: number): Promise<Reservation> {
  const admission = await store.admit({ id, plan: own, need: need(cost) })
  if (admission.type === 'refused') throw new Error(`refused: ${JSON.stringify(admission)}`)
  return admission.reservation
}

function outcomeOf(result: PromiseSettledResult<string>): string {
  if (result.status === 'fulfilled') return result.value
  if (result.reason instanceof QuotaUnavailableError) return 'unavailable'
  throw result.reason
}

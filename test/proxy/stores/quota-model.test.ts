/** Random sequences: the memory store and Redis must agree on everything, and the books must balance after each step. */
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { amountIn, addCharges, excessOf, NOTHING_USED } from '../../../src/domain/quota/amounts.ts'
import type { Charge } from '../../../src/domain/quota/amounts.ts'
import type { QuotaPlan, QuotaUnit } from '../../../src/domain/quota/limits.ts'
import type { QuotaNeed } from '../../../src/domain/quota/need.ts'
import type { QuotaStore, Reservation } from '../../../src/proxy/pipeline/quota-port.ts'
import { MemoryQuotaStore } from '../../../src/proxy/stores/memory/memory-quota-store.ts'
import { connectRedis } from '../../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../../src/proxy/stores/redis/redis-quota-store.ts'
import { plan } from '../../helpers/quota.ts'
import { startRedis } from '../../helpers/redis.ts'

const RUNS = Number(process.env['QUOTA_MODEL_RUNS'] ?? 60)
const MINUTE = 60_000
const WINDOWS = ['Minute', 'Hour', 'Day', 'Week', 'Month', 'Total'] as const
const RESETS = ['Calendar', 'Rolling'] as const
const KINDS = ['Input', 'Output', 'Total'] as const

type Step =
  /** In one moment, as all here: what is asked together may go in one call, and has to count as if it went one by one. */
  | { readonly type: 'admit'; readonly needs: readonly QuotaNeed[] }
  | { readonly type: 'extend'; readonly pick: number; readonly need: QuotaNeed }
  | {
      readonly type: 'settle'
      readonly picks: readonly number[]
      readonly share: number
      readonly needs: readonly QuotaNeed[]
    }
  | { readonly type: 'renew'; readonly pick: number }
  | { readonly type: 'unconfirmed'; readonly actual: Charge }
  | { readonly type: 'wait'; readonly ms: number }

t.test('memory and Redis agree on random sequences', async (t) => {
  const server = await startRedis()
  t.teardown(() => server.stop())
  const connection = connectRedis(server.url, { callTimeoutMs: 20_000 })
  t.teardown(() => connection.close())
  t.ok(await connection.waitUntilReady(20_000))
  let serial = 0
  await fc.assert(
    fc.asyncProperty(
      planScopes(),
      startTime(),
      fc.array(step(), { minLength: 5, maxLength: 40 }),
      async (scopes, start, steps) => {
        const own = plan(scopes, { organization: `o${++serial}` })
        let now = start
        const stores = [new MemoryQuotaStore(() => now), new RedisQuotaStore(connection, { now: () => now })] as const
        const runs = stores.map((store) => new Run(store, own))
        for (const [index, next] of steps.entries()) {
          if (next.type === 'wait') {
            for (const run of runs) await run.beforeWaiting(next.ms)
            now += next.ms
          }
          const outcomes = []
          for (const run of runs) outcomes.push(await run.take(next, `r${index}`))
          assert.deepStrictEqual(outcomes[1], outcomes[0], `step ${index}: ${JSON.stringify(next)}`)
        }
      },
    ),
    { numRuns: RUNS },
  )
})

t.test('no blocking limit is ever exceeded, and what is spent is what was settled', async (t) => {
  await fc.assert(
    fc.asyncProperty(planScopes(), fc.array(step(), { minLength: 5, maxLength: 80 }), async (scopes, steps) => {
      const own = plan(scopes)
      let now = Date.UTC(2026, 4, 5, 6)
      const run = new Run(new MemoryQuotaStore(() => now), own)
      for (const [index, next] of steps.entries()) {
        // Without the store's word, anything can be spent: not part of this promise.
        if (next.type === 'unconfirmed') continue
        if (next.type === 'wait') {
          await run.beforeWaiting(next.ms)
          now += next.ms
        }
        await run.take(next, `r${index}`)
        for (const limit of (await run.store.usage(own)).limits) {
          if (limit.onExceed === 'Block') assert.ok(limit.spent + limit.reserved <= limit.limit, JSON.stringify(limit))
        }
      }
      // All end: the open ones are settled, the expired ones have been charged.
      await run.settleAll()
      for (const limit of (await run.store.usage(own)).limits) {
        assert.equal(limit.reserved, 0, JSON.stringify(limit))
        if (limit.window === 'Total') assert.equal(limit.spent, run.settledIn(limit.unit), JSON.stringify(limit))
      }
    }),
    { numRuns: RUNS * 5 },
  )
  t.pass()
})

/** One store going through the steps. */
class Run {
  readonly store: QuotaStore
  readonly #plan: QuotaPlan
  #open: { reservation: Reservation; bound: Charge; heldMs: number }[] = []
  #settled: Charge = NOTHING_USED

  constructor(store: QuotaStore, own: QuotaPlan) {
    this.store = store
    this.#plan = own
  }

  /** What the step showed, and the state after it; not after a wait, so that others than `usage` meet a plan that is past. */
  async take(step: Step, id: string): Promise<unknown> {
    if (step.type === 'wait') return undefined
    return [await this.#do(step, id), await this.store.usage(this.#plan)]
  }

  /** What became of an expired reservation is remembered for an hour: those that would outlive that are settled. */
  async beforeWaiting(ms: number): Promise<void> {
    for (const entry of this.#open) entry.heldMs += ms
    const old = this.#open.filter(({ heldMs }) => heldMs >= 55 * MINUTE)
    this.#open = this.#open.filter(({ heldMs }) => heldMs < 55 * MINUTE)
    for (const { reservation, bound } of old) await this.#settle(reservation, bound)
  }

  async settleAll(): Promise<void> {
    for (const { reservation, bound } of this.#open.splice(0)) await this.#settle(reservation, bound)
  }

  settledIn(unit: QuotaUnit): number {
    return amountIn(unit, this.#settled)
  }

  async #do(step: Exclude<Step, { readonly type: 'wait' }>, id: string): Promise<unknown> {
    const chosen = 'pick' in step ? this.#open[step.pick % this.#open.length] : undefined
    switch (step.type) {
      case 'admit': {
        const admitting = step.needs.map((need, index) => this.#admit(`${id}.${index}`, need))
        return Promise.all(admitting)
      }
      case 'extend': {
        if (chosen === undefined) return undefined
        const extension = await this.store.extend(chosen.reservation, step.need)
        if (extension.type === 'extended')
          chosen.bound = addCharges(chosen.bound, boundIn(step.need, extension.grantedOutputTokens))
        return extension
      }
      case 'settle': {
        const settling = step.picks.flatMap((pick, index) => {
          const [ended] = this.#open.splice(pick % Math.max(1, this.#open.length), 1)
          if (ended === undefined) return []
          const actual = scaled(ended.bound, step.share)
          // Now and then twice in one moment.
          const again = index % 3 === 0 ? [this.store.settle(ended.reservation, actual)] : []
          return [this.#settle(ended.reservation, actual), ...again]
        })
        const admitting = step.needs.map((need, index) => this.#admit(`${id}.${index}`, need))
        return Promise.all([...settling, ...admitting])
      }
      case 'renew':
        return chosen === undefined ? undefined : this.store.renew(chosen.reservation).then(() => undefined)
      case 'unconfirmed':
        return this.store.settle({ id, plan: this.#plan, origin: 'unconfirmed' }, step.actual)
      default:
        return step satisfies never
    }
  }

  async #admit(id: string, need: QuotaNeed): Promise<unknown> {
    const admission = await this.store.admit({ id, plan: this.#plan, need })
    if (admission.type === 'refused') return admission
    const { reservation, ...shown } = admission
    this.#open.push({ reservation, bound: boundIn(need, shown.grantedOutputTokens), heldMs: 0 })
    return shown
  }

  async #settle(reservation: Reservation, actual: Charge): Promise<void> {
    if (reservation.origin === 'store') this.#settled = addCharges(this.#settled, actual)
    await this.store.settle(reservation, actual)
  }
}

/** Fixed needs only cost what they say; open ones are taken at what they were granted, which is cheaper than the bound. */
function boundIn(need: QuotaNeed, granted: number | undefined): Charge {
  const tokens = (granted ?? 0) * (need.open?.choices ?? 0)
  const openCost = Math.floor((tokens * (need.open?.price ?? 0)) / 1e9)
  const bound = {
    costMicroUsd: need.costMicroUsd + openCost,
    inputTokens: need.inputTokens,
    outputTokens: need.outputTokens + tokens,
  }
  return excessOf(bound, need.open?.held ?? NOTHING_USED)
}

function scaled({ costMicroUsd, inputTokens, outputTokens }: Charge, share: number): Charge {
  return {
    costMicroUsd: Math.floor(costMicroUsd * share),
    inputTokens: Math.floor(inputTokens * share),
    outputTokens: Math.floor(outputTokens * share),
  }
}

function planScopes() {
  const limit = fc.integer({ min: 0, max: 3_000 })
  const onExceed = fc.constantFrom('Block' as const, 'Block' as const, 'Warn' as const)
  const budget = fc.record({
    window: fc.constantFrom('Hour' as const, 'Day' as const, 'Week' as const, 'Month' as const, 'Total' as const),
    limit,
    reset: fc.constantFrom(...RESETS),
    warnAtPercent: fc.integer({ min: 1, max: 100 }),
    onExceed,
  })
  const quota = fc.record({
    window: fc.constantFrom(...WINDOWS),
    kind: fc.constantFrom(...KINDS),
    limit,
    reset: fc.constantFrom(...RESETS),
    onExceed,
  })
  const rateLimits = fc.record(
    {
      requestsPerMinute: fc.integer({ min: 0, max: 50 }),
      tokensPerMinute: fc.integer({ min: 0, max: 5_000 }),
      burst: fc.integer({ min: 0, max: 20 }),
      maxConcurrent: fc.integer({ min: 1, max: 15 }),
    },
    { requiredKeys: [] },
  )
  const scope = fc.record({
    budgets: fc.array(budget, { maxLength: 2 }),
    tokenQuotas: fc.array(quota, { maxLength: 2 }),
    rateLimits,
  })
  return fc.record({ key: scope, project: scope, organization: scope })
}

function step(): fc.Arbitrary<Step> {
  const part = fc.integer({ min: -100, max: 800 })
  const need = fc
    .record({
      costMicroUsd: fc.integer({ min: 0, max: 400 }),
      inputTokens: fc.integer({ min: 0, max: 300 }),
      outputTokens: fc.integer({ min: 0, max: 300 }),
      rateTokens: fc.integer({ min: 0, max: 600 }),
      choices: fc.integer({ min: 0, max: 3 }),
      price: fc.integer({ min: 0, max: 3_000_000_000 }),
      held: fc.option(fc.record({ costMicroUsd: part, inputTokens: part, outputTokens: part })),
    })
    .map(({ choices, price, held, ...fixed }): QuotaNeed => {
      if (choices === 0) return fixed
      const open = { choices, price, minTokens: 10, maxTokens: 500, ...(held === null ? {} : { held }) }
      return { ...fixed, outputTokens: 0, open }
    })
  const needs = fc.oneof(fc.tuple(need), fc.array(need, { minLength: 2, maxLength: 40 }))
  const pick = fc.nat({ max: 50 })
  const actual = fc.record({
    costMicroUsd: fc.nat({ max: 50 }),
    inputTokens: fc.nat({ max: 50 }),
    outputTokens: fc.nat({ max: 50 }),
  })
  const wait = fc.oneof(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 5_000, max: 70_000 }),
    fc.integer({ min: MINUTE, max: 40 * MINUTE }),
  )
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ type: fc.constant('admit' as const), needs }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('extend' as const), pick, need }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('settle' as const),
        picks: fc.array(pick, { minLength: 1, maxLength: 8 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        // What has ended goes with what is asked in the same moment.
        needs: fc.oneof(fc.constant([]), needs),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('renew' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('unconfirmed' as const), actual }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: wait }) },
  )
}

/** Any time between 1990 and 2100, and moments before midnight on New Year and the end of February. */
function startTime(): fc.Arbitrary<number> {
  const edge = fc.record({ year: fc.integer({ min: 2000, max: 2100 }), month: fc.constantFrom(0, 2) })
  return fc.oneof(
    fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2100, 0) }),
    edge.map(({ year, month }) => Date.UTC(year, month, 1) - 90_000),
  )
}

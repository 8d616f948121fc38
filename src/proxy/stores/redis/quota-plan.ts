/** Plans and needs in the short form that the quota scripts read. */
import type { Charge } from '../../../domain/quota/amounts.ts'
import { counterBase, counterKey, scopePart, wholeKey } from '../../../domain/quota/counter-keys.ts'
import type { LimitInPlan, PlannedScope, PlannedWindow, QuotaPlan, QuotaUnit } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import { requestRate, tokenRate } from '../../../domain/quota/rate.ts'
import { calendarWindow, rollingBucketMs } from '../../../domain/quota/windows.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'

/** Encodes a plan once: it is the same object for every request of a key. */
export class PlanEncoder {
  readonly #encoded = new WeakMap<QuotaPlan, EncodedPlan>()

  encode(plan: QuotaPlan): EncodedPlan {
    const known = this.#encoded.get(plan)
    if (known !== undefined) return known
    const encoded = new EncodedPlan(plan)
    this.#encoded.set(plan, encoded)
    return encoded
  }
}

interface EncodedLimit {
  readonly entry: LimitInPlan
  readonly position: number
}

/** What all calls for a plan have in common. */
export class EncodedPlan {
  readonly plan: QuotaPlan
  readonly openKey: string
  readonly reservationsKey: string
  readonly wholeKey: string
  /** The scopes with rates or a bound of concurrency: those whose levels the scripts return. */
  readonly ratedScopes: readonly PlannedScope[]
  /** The limits of the plan, each with the position of its window among the windows of all scopes. */
  readonly limits: readonly EncodedLimit[]
  /** Those of them that can refuse: the scripts know no others. */
  readonly blocking: readonly EncodedLimit[]
  readonly windowCount: number
  readonly #base: string
  #json: string

  constructor(plan: QuotaPlan) {
    this.plan = plan
    this.#base = counterBase(plan.organization)
    this.openKey = `${this.#base}:open`
    this.reservationsKey = `${this.#base}:reservations`
    this.wholeKey = wholeKey(plan.organization)
    this.ratedScopes = plan.scopes.filter(hasRates)
    const windows = plan.scopes.flatMap((scope) => scope.windows)
    this.windowCount = windows.length
    this.limits = plan.limits.map((entry) => ({ entry, position: windows.indexOf(entry.window) }))
    this.blocking = this.limits.filter(({ entry }) => entry.limit.onExceed === 'Block')
    this.#json = this.#encode(0)
  }

  /** `quota-plan.lua` says what it holds. Its windows may be past: the scripts look at the clock and find the right ones. */
  get json(): string {
    return this.#json
  }

  /** Names the windows that hold `nowMs`, which spares the scripts the calendar until the first of them ends. */
  date(nowMs: Milliseconds): void {
    this.#json = this.#encode(nowMs)
  }

  #encode(nowMs: Milliseconds): string {
    const { organization, scopes } = this.plan
    let [fromMs, untilMs] = [0, Number.MAX_SAFE_INTEGER]
    const windows = scopes.flatMap((scope) =>
      scope.windows.map((window) => {
        const bucketMs = bucketOf(window)
        const { startMs, endMs } = bucketMs === 0 ? calendarWindow(window.window, nowMs) : ALWAYS
        fromMs = Math.max(fromMs, startMs)
        untilMs = Math.min(untilMs, endMs ?? untilMs)
        return [counterKey(organization, scope.name, window, nowMs), bucketMs, endMs ?? 0]
      }),
    )
    const limits = this.blocking.flatMap(({ entry: { limit }, position }) => [
      position + 1,
      UNIT_NUMBER[limit.unit],
      limit.limit,
    ])
    const rates = this.ratedScopes.map((scope) => encodeRates(this.#base, scope))
    return JSON.stringify([fromMs, untilMs, windows, rates.length > 0 && rates, ...limits])
  }
}

/** A need as `quota-need.lua` reads it. */
export function needText({ costMicroUsd, inputTokens, outputTokens, rateTokens, open }: QuotaNeed): string {
  const closed = `${costMicroUsd} ${inputTokens} ${outputTokens} ${rateTokens}`
  if (open === undefined) return closed
  const { choices, minTokens, maxTokens, price, held } = open
  const whole = `${closed} ${choices} ${minTokens} ${maxTokens} ${price}`
  return held === undefined ? whole : `${whole} ${chargeText(held)}`
}

/** A charge as `quota-settle.lua` reads it. */
export function chargeText({ costMicroUsd, inputTokens, outputTokens }: Charge): string {
  return `${costMicroUsd} ${inputTokens} ${outputTokens}`
}

const ALWAYS = { startMs: 0, endMs: undefined }

/** 0: a calendar window. */
function bucketOf({ window, reset }: PlannedWindow): Milliseconds {
  return (reset === 'Rolling' ? rollingBucketMs(window) : undefined) ?? 0
}

function hasRates({ rateLimits }: PlannedScope): boolean {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent } = rateLimits
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || maxConcurrent !== undefined
}

/** As `quota-rates.lua` says; -1 for what is not limited. */
function encodeRates(base: string, { name, rateLimits }: PlannedScope): readonly (string | number)[] {
  const requests = requestRate(rateLimits)
  const tokens = tokenRate(rateLimits)
  return [
    `${base}:${scopePart(name)}:rate`,
    requests?.limit ?? -1,
    requests?.capacity ?? -1,
    tokens?.limit ?? -1,
    tokens?.capacity ?? -1,
    rateLimits.maxConcurrent ?? -1,
  ]
}

const UNIT_NUMBER: Readonly<Record<QuotaUnit, number>> = { cost: 1, input: 2, output: 3, total: 4 }

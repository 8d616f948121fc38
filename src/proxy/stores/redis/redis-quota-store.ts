/**
 * The quota store in Redis: every call is one script, hence atomic, and one round trip. All keys of an organization
 * share the hash slot of `{organization}`, so that a cluster serves it from one node. The clock is Redis's.
 */
import { readFileSync } from 'node:fs'
import { amountIn } from '../../../domain/quota/amounts.ts'
import type { Charge } from '../../../domain/quota/amounts.ts'
import { counterBase } from '../../../domain/quota/counter-keys.ts'
import { figuresOf, scopeFigures } from '../../../domain/quota/decide-rate.ts'
import type { RateState } from '../../../domain/quota/decide-rate.ts'
import { remainingOf, warningsOf } from '../../../domain/quota/decide.ts'
import type { WindowStates } from '../../../domain/quota/decide.ts'
import type { PlannedScope, PlannedWindow, QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import type { Refused } from '../../../domain/quota/outcome.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import { QuotaUnavailableError, unlimitedAdmission } from '../../pipeline/quota-port.ts'
import type {
  Admission,
  AdmissionRequest,
  Extension,
  QuotaStore,
  Reservation,
  UsageReport,
} from '../../pipeline/quota-port.ts'
import { QuotaReply } from './quota-reply.ts'
import { encodeNeed, PlanEncoder } from './quota-plan.ts'
import { redisScript } from './redis-script.ts'
import type { RedisConnection } from './redis-client.ts'
import { RedisUnavailableError } from './redis-errors.ts'

export interface RedisQuotaStoreOptions {
  /** Instead of Redis's own clock; for tests. */
  readonly now?: Now
  readonly timeoutMs?: Milliseconds
  /**
   * Somebody keeps a copy of the counters and restores them where they were lost: until then nothing is admitted by
   * this store. A Redis that has been emptied must not hand out all budgets anew.
   */
  readonly onlyWhole?: boolean
}

/** Whether a settlement found what it was to settle; for metrics. */
export type SettlementOutcome = 'settled' | 'corrected' | 'charged' | 'unknown'

/** Throws what the connection throws: `createResilientQuotaStore` decides what that means for requests. */
export class RedisQuotaStore implements QuotaStore {
  readonly #redis: RedisConnection
  readonly #now: Now | undefined
  readonly #call: { readonly timeoutMs?: Milliseconds }
  readonly #onlyWhole: '1' | ''
  readonly #plans = new PlanEncoder()
  /** Reservations whose settlement has been sent at least once. */
  readonly #tried = new WeakSet<Reservation>()

  constructor(redis: RedisConnection, options: RedisQuotaStoreOptions = {}) {
    this.#redis = redis
    this.#now = options.now
    this.#onlyWhole = options.onlyWhole === true ? '1' : ''
    this.#call = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { id, plan, need } = request
    if (plan.scopes.length === 0) return unlimitedAdmission(request)
    const base = baseOf(plan)
    const args = [this.#clock(), base, id, this.#plans.encode(plan), ...encodeNeed(need), this.#onlyWhole]
    const reply = new QuotaReply(
      await this.#redis.run(ADMIT, [...reservationKeys(base), endedKey(base, id)], args, this.#call),
    )
    switch (reply.integer(0)) {
      case 0:
        return refusalOf(plan, reply)
      case 1:
        return admissionOf(request, reply)
      case 3:
        throw lostCounters()
      default:
        throw new QuotaUnavailableError(`reservation id ${id} was already used`)
    }
  }

  async extend({ id, plan, origin }: Reservation, more: QuotaNeed): Promise<Extension> {
    if (origin === 'none') return { type: 'extended', grantedOutputTokens: more.open?.maxTokens }
    const base = baseOf(plan)
    const args = [this.#clock(), base, id, this.#plans.encode(plan), ...encodeNeed(more)]
    const reply = new QuotaReply(await this.#redis.run(EXTEND, reservationKeys(base), args, this.#call))
    switch (reply.integer(0)) {
      case 0:
        return refusalOf(plan, reply)
      case 1:
        return { type: 'extended', grantedOutputTokens: more.open === undefined ? undefined : reply.integer(1) }
      default:
        return { type: 'expired' }
    }
  }

  async renew({ id, plan, origin }: Reservation): Promise<void> {
    if (origin === 'none') return
    await this.#redis.run(RENEW, [`${baseOf(plan)}:open`], [this.#clock(), id], this.#call)
  }

  async settle(reservation: Reservation, actual: Charge): Promise<void> {
    if (reservation.origin !== 'none') await this.trySettle(reservation, actual)
  }

  /** As `settle`, but tells what became of it. */
  async trySettle(reservation: Reservation, actual: Charge): Promise<SettlementOutcome> {
    const { id, plan, origin } = reservation
    const base = baseOf(plan)
    const amounts = [actual.costMicroUsd, actual.inputTokens, actual.outputTokens].map(String)
    const isUnconfirmed = origin === 'unconfirmed'
    // Where this is the first try and Redis knows nothing of the reservation, Redis has lost it (restart, failover) and
    // the charge counts all the same. At a further try it may as well be settled: then nothing is charged.
    const isFirst = !this.#tried.has(reservation)
    this.#tried.add(reservation)
    const orphanPlan = isFirst || isUnconfirmed ? this.#plans.encode(plan) : ''
    const args = [this.#clock(), base, id, ...amounts, orphanPlan, isUnconfirmed ? '1' : '']
    try {
      const outcome = await this.#redis.run(SETTLE, [...reservationKeys(base), endedKey(base, id)], args, this.#call)
      return outcome === 'settled' || outcome === 'corrected' || outcome === 'charged' ? outcome : 'unknown'
    } catch (error) {
      if (isFirst && error instanceof RedisUnavailableError && !error.maybeExecuted) this.#tried.delete(reservation)
      throw error
    }
  }

  async usage(plan: QuotaPlan): Promise<UsageReport> {
    const base = baseOf(plan)
    const args = [this.#clock(), base, this.#plans.encode(plan), this.#onlyWhole]
    const reply = new QuotaReply(await this.#redis.run(USAGE, [`${base}:open`], args, this.#call))
    if (reply.isEmpty) throw lostCounters()
    return usageOf(plan, reply)
  }

  async close(): Promise<void> {
    // The connection is its owner's.
  }

  #clock(): string {
    return this.#now === undefined ? '' : String(this.#now())
  }
}

const PRELUDE = readFileSync(new URL('quota-prelude.lua', import.meta.url), 'utf8')
const ADMIT = loadScript('admit')
const EXTEND = loadScript('extend')
const RENEW = loadScript('renew')
const SETTLE = loadScript('settle')
const USAGE = loadScript('usage')

function loadScript(name: string) {
  return redisScript(`${PRELUDE}\n${readFileSync(new URL(`quota-${name}.lua`, import.meta.url), 'utf8')}`)
}

function baseOf({ organization }: QuotaPlan): string {
  return counterBase(organization)
}

/** As where Redis is away: what was leased lasts for the grace. */
function lostCounters(): RedisUnavailableError {
  return new RedisUnavailableError('Redis has lost the counters and they are not restored yet', false)
}

function reservationKeys(base: string): [string, string] {
  return [`${base}:open`, `${base}:reservations`]
}

function endedKey(base: string, id: string): string {
  return `${base}:ended:${id}`
}

function admissionOf({ id, plan, need }: AdmissionRequest, reply: QuotaReply): Admission {
  const states = reply.windowStates(plan, 2)
  return {
    type: 'admitted',
    reservation: { id, plan, origin: 'store' },
    grantedOutputTokens: need.open === undefined ? undefined : reply.integer(1),
    rateLimits: figuresOf(plan, reply.rateStates(plan, 3)),
    warnings: warningsOf(plan, states),
    remaining: remainingOf(plan, states),
  }
}

/** Reply: 0, reason, scope, window (0: a rate), limit, retry after, reset at, rate levels. */
function refusalOf(plan: QuotaPlan, reply: QuotaReply): Refused {
  const reason = reply.reason(1)
  const scope = plan.scopes[reply.integer(2) - 1]
  const window = scope?.windows[reply.integer(3) - 1]
  const limit = window?.limits[reply.integer(4) - 1]
  const rates = scope?.rateLimits
  const isTokenRate = reason === 'rate-limit' && reply.integer(4) === 2
  const rateLimit =
    reason === 'concurrency' ? rates?.maxConcurrent : isTokenRate ? rates?.tokensPerMinute : rates?.requestsPerMinute
  return {
    type: 'refused',
    reason,
    scope: scope?.kind ?? 'key',
    window: window?.window,
    unit: limit?.unit ?? (isTokenRate ? 'total' : 'requests'),
    limit: limit?.limit ?? rateLimit ?? 0,
    retryAfterMs: reply.optional(5),
    resetAtMs: reply.optional(6),
    rateLimits: figuresOf(plan, reply.rateStates(plan, 7)),
  }
}

/** Reply: now, window figures, start and next reset of each window, rate levels. */
function usageOf(plan: QuotaPlan, reply: QuotaReply): UsageReport {
  const states = reply.windowStates(plan, 1)
  const spans = reply.windowSpans(plan, 2)
  const rates = reply.rateStates(plan, 3)
  return {
    atMs: reply.integer(0),
    limits: plan.limits.map((entry) => limitUsage(entry.scope, entry.window, entry.limit, states, spans)),
    rateLimits: plan.scopes.map((scope) => rateUsage(scope, rates(scope))),
  }
}

function limitUsage(
  scope: PlannedScope,
  window: PlannedWindow,
  limit: PlannedWindow['limits'][number],
  states: WindowStates,
  spans: ReadonlyMap<PlannedWindow, { readonly startMs: Milliseconds; readonly resetAtMs: Milliseconds | undefined }>,
) {
  const state = states(scope, window)
  const spent = amountIn(limit.unit, state.spent)
  const reserved = amountIn(limit.unit, state.reserved)
  const span = spans.get(window)
  return {
    scope: scope.kind,
    scopeName: scope.name,
    window: window.window,
    reset: window.reset,
    unit: limit.unit,
    onExceed: limit.onExceed,
    limit: limit.limit,
    spent,
    reserved,
    remaining: Math.max(0, limit.limit - spent - reserved),
    windowStartMs: span?.startMs ?? 0,
    resetAtMs: span?.resetAtMs,
  }
}

function rateUsage(scope: PlannedScope, state: RateState) {
  const limit = scope.rateLimits.maxConcurrent
  return {
    scope: scope.kind,
    scopeName: scope.name,
    ...scopeFigures(scope, state),
    concurrent: limit === undefined ? undefined : { limit, open: state.open },
  }
}

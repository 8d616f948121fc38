/**
 * The decision of an admission, as a function of what stands in the windows. `redis/quota-decide.lua` says the same
 * in Lua; the two are held together by a test that runs random sequences on both.
 *
 * 1. A limit that blocks refuses where what is spent leaves too little (`budget`, `token-quota`); where only the
 *    reservations in flight are in the way it is `reserved`, which a moment's patience cures. Hopeless ones win. One of which
 *    the request takes nothing refuses nothing.
 * 2. An open answer is granted what the tightest limit leaves, but never less than its useful minimum.
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'
import { amountIn, boundOf, leftForOpen, openCost } from './amounts.ts'
import type { Charge } from './amounts.ts'
import type { LimitInPlan, PlannedLimit, PlannedScope, PlannedWindow, QuotaPlan, QuotaUnit } from './limits.ts'
import type { OpenOutput, QuotaNeed } from './need.ts'
import type { QuotaWarning, Refused } from './outcome.ts'

/** Patience advised while reservations in flight are in the way. */
const RESERVED_RETRY_MS = 1_000

export interface WindowState {
  readonly spent: Charge
  readonly reserved: Charge
  /** When at least `excess` of what is spent will have dropped out; undefined: never. */
  resetAtMs(limit: PlannedLimit, excess: number): Milliseconds | undefined
}

/** The state of each window of the plan. */
export type WindowStates = (scope: PlannedScope, window: PlannedWindow) => WindowState

export type SizeDecision =
  /** Tokens a choice; meaningless where the need is not open. */
  { readonly type: 'fits'; readonly granted: number } | (Omit<Refused, 'rateLimits'> & { readonly type: 'refused' })

/**
 * Whether the need fits into every budget and token quota of the plan.
 * @param own of what is reserved, the asking request's, where it needs more: that does not become free for it
 */
export function decideSize(plan: QuotaPlan, need: QuotaNeed, states: WindowStates, own?: Charge): SizeDecision {
  let granted = need.open?.maxTokens ?? 0
  let reserved: SizeDecision | undefined
  for (const { scope, window, limit } of plan.limits) {
    if (limit.onExceed !== 'Block') continue
    const state = states(scope, window)
    const missing = boundOf(need, need.open?.minTokens ?? 0)
    const least = amountIn(limit.unit, missing)
    // More may be spent than the limit: what takes nothing of it (embeddings, of output tokens) does not add to that.
    if (least === 0 && need.open?.held === undefined) continue
    const spent = amountIn(limit.unit, state.spent)
    const whole = own === undefined ? least : amountIn(limit.unit, withOwn(missing, own))
    if (least > 0 && spent + whole > limit.limit)
      return spentRefusal(scope, window, limit, state, spent + whole - limit.limit, whole)
    const left = leftOf(limit, spent, amountIn(limit.unit, state.reserved))
    if (least > left) reserved ??= reservedRefusal(scope, window, limit)
    else if (need.open !== undefined) {
      granted = Math.min(granted, openTokens(need.open, limit.unit, leftForOpen(limit.unit, need, left)))
    }
  }
  return reserved ?? { type: 'fits', granted }
}

/** What a request takes at least of which so much is missing: of a part of which nothing is, that is not known. */
function withOwn({ costMicroUsd, inputTokens, outputTokens }: Charge, own: Charge): Charge {
  return {
    costMicroUsd: costMicroUsd > 0 ? own.costMicroUsd + costMicroUsd : 0,
    inputTokens: inputTokens > 0 ? own.inputTokens + inputTokens : 0,
    outputTokens: outputTokens > 0 ? own.outputTokens + outputTokens : 0,
  }
}

/** The warnings due, in the plan's order. */
export function warningsOf(plan: QuotaPlan, states: WindowStates): QuotaWarning[] {
  const warnings: QuotaWarning[] = []
  for (const entry of plan.limits) {
    const warning = warningOf(entry, amountIn(entry.limit.unit, states(entry.scope, entry.window).spent))
    if (warning !== undefined) warnings.push(warning)
  }
  return warnings
}

/** The warning due where what is spent (reservations aside) has reached the limit or its share. */
export function warningOf({ scope, window, limit }: LimitInPlan, spent: number): QuotaWarning | undefined {
  if (spent <= 0 || spent * 100 < limit.limit * limit.warnAtPercent) return undefined
  const type = spent >= limit.limit ? 'exceeded' : 'near'
  const { window: length, reset } = window
  return { type, scope: scope.kind, window: length, reset, unit: limit.unit, limit: limit.limit, spent }
}

/** What each limit of the plan leaves, in the plan's order. */
export function remainingOf(plan: QuotaPlan, states: WindowStates): number[] {
  return plan.limits.map(({ scope, window, limit }) => {
    const { spent, reserved } = states(scope, window)
    return leftOf(limit, amountIn(limit.unit, spent), amountIn(limit.unit, reserved))
  })
}

/** What a limit leaves; never below zero. */
export function leftOf({ limit }: PlannedLimit, spent: number, reserved: number): number {
  return Math.max(0, limit - spent - reserved)
}

/**
 * What of a need `left` is enough for, in the units given: tokens a choice, meaningless where the need is not open. Undefined: not
 * even for the least of it.
 */
export function fittingTokens(need: QuotaNeed, left: Charge, units: Iterable<QuotaUnit>): number | undefined {
  let tokens = need.open?.maxTokens ?? 0
  const most = boundOf(need, tokens)
  const least = boundOf(need, need.open?.minTokens ?? 0)
  for (const unit of units) {
    if (amountIn(unit, most) === 0) continue
    const amount = amountIn(unit, left)
    if (amountIn(unit, least) > amount) return undefined
    if (need.open === undefined) continue
    tokens = Math.min(tokens, openTokens(need.open, unit, leftForOpen(unit, need, amount)))
  }
  return tokens
}

/** Tokens a choice for which `left` of a unit is enough; at least the minimum, which was checked before. */
function openTokens(open: OpenOutput, unit: QuotaUnit, left: number): number {
  if (unit === 'input') return open.maxTokens
  if (unit !== 'cost') return Math.min(open.maxTokens, Math.floor(left / open.choices))
  if (open.price === 0) return open.maxTokens
  let tokens = Math.min(open.maxTokens, Math.floor((left * 1e9) / open.price / open.choices))
  while (tokens > open.minTokens && openCost(open, tokens * open.choices) > left) tokens--
  return Math.max(tokens, open.minTokens)
}

function spentRefusal(
  scope: PlannedScope,
  { window }: PlannedWindow,
  limit: PlannedLimit,
  state: WindowState,
  excess: number,
  least: number,
): SizeDecision {
  return {
    type: 'refused',
    reason: limit.unit === 'cost' ? 'budget' : 'token-quota',
    scope: scope.kind,
    window,
    unit: limit.unit,
    limit: limit.limit,
    retryAfterMs: undefined,
    // A request that is larger than the whole limit never fits.
    resetAtMs: least > limit.limit ? undefined : state.resetAtMs(limit, excess),
  }
}

function reservedRefusal(scope: PlannedScope, { window }: PlannedWindow, limit: PlannedLimit): SizeDecision {
  return {
    type: 'refused',
    reason: 'reserved',
    scope: scope.kind,
    window,
    unit: limit.unit,
    limit: limit.limit,
    retryAfterMs: RESERVED_RETRY_MS,
    resetAtMs: undefined,
  }
}

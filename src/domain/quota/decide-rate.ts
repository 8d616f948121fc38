/** Whether the rate limits and the concurrency of a plan let a request pass. */
import type { PlannedScope, QuotaPlan } from './limits.ts'
import type { QuotaNeed } from './need.ts'
import type { RateLimitFigures, Refused } from './outcome.ts'
import {
  CONCURRENCY_RETRY_MS,
  figureOf,
  RATE_PARTS,
  requestRate,
  tighter,
  tokenParts,
  tokenRate,
  waitMs,
} from './rate.ts'

/** Levels of a scope's buckets now (of no meaning where the scope has no such limit) and its requests in flight. */
export interface RateState {
  readonly requestLevel: number
  readonly tokenLevel: number
  readonly open: number
}

export type RateStates = (scope: PlannedScope) => RateState

export type RateRefusal = Omit<Refused, 'rateLimits'>

/** The scope in whose way the request stands longest; undefined: it passes. */
export function decideRate(plan: QuotaPlan, need: QuotaNeed, states: RateStates): RateRefusal | undefined {
  return concurrencyRefusal(plan, states) ?? longestWait(plan, need, states)
}

/** Where nothing limits a rate. */
export const NO_FIGURES: RateLimitFigures = Object.freeze({ requests: undefined, tokens: undefined })

/** The tightest figures over all scopes. */
export function figuresOf(plan: QuotaPlan, states: RateStates): RateLimitFigures {
  let figures = NO_FIGURES
  for (const scope of plan.scopes) figures = tightest(figures, scopeFigures(scope, states(scope)))
  return figures
}

/** The tighter of each two figures. */
export function tightest(left: RateLimitFigures, right: RateLimitFigures): RateLimitFigures {
  return { requests: tighter(left.requests, right.requests), tokens: tighter(left.tokens, right.tokens) }
}

export function scopeFigures({ rateLimits }: PlannedScope, state: RateState): RateLimitFigures {
  const requests = requestRate(rateLimits)
  const tokens = tokenRate(rateLimits)
  return {
    requests: requests === undefined ? undefined : figureOf(requests, state.requestLevel),
    tokens: tokens === undefined ? undefined : figureOf(tokens, state.tokenLevel),
  }
}

function concurrencyRefusal(plan: QuotaPlan, states: RateStates): RateRefusal | undefined {
  for (const scope of plan.scopes) {
    const limit = scope.rateLimits.maxConcurrent
    if (limit === undefined || states(scope).open < limit) continue
    return refusal('concurrency', scope, 'requests', limit, CONCURRENCY_RETRY_MS)
  }
  return undefined
}

function longestWait(plan: QuotaPlan, need: QuotaNeed, states: RateStates): RateRefusal | undefined {
  let longest: RateRefusal | undefined
  const consider = (scope: PlannedScope, unit: 'requests' | 'total', limit: number, wait: number) => {
    if (wait > (longest?.retryAfterMs ?? 0)) longest = refusal('rate-limit', scope, unit, limit, wait)
  }
  for (const scope of plan.scopes) {
    const { requestLevel, tokenLevel } = states(scope)
    const requests = requestRate(scope.rateLimits)
    if (requests !== undefined) consider(scope, 'requests', requests.limit, waitMs(requests, requestLevel, RATE_PARTS))
    const tokens = tokenRate(scope.rateLimits)
    if (tokens === undefined) continue
    consider(scope, 'total', tokens.limit, waitMs(tokens, tokenLevel, tokenParts(tokens, need.rateTokens)))
  }
  return longest
}

function refusal(
  reason: 'rate-limit' | 'concurrency',
  scope: PlannedScope,
  unit: 'requests' | 'total',
  limit: number,
  retryAfterMs: number,
): RateRefusal {
  return {
    type: 'refused',
    reason,
    scope: scope.kind,
    window: undefined,
    unit,
    limit,
    retryAfterMs,
    resetAtMs: undefined,
  }
}

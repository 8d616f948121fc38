/** How far limits are used up, in the words of the port, whatever store the figures come from. */
import { amountIn } from '../../domain/quota/amounts.ts'
import type { Charge } from '../../domain/quota/amounts.ts'
import { scopeFigures } from '../../domain/quota/decide-rate.ts'
import type { RateState } from '../../domain/quota/decide-rate.ts'
import { leftOf } from '../../domain/quota/decide.ts'
import type { LimitInPlan, PlannedScope } from '../../domain/quota/limits.ts'
import type { LimitUsage, RateLimitUsage } from '../pipeline/quota-port.ts'

/** What stands in a limit's window, and when that begins and resets. */
export interface WindowFigures extends Pick<LimitUsage, 'windowStartMs' | 'resetAtMs'> {
  readonly spent: Charge
  readonly reserved: Charge
}

export function limitUsageOf({ scope, window, limit }: LimitInPlan, figures: WindowFigures): LimitUsage {
  const spent = amountIn(limit.unit, figures.spent)
  const reserved = amountIn(limit.unit, figures.reserved)
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
    remaining: leftOf(limit, spent, reserved),
    windowStartMs: figures.windowStartMs,
    resetAtMs: figures.resetAtMs,
  }
}

export function rateUsageOf(scope: PlannedScope, state: RateState): RateLimitUsage {
  const limit = scope.rateLimits.maxConcurrent
  return {
    scope: scope.kind,
    scopeName: scope.name,
    ...scopeFigures(scope, state),
    concurrent: limit === undefined ? undefined : { limit, open: state.open },
  }
}

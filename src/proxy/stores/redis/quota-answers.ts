/** What the quota scripts return, in the words of the port. */
import { amountIn, boundOf } from '../../../domain/quota/amounts.ts'
import { NO_FIGURES, scopeFigures, tightest } from '../../../domain/quota/decide-rate.ts'
import type { RateState } from '../../../domain/quota/decide-rate.ts'
import { leftOf, warningOf } from '../../../domain/quota/decide.ts'
import type { LimitInPlan, PlannedScope } from '../../../domain/quota/limits.ts'
import type { QuotaWarning, RateLimitFigures, Refused } from '../../../domain/quota/outcome.ts'
import type { AdmissionRequest, Admitted, Reservation, UsageReport } from '../../pipeline/quota-port.ts'
import { limitUsageOf, rateUsageOf } from '../quota-usage.ts'
import type { EncodedPlan } from './quota-plan.ts'
import { afterWindows } from './quota-reply.ts'
import type { QuotaReply } from './quota-reply.ts'

/** Reply: 1, granted tokens, clock or 0, figures of the windows before this reservation, rate levels after it. */
export function admissionOf(
  { need }: AdmissionRequest,
  reservation: Reservation,
  encoded: EncodedPlan,
  reply: QuotaReply,
): Admitted {
  const clockMs = reply.integer(2)
  if (clockMs > 0) encoded.date(clockMs)
  const granted = reply.integer(1)
  const bound = boundOf(need, granted)
  const warnings: QuotaWarning[] = []
  const remaining = encoded.limits.map(({ entry, position }) => {
    const spent = amountIn(entry.limit.unit, reply.spent(3, position))
    const reserved = amountIn(entry.limit.unit, reply.reserved(3, position)) + amountIn(entry.limit.unit, bound)
    const warning = warningOf(entry, spent)
    if (warning !== undefined) warnings.push(warning)
    return leftOf(entry.limit, spent, reserved)
  })
  return {
    type: 'admitted',
    reservation,
    grantedOutputTokens: need.open === undefined ? undefined : granted,
    rateLimits: rateFiguresOf(encoded, reply, afterWindows(3, encoded.windowCount)),
    warnings,
    remaining,
  }
}

/** Reply: 0, reason, number of the limit or scope, 2 for a token rate, retry after, reset at, rate levels. */
export function refusalOf(encoded: EncodedPlan, reply: QuotaReply): Refused {
  const reason = reply.reason(1)
  const number = reply.integer(2) - 1
  const what =
    reason === 'rate-limit' || reason === 'concurrency'
      ? rateRefused(reason, encoded.ratedScopes[number], reply.integer(3) === 2)
      : limitRefused(encoded.blocking[number]?.entry)
  return {
    type: 'refused',
    reason,
    ...what,
    retryAfterMs: reply.optional(4),
    resetAtMs: reply.optional(5),
    rateLimits: rateFiguresOf(encoded, reply, 6),
  }
}

function limitRefused(entry: LimitInPlan | undefined): Pick<Refused, 'scope' | 'window' | 'unit' | 'limit'> {
  if (entry === undefined) throw new TypeError('a quota script refused for a limit that is not in the plan')
  return {
    scope: entry.scope.kind,
    window: entry.window.window,
    unit: entry.limit.unit,
    limit: entry.limit.limit,
  }
}

function rateRefused(
  reason: 'rate-limit' | 'concurrency',
  scope: PlannedScope | undefined,
  isTokenRate: boolean,
): Pick<Refused, 'scope' | 'window' | 'unit' | 'limit'> {
  if (scope === undefined) throw new TypeError('a quota script refused for a scope that is not in the plan')
  const { maxConcurrent, tokensPerMinute, requestsPerMinute } = scope.rateLimits
  const limit = reason === 'concurrency' ? maxConcurrent : isTokenRate ? tokensPerMinute : requestsPerMinute
  return { scope: scope.kind, window: undefined, unit: isTokenRate ? 'total' : 'requests', limit: limit ?? 0 }
}

/** The tightest figures; the levels of the scopes with rates begin at `index`. */
function rateFiguresOf({ ratedScopes }: EncodedPlan, reply: QuotaReply, index: number): RateLimitFigures {
  let figures = NO_FIGURES
  for (const [position, scope] of ratedScopes.entries()) {
    figures = tightest(figures, scopeFigures(scope, reply.rateState(index, position)))
  }
  return figures
}

/** Reply: 1, now, figures of the windows, start and next reset of each, rate levels. */
export function usageOf(encoded: EncodedPlan, reply: QuotaReply): UsageReport {
  const spans = afterWindows(2, encoded.windowCount)
  const levels = spans + encoded.windowCount * 2
  const atMs = reply.integer(1)
  encoded.date(atMs)
  return {
    atMs,
    limits: encoded.limits.map(({ entry, position }) =>
      limitUsageOf(entry, {
        spent: reply.spent(2, position),
        reserved: reply.reserved(2, position),
        windowStartMs: reply.integer(spans + position * 2),
        resetAtMs: reply.optional(spans + position * 2 + 1),
      }),
    ),
    rateLimits: encoded.plan.scopes.map((scope) => {
      const position = encoded.ratedScopes.indexOf(scope)
      return rateUsageOf(scope, position < 0 ? NO_RATES : reply.rateState(levels, position))
    }),
  }
}

const NO_RATES: RateState = { requestLevel: 0, tokenLevel: 0, open: 0 }

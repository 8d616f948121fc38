/** Refusals of the quota store as errors that a client may read. */
import { GatewayError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { formatMicroUsd } from './money.ts'
import type { Refused, RefusalReason } from './outcome.ts'
import { rateLimitHeaders } from './rate.ts'

/** The error of a refusal: names the scope's kind, the window and the limit, never another tenant. @see DESIGN section 4 */
export function refusalError(refusal: Refused): GatewayError {
  const { retryAfterMs, resetAtMs } = refusal
  return new GatewayError(codeOf(refusal.reason), messageOf(refusal), {
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    headers: rateLimitHeaders(refusal.rateLimits),
  })
}

function codeOf(reason: RefusalReason): ErrorCode {
  switch (reason) {
    case 'rate-limit':
    case 'concurrency':
      return 'rate_limit_exceeded'
    case 'budget':
      return 'budget_exceeded'
    case 'token-quota':
      return 'token_quota_exceeded'
    case 'reserved':
      return 'budget_reserved'
    default:
      return reason satisfies never
  }
}

function messageOf(refusal: Refused): string {
  const { reason, scope, limit } = refusal
  const owner = scope === 'key' ? 'this key' : `the ${scope} of this key`
  switch (reason) {
    case 'rate-limit':
      return `rate limit of ${owner} exceeded: ${limit} ${refusal.unit === 'requests' ? 'requests' : 'tokens'} a minute`
    case 'concurrency':
      return `${owner} has its maximum of ${limit} concurrent requests open`
    case 'budget':
    case 'token-quota':
      return `${limitName(refusal)} of ${owner} leaves too little for this request`
    case 'reserved':
      return `${limitName(refusal)} of ${owner} is held by requests in flight`
    default:
      return reason satisfies never
  }
}

function limitName({ window, unit, limit }: Refused): string {
  const name = window?.toLowerCase() ?? ''
  if (unit === 'cost') return `the ${name} budget of ${formatMicroUsd(limit)} USD`
  return `the ${name} quota of ${limit} ${unit === 'total' ? '' : `${unit} `}tokens`
}

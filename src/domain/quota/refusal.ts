/** Refusals of the quota store as errors that a client may read. */
import { GatewayError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { amountIn, boundOf, type Charge } from './amounts.ts'
import type { QuotaPlan, QuotaUnit } from './limits.ts'
import { formatMicroUsd } from './money.ts'
import type { QuotaNeed } from './need.ts'
import type { Refused, RefusalReason } from './outcome.ts'
import { rateLimitHeaders } from './rate.ts'

/** What was asked of the store: tells more of a refusal than its own words. */
export interface RefusedAdmission {
  readonly plan: QuotaPlan
  readonly need: QuotaNeed
}

/**
 * The error of a refusal: names the scope's kind, the window and the limit, never another tenant.
 * @param asked absent: the message does not say whether the whole limit is too small, nor the burst of a rate
 * @see DESIGN section 4
 */
export function refusalError(refusal: Refused, asked?: RefusedAdmission): GatewayError {
  const { retryAfterMs, resetAtMs } = refusal
  return new GatewayError(codeOf(refusal.reason), messageOf(refusal, asked), {
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    headers: rateLimitHeaders(refusal.rateLimits),
  })
}

/** The refusal where the store cannot be asked. */
export function unavailableError(
  cause: Error,
  message = 'The quota store cannot be asked; by policy nothing is admitted.',
): GatewayError {
  return new GatewayError('quota_backend_unavailable', message, { retryAfterSeconds: 1, cause })
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

function messageOf(refusal: Refused, asked: RefusedAdmission | undefined): string {
  const { reason, scope, limit } = refusal
  const owner = scope === 'key' ? 'this key' : `the ${scope} of this key`
  switch (reason) {
    case 'rate-limit':
      return `rate limit of ${owner} exceeded: ${rateName(refusal, asked?.plan)}`
    case 'concurrency':
      return `${owner} has its maximum of ${counted(limit, 'concurrent request')} open`
    case 'budget':
    case 'token-quota':
      return `${limitName(refusal)} of ${owner} ${shortage(refusal, asked?.need)}`
    case 'reserved':
      return `${limitName(refusal)} of ${owner} is held by requests in flight${whatHoldsLess(asked?.need)}`
    default:
      return reason satisfies never
  }
}

/** Of an answer whose maximum the client has not stated, all that its model may say is held. */
function whatHoldsLess(need: QuotaNeed | undefined): string {
  return need?.open === undefined ? '' : '; a request that states how long its answer may be (max_tokens) holds less'
}

/** With figures: what a document, or an answer without a stated maximum, is reserved for cannot be seen in the request. */
function shortage(refusal: Refused, need: QuotaNeed | undefined): string {
  const { unit, limit } = refusal
  if (limit === 0) return nothingOf(unit)
  if (need === undefined || unit === 'requests') return 'leaves too little for this request'
  // Of an answer whose maximum the client has not stated: the shortest that would have been admitted.
  const bound = boundOf(need, need.open?.minTokens ?? 0)
  const mayTake = figuresOf(unit, bound)
  // Not even with nothing spent of it.
  return amountIn(unit, bound) > limit
    ? `is too small for this request (it may ${mayTake}), however little of it is spent: ${whatHelps(refusal, bound)}`
    : `leaves too little for this request, which may ${mayTake}`
}

/** Of a limit of 0, below which no request can be made. */
function nothingOf(unit: QuotaUnit | 'requests'): string {
  if (unit === 'cost') return 'admits nothing that costs'
  return unit === 'output' ? 'admits no answer' : 'admits nothing'
}

function figuresOf(unit: QuotaUnit, { costMicroUsd, inputTokens, outputTokens }: Charge): string {
  const both = `${inputTokens} input and ${outputTokens} output tokens`
  switch (unit) {
    case 'cost':
      return `cost ${formatMicroUsd(costMicroUsd)} USD for ${both}`
    case 'input':
      return `take ${counted(inputTokens, 'input token')}`
    case 'output':
      return `take ${counted(outputTokens, 'output token')}`
    case 'total':
      return `take ${both}`
    default:
      return unit satisfies never
  }
}

/** Of a request and its answer, what has to be smaller for it to fit. Of embeddings no answer can be shorter. */
function whatHelps({ unit, limit }: Refused, { inputTokens, outputTokens }: Charge): string {
  if (unit === 'output') return 'ask for a shorter answer'
  if (unit === 'input' || outputTokens === 0) return 'send less'
  const isTooMuch = (tokens: number) => unit === 'total' && tokens > limit
  if (!isTooMuch(outputTokens)) return isTooMuch(inputTokens) ? 'send less' : 'send less, or ask for a shorter answer'
  return isTooMuch(inputTokens) ? 'send less, and ask for a shorter answer' : 'ask for a shorter answer'
}

/** With the burst where it is another number: who has sent fewer than the limit within a minute must learn why it refuses. */
function rateName({ unit, scope, limit }: Refused, plan: QuotaPlan | undefined): string {
  if (unit !== 'requests') return `${counted(limit, 'token')} a minute`
  const burst = plan?.scopes.find(({ kind }) => kind === scope)?.rateLimits.burst
  const atOnce = burst === undefined || burst === limit || limit === 0 ? '' : `, ${Math.max(1, burst)} at once (burst)`
  return `${counted(limit, 'request')} a minute${atOnce}`
}

function limitName({ window, unit, limit }: Refused): string {
  const name = window?.toLowerCase() ?? ''
  if (unit === 'cost') return `the ${name} budget of ${formatMicroUsd(limit)} USD`
  return `the ${name} quota of ${counted(limit, unit === 'total' ? 'token' : `${unit} token`)}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

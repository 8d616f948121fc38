/** What an answer or a refusal says about itself in headers. */
import { formatMicroUsd } from '../../domain/quota/money.ts'
import { hasFailedOver, renderDecision } from '../../domain/routing/decision.ts'
import type { ResponseHeaders } from './exchange.ts'
import type { RequestRecord } from './request-record.ts'
import { isTraced } from './resolve-request-policy.ts'

/**
 * `x-request-id` always, and what rate limits and the cache have said; with `x-llm-trace: true` also the two headers of
 * specification section 4.2 rule 4.
 */
export function answerHeaders(record: RequestRecord): ResponseHeaders {
  const { requestId, adapter } = record.incoming
  const headers: ResponseHeaders = { 'x-request-id': requestId }
  for (const name in record.rateLimitHeaders) headers[name] = record.rateLimitHeaders[name] ?? ''
  if (adapter.requestIdHeader !== undefined) headers[adapter.requestIdHeader] = requestId
  addCacheHeaders(headers, record)
  if (!asksForTrace(record)) return headers
  headers['x-gateway-request-id'] = requestId
  headers['x-gateway-routing-decision'] = renderDecision({
    attempts: record.attempts,
    why: whyOf(record),
    removed: record.removed.length,
  })
  addWarnings(headers, record)
  return headers
}

/** Also of a call whose control headers were refused. */
function asksForTrace({ policy, caller, incoming }: RequestRecord): boolean {
  return policy === undefined ? caller !== undefined && isTraced(caller, incoming) : policy.trace
}

/** With the trace: the fields that no translation could carry so far, the request's and then a whole answer's. */
export function addWarnings(headers: ResponseHeaders, record: RequestRecord): void {
  if (record.policy?.trace !== true || record.warnings.length === 0) return
  headers['x-gateway-translation-warnings'] = warnings(record)
}

/** Where the answer came from; from the cache: its cost, age in seconds (RFC 9111 section 5.1) and likeness. */
function addCacheHeaders(headers: ResponseHeaders, record: RequestRecord): void {
  const { cache, cacheAgeSeconds, cacheSimilarity, embedding } = record
  if (record.isCacheHit) headers['x-gateway-cost-usd'] = formatMicroUsd(embedding?.costMicroUsd ?? 0)
  if (cache !== undefined) headers['x-gateway-cache'] = cache
  if (cacheAgeSeconds !== undefined) headers['age'] = String(cacheAgeSeconds)
  if (cacheSimilarity !== undefined) headers['x-gateway-cache-similarity'] = cacheSimilarity.toFixed(4)
}

function whyOf({ attempts, plan, isCacheHit }: RequestRecord): string {
  if (isCacheHit) return 'cache-hit'
  return hasFailedOver(attempts) ? 'failover' : (plan?.method ?? 'none')
}

/** What a provider's whole answer cost: `x-gateway-cost-usd` (six decimals; absent without a price) and its tokens. */
export function addCostHeaders(headers: ResponseHeaders, record: RequestRecord): void {
  const { costMicroUsd, served } = record
  const { usage } = record.meter
  if (usage === undefined || served === undefined || record.isCacheHit) return
  if (costMicroUsd !== undefined) headers['x-gateway-cost-usd'] = formatMicroUsd(costMicroUsd)
  headers['x-gateway-input-tokens'] = String(usage.input + usage.cachedInput + usage.cacheWrite)
  headers['x-gateway-output-tokens'] = String(usage.output)
}

/** Longest list of dropped fields in a header. */
const MAX_WARNINGS_LENGTH = 1_024

function warnings(record: RequestRecord): string {
  const fields = [...new Set(record.warnings.map((warning) => warning.field))].join(', ')
  return fields.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_WARNINGS_LENGTH)
}

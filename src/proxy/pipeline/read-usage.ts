/** `GET /v1/usage`: what stands against the limits of the calling key, its project and its organization. */
import { GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json.ts'
import { formatMicroUsd } from '../../domain/quota/money.ts'
import { limitsOfCaller } from './admit.ts'
import { authenticate } from './authenticate.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { requireConfiguration } from './pipeline.ts'
import { QuotaUnavailableError, type LimitUsage, type RateLimitUsage, type UsageReport } from './quota-port.ts'
import { publicError, refuse } from './refuse.ts'
import { RequestRecord } from './request-record.ts'
import { resolveReadingPolicy } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { traceHeaders } from './trace.ts'

/** Never throws. Money in dollars as decimal strings, tokens as integers, times in ISO 8601. */
export async function readUsage(incoming: Incoming, services: Services): Promise<Outgoing> {
  const { adapter, requestId } = incoming
  const record = new RequestRecord(incoming, 'usage')
  try {
    const caller = authenticate(incoming, requireConfiguration(services), services.wallNow())
    record.caller = caller
    record.policy = resolveReadingPolicy(caller, incoming).policy
    const body = JSON.stringify(renderUsage(caller.key.id, await services.quotas.usage(limitsOfCaller(caller))))
    return {
      type: 'whole',
      status: 200,
      headers: { ...traceHeaders(record), 'content-type': 'application/json' },
      body,
    }
  } catch (error) {
    return refuse(unavailable(error), adapter, requestId, traceHeaders(record))
  }
}

function unavailable(error: unknown): GatewayError {
  if (!(error instanceof QuotaUnavailableError)) return publicError(error)
  return new GatewayError('quota_backend_unavailable', 'The quota store cannot be asked.', {
    retryAfterSeconds: 1,
    cause: error,
  })
}

function renderUsage(virtualKey: string, report: UsageReport): JsonObject {
  return {
    object: 'usage',
    virtual_key: virtualKey,
    at: new Date(report.atMs).toISOString(),
    limits: report.limits.map(renderLimit),
    rate_limits: report.rateLimits.map(renderRates),
  }
}

function renderLimit(usage: LimitUsage): JsonObject {
  const amount = (value: number) => (usage.unit === 'cost' ? formatMicroUsd(value) : value)
  return {
    scope: usage.scope,
    window: usage.window,
    reset: usage.reset,
    unit: usage.unit === 'cost' ? 'usd' : `${usage.unit}_tokens`,
    on_exceed: usage.onExceed,
    limit: amount(usage.limit),
    spent: amount(usage.spent),
    reserved: amount(usage.reserved),
    remaining: amount(usage.remaining),
    window_start: new Date(usage.windowStartMs).toISOString(),
    resets_at: usage.resetAtMs === undefined ? null : new Date(usage.resetAtMs).toISOString(),
  }
}

function renderRates({ scope, requests, tokens, concurrent }: RateLimitUsage): JsonObject {
  const figure = (value: RateLimitUsage['requests']) =>
    value === undefined
      ? null
      : { limit: value.limit, remaining: value.remaining, reset_seconds: Math.ceil(value.resetMs / 1_000) }
  return {
    scope,
    requests_per_minute: figure(requests),
    tokens_per_minute: figure(tokens),
    concurrent: concurrent === undefined ? null : { limit: concurrent.limit, open: concurrent.open },
  }
}

/** `GET /v1/usage`: what stands against the limits of the calling key, its project and its organization. */
import type { JsonObject } from '../../../domain/json.ts'
import { formatMicroUsd } from '../../../domain/quota/money.ts'
import { unavailableError } from '../../../domain/quota/refusal.ts'
import { limitsOfCaller } from '../admit.ts'
import { answerReading } from './answer-reading.ts'
import type { Caller } from '../authenticate.ts'
import type { Incoming, Outgoing } from '../exchange.ts'
import { QuotaUnavailableError, type LimitUsage, type RateLimitUsage, type UsageReport } from '../quota-port.ts'
import type { Services } from '../services.ts'

/** Never throws. Money in dollars as decimal strings, tokens as integers, times in ISO 8601. */
export function readUsage(incoming: Incoming, services: Services): Promise<Outgoing> {
  return answerReading(incoming, 'usage', services, async (caller) =>
    renderUsage(caller.key.id, await reportOf(caller, services)),
  )
}

async function reportOf(caller: Caller, { quotas }: Services): Promise<UsageReport> {
  try {
    return await quotas.usage(limitsOfCaller(caller))
  } catch (error) {
    throw error instanceof QuotaUnavailableError
      ? unavailableError(error, 'The quota store, which knows what has been used, cannot be asked.')
      : error
  }
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

/** The log's share of quota warnings: the audit record and the metric tell of every request, the log of every limit. */
import type { QuotaPlan } from '../../domain/quota/limits.ts'
import type { QuotaWarning } from '../../domain/quota/outcome.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Caller } from './authenticate.ts'
import type { Services } from './services.ts'

/** A limit that stays exceeded is told of again after so long. */
const REPEAT_MS = 600_000

/** When each warning of a plan was last told; bounded by the plan's limits. */
const told = new WeakMap<QuotaPlan, Map<string, Milliseconds>>()

export function logQuotaWarnings(
  { key, organization }: Caller,
  plan: QuotaPlan,
  warnings: readonly QuotaWarning[],
  services: Services,
): void {
  if (warnings.length === 0) return
  const last = told.get(plan) ?? new Map<string, Milliseconds>()
  told.set(plan, last)
  const nowMs = services.now()
  for (const warning of warnings) {
    const name = `${warning.type} ${warning.scope} ${warning.window} ${warning.unit}`
    if (nowMs - (last.get(name) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) continue
    last.set(name, nowMs)
    const message = warning.type === 'exceeded' ? 'quota used up' : 'quota nearly used up'
    services.log.warn({ organization: organization.name, virtualKey: key.id, ...warning }, message)
  }
}

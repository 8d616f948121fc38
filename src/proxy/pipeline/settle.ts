/** The end of every request: exactly once, whatever way it ended. */
import type { Usage } from '../../domain/completion/result.ts'
import { renderAudit } from './audit.ts'
import type { Outcome, RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import { traceStep } from './trace.ts'

/** A function that settles `record` the first time it is called and does nothing afterwards. Never throws. */
export function settlementOf(record: RequestRecord, services: Services): (outcome: Outcome) => Promise<void> {
  let settled = false
  return async (outcome) => {
    if (settled) return
    settled = true
    const endedAtMs = services.now()
    if (record.served !== undefined && record.usage !== undefined) {
      services.health.tokensUsed(record.served, totalTokens(record.usage))
    }
    services.metrics.requestEnded(record, outcome, endedAtMs)
    traceStep(record, services, 'settle', { outcome, error: record.errorCode })
    services.audit.write(renderAudit(record, outcome, endedAtMs))
  }
}

function totalTokens({ input, cachedInput, cacheWrite, output }: Usage): number {
  return input + cachedInput + cacheWrite + output
}

/** The step log of a traced request. */
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'

/**
 * One line of the step log, for requests with `x-llm-trace: true`; only for these are the facts gathered. Facts only: no
 * text of the client or the provider.
 */
export function traceStep(record: RequestRecord, services: Services, step: string, facts: () => object): void {
  if (record.policy?.trace !== true) return
  const atMs = Math.round(services.now() - record.incoming.receivedAtMs)
  services.log.info({ requestId: record.incoming.requestId, step, atMs, ...facts() }, 'trace')
}

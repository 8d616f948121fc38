/** The step log of a traced request. */
import type { RouteOutcome } from '../../domain/routing/route.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
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

export function tracePolicy({ key, policy }: GovernedCaller, record: RequestRecord, services: Services): void {
  traceStep(record, services, 'resolve-policy', () => ({ virtualKey: key.id, flags: [...policy.flags] }))
}

export function traceBody(bytes: Uint8Array, record: RequestRecord, services: Services): void {
  traceStep(record, services, 'read-request', () => ({ bytes: bytes.length, stream: record.stream }))
}

export function tracePlan(outcome: RouteOutcome, record: RequestRecord, services: Services): void {
  const candidates = outcome.type === 'refused' ? [] : outcome.candidates
  traceStep(record, services, 'plan-route', () => ({
    candidates: candidates.map(({ deployment }) => deployment.id),
    removed: outcome.removed.map(({ deployment, rule }) => `${deployment.id}: ${rule}`),
  }))
}

export function traceFindings(record: RequestRecord, services: Services): void {
  traceStep(record, services, 'guard-request', () => ({ findings: record.findings }))
}

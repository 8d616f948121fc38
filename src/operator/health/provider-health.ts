/** What is said of a provider's health. Pure. */
import type { JsonObject } from '../../domain/json.ts'
import type { ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import { kubeTime } from '../kube/conditions.ts'
import { describeFailure, errorPercent } from './probe-record.ts'
import type { ProbeRecord } from './probe-record.ts'

/** Of the sidecars in namespaces where any breaker for the provider is open. */
export interface CircuitReport {
  readonly open: number
  readonly sidecars: number
}

export interface ProviderHealth {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: 'Healthy' | 'NoFailureReported' | 'CircuitOpenInPart' | 'ProbeFailed' | 'CircuitOpen' | 'NotChecked'
  readonly message: string
  /** `status.health`: of the moment when this began to be so. */
  readonly details: JsonObject
}

/** Undefined where that is not known yet. */
export function healthOf(
  { enabled, healthCheck }: ProviderEntry,
  record: ProbeRecord,
  circuit: CircuitReport | undefined,
): ProviderHealth | undefined {
  if (!enabled) return unknown('it is not in use')
  if (healthCheck.mode === 'Disabled') return unknown('spec.healthCheck.mode is Disabled')
  const found = probeDetails(record)
  if (healthCheck.mode === 'Active' && record.verdict === 'down' && record.last !== undefined)
    return {
      status: 'False',
      reason: 'ProbeFailed',
      message: `checks of the operator fail: ${describeFailure(record.last.result)}`,
      details: { state: 'Down', ...found },
    }
  if (circuit !== undefined && circuit.open * 2 >= circuit.sidecars)
    return {
      status: 'False',
      reason: 'CircuitOpen',
      message: 'most sidecars where it fails have opened their circuit breaker',
      details: { state: 'Down', ...found },
    }
  if (healthCheck.mode === 'Active' && record.verdict === undefined) return undefined
  if (circuit !== undefined)
    return {
      status: 'True',
      reason: 'CircuitOpenInPart',
      message: 'some sidecars have opened their circuit breaker',
      details: { state: 'Degraded', ...found },
    }
  return healthCheck.mode === 'Active'
    ? { status: 'True', reason: 'Healthy', message: '', details: { state: 'Healthy', ...found } }
    : { status: 'True', reason: 'NoFailureReported', message: '', details: { state: 'Healthy' } }
}

/** Whether two say the same; when and how long the last check took does not count. */
export function isSameHealth(left: ProviderHealth, right: ProviderHealth): boolean {
  return left.status === right.status && left.reason === right.reason && left.message === right.message
}

function unknown(message: string): ProviderHealth {
  return { status: 'Unknown', reason: 'NotChecked', message, details: { state: 'Unknown' } }
}

function probeDetails(record: ProbeRecord): JsonObject {
  const { last } = record
  if (last === undefined) return {}
  const { result, atMs } = last
  return {
    lastProbeTime: kubeTime(atMs),
    ...(result.type === 'answer' ? { latencyMs: Math.round(result.latencyMs) } : {}),
    errorPercent: errorPercent(record),
  }
}

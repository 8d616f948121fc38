import { asNumber, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { KubeObject } from './kube-object.ts'
import { apiVersionOf, LEASES } from './resource.ts'
import type { Milliseconds } from './timing.ts'

/** Where epochs of a Lease that nobody has seen before start to count from, in seconds. */
const EPOCH_ORIGIN_MS = Date.UTC(2026, 0, 1)
/** What a Lease can hold. */
export const MAX_TRANSITIONS = 2 ** 31 - 1

/** What a Lease says. */
export interface LeaseRecord {
  /** Empty: released. */
  readonly holder: string
  readonly durationMs: Milliseconds
  readonly acquireTime: string | undefined
  readonly renewTime: string | undefined
  /** Grows with every change of holder, and is the fencing epoch of the holder's writes elsewhere. */
  readonly transitions: number
}

/** Reads what anybody may have written; absent fields count as empty. */
export function readLease(lease: KubeObject): LeaseRecord {
  const spec = asObject(lease['spec'])
  return {
    holder: asString(spec?.['holderIdentity']) ?? '',
    durationMs: (asNumber(spec?.['leaseDurationSeconds']) ?? 0) * 1_000,
    acquireTime: asString(spec?.['acquireTime']),
    renewTime: asString(spec?.['renewTime']),
    transitions: asNumber(spec?.['leaseTransitions']) ?? 0,
  }
}

/** The Lease's `spec`. */
export function renderLeaseSpec(record: LeaseRecord): JsonObject {
  return {
    holderIdentity: record.holder,
    // 1 is the least that the API server takes.
    leaseDurationSeconds: Math.max(1, Math.ceil(record.durationMs / 1_000)),
    ...(record.acquireTime === undefined ? {} : { acquireTime: record.acquireTime }),
    ...(record.renewTime === undefined ? {} : { renewTime: record.renewTime }),
    leaseTransitions: record.transitions,
  }
}

/** A Lease that does not exist yet. */
export function newLease(namespace: string, name: string, record: LeaseRecord): JsonObject {
  return {
    apiVersion: apiVersionOf(LEASES),
    kind: LEASES.kind,
    metadata: { namespace, name },
    spec: renderLeaseSpec(record),
  }
}

/**
 * The epoch of the first holder of a new Lease. Epochs must never go back, also when somebody deletes the Lease: Redis
 * would refuse the new leader for ever. So it starts from the clock and not from 0; leaders change less than once a second.
 */
export function firstTransitions(nowMs: Milliseconds): number {
  return Math.min(MAX_TRANSITIONS, Math.max(0, Math.floor((nowMs - EPOCH_ORIGIN_MS) / 1_000)))
}

/** As `metav1.MicroTime`, which must have six decimals. */
export function microTime(ms: Milliseconds): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

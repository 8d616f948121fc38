/** Settings and figures of the quota store that outlives its backend. */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Now } from '../pipeline/ports.ts'
import type { Reservation } from '../pipeline/quota-port.ts'

/** @see DESIGN section 8 */
const GRACE_MS = 30_000
/** Ten processes can use up their leases together before a limit is reached. */
const LEASE_SHARE = 0.1
/** About 5 MB; more requests than one process has open in a grace period. */
const MAX_PENDING = 10_000
const CLOSE_MS = 5_000
const MOMENT_MS = 1_000

export interface ResilienceOptions {
  readonly now: Now
  readonly graceMs?: Milliseconds
  /** 0..1 of what a limit leaves. */
  readonly leaseShare?: number
  readonly maxPending?: number
  /** An outage that has lasted less may be over at once: requests that the lease does not cover wait a little. */
  readonly momentMs?: Milliseconds
  /** Bound of flushing on close. */
  readonly closeMs?: Milliseconds
  readonly random?: () => number
  /** Told when an organization's store is lost (with the cause) and when it is back. */
  readonly onChange?: (organization: string, up: boolean, cause: unknown) => void
  /** Told of a settlement that found the queue full: it will be charged at its bound. */
  readonly onDropped?: (reservation: Reservation) => void
}

/** Figures for metrics and the admin side. */
export interface QuotaHealth {
  /** Organizations whose store cannot be asked now. */
  readonly unavailable: number
  readonly pendingSettlements: number
  /** How long the oldest of them has been waiting; 0: none is. */
  readonly settlementLagMs: Milliseconds
}

/** The options with everything that has a default. */
export type ResilienceSettings = ResilienceOptions & Required<Omit<ResilienceOptions, 'onChange' | 'onDropped'>>

export function withDefaults(options: ResilienceOptions): ResilienceSettings {
  return {
    graceMs: GRACE_MS,
    leaseShare: LEASE_SHARE,
    maxPending: MAX_PENDING,
    closeMs: CLOSE_MS,
    momentMs: MOMENT_MS,
    random: Math.random,
    ...options,
  }
}

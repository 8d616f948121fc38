/**
 * The quota store as the pipeline sees it: admit with a reservation, then settle exactly once.
 *
 *   admit --refused--> (nothing changed)
 *     |
 *     v            extend, renew (repeatedly)
 *   reserved ---------------------------------> reserved
 *     |   \
 *     |    `-- 60 s without renewal --> expired: charged at its bound; a later settle corrects it to the truth
 *     v
 *   settled (zero: released, e.g. blocked, cached, failed)
 *
 * A reservation counts as sent from the start: a process that is killed between admission and settlement is charged
 * at the bound, so nothing is spent unseen and nothing stays locked. Marking the moment of sending would cost a second
 * round trip a request and protect only those killed within the millisecond between admission and sending.
 */
import type { Charge } from '../../domain/quota/amounts.ts'
import type { QuotaNeed } from '../../domain/quota/need.ts'
import type { QuotaPlan, QuotaUnit, ScopeKind } from '../../domain/quota/limits.ts'
import type { QuotaWarning, RateLimitFigure, RateLimitFigures, Refused } from '../../domain/quota/outcome.ts'
import type { QuotaWindow } from '../../domain/quota/windows.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'

/** A reservation that is not renewed for so long expires. Renew at a third of it. */
export const RESERVATION_LEASE_MS = 60_000

export interface QuotaStore {
  /**
   * Checks all limits of the plan and reserves the need in all of them, or changes nothing.
   * @throws {QuotaUnavailableError} where the store cannot be asked and its policy is to refuse then.
   */
  admit(request: AdmissionRequest): Promise<Admission>
  /**
   * Reserves more on top of an open reservation, for a further attempt or a repair; no rate limit is taken again.
   * @throws {QuotaUnavailableError}
   */
  extend(reservation: Reservation, more: QuotaNeed): Promise<Extension>
  /** Prolongs the lease of an open reservation. Never throws: a lost renewal is made good by the next or by settling. */
  renew(reservation: Reservation): Promise<void>
  /**
   * Ends a reservation at what was really used (which may be more than the bound); `NOTHING_USED` releases it.
   * A second call changes nothing. Never throws; where the store cannot be asked the charge is queued.
   */
  settle(reservation: Reservation, actual: Charge): Promise<void>
  /** What stands against the limits of a plan now. @throws {QuotaUnavailableError} */
  usage(plan: QuotaPlan): Promise<UsageReport>
  /** Flushes what is queued, within a bound, and closes connections. */
  close(): Promise<void>
}

export interface AdmissionRequest {
  /** Unique, chosen by the caller, so that a reservation whose confirmation was lost can still be settled. */
  readonly id: string
  readonly plan: QuotaPlan
  readonly need: QuotaNeed
}

/** Opaque to the pipeline; the same object goes back to the store that made it. */
export interface Reservation {
  readonly id: string
  readonly plan: QuotaPlan
  /**
   * `store`: it stands in the store. `unconfirmed`: admitted without the store's word (grace), to be charged to the
   * limits of its plan when the store is back, whether or not it knows of it. `none`: the plan limits nothing.
   */
  readonly origin: 'store' | 'unconfirmed' | 'none'
}

export type Admission = Admitted | Refused

export interface Admitted {
  readonly type: 'admitted'
  readonly reservation: Reservation
  /** Tokens of one choice that an open answer may have; undefined where the need was not open. */
  readonly grantedOutputTokens: number | undefined
  readonly rateLimits: RateLimitFigures
  readonly warnings: readonly QuotaWarning[]
  /** What each limit of the plan leaves after this reservation, in the plan's order; never below zero. */
  readonly remaining: readonly number[]
}

export type Extension =
  | { readonly type: 'extended'; readonly grantedOutputTokens: number | undefined }
  /** `expired`: the reservation is gone; settle it and give up. */
  | { readonly type: 'expired' }
  | Refused

export interface UsageReport {
  /** The store's clock. */
  readonly atMs: Milliseconds
  readonly limits: readonly LimitUsage[]
  readonly rateLimits: readonly RateLimitUsage[]
}

export interface LimitUsage {
  readonly scope: ScopeKind
  /** As in `PlannedScope.name`. */
  readonly scopeName: string
  readonly window: QuotaWindow
  readonly reset: 'Calendar' | 'Rolling'
  readonly unit: QuotaUnit
  readonly onExceed: 'Block' | 'Warn'
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  /** Never below zero. */
  readonly remaining: number
  /** Calendar: its first millisecond. Rolling: the first that still counts. */
  readonly windowStartMs: Milliseconds
  /** Calendar: its end. Rolling: when the oldest amount drops out. Undefined: never. */
  readonly resetAtMs: Milliseconds | undefined
}

export interface RateLimitUsage {
  readonly scope: ScopeKind
  readonly scopeName: string
  readonly requests: RateLimitFigure | undefined
  readonly tokens: RateLimitFigure | undefined
  readonly concurrent: { readonly limit: number; readonly open: number } | undefined
}

/** The quota store cannot be asked and its grace is over or used up: `quota_backend_unavailable`. */
export class QuotaUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'QuotaUnavailableError'
  }
}

/** So much is unsettled that what is admitted now could not be charged afterwards: refused whatever the policy. */
export class QuotaBacklogError extends QuotaUnavailableError {
  override readonly name = 'QuotaBacklogError'
}

/** The admission of a plan that limits nothing: no store is asked and there is nothing to settle. */
export function unlimitedAdmission({ id, plan, need }: AdmissionRequest): Admitted {
  return {
    type: 'admitted',
    reservation: { id, plan, origin: 'none' },
    grantedOutputTokens: need.open?.maxTokens,
    rateLimits: { requests: undefined, tokens: undefined },
    warnings: [],
    remaining: [],
  }
}

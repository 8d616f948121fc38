/** What a quota store answers, in the words of the limits: refusals, warnings and the figures of `x-ratelimit-*`. */
import type { Milliseconds } from '../snapshot/snapshot.ts'
import type { PlannedWindow, QuotaUnit, ScopeKind } from './limits.ts'
import type { QuotaWindow } from './windows.ts'

export type RefusalReason =
  /** Requests or tokens a minute. */
  | 'rate-limit'
  | 'concurrency'
  /** Money is spent (or the rest is too little for this request) until the window starts anew. */
  | 'budget'
  | 'token-quota'
  /** Money or tokens would be there if the reservations in flight came to nothing. */
  | 'reserved'

export interface Refused {
  readonly type: 'refused'
  readonly reason: RefusalReason
  readonly scope: ScopeKind
  /** Of the budget or token quota; undefined for rates and concurrency. */
  readonly window: QuotaWindow | undefined
  /** What the limit counts; `requests` for the request rate and concurrency. */
  readonly unit: QuotaUnit | 'requests'
  readonly limit: number
  /** After this long the same request can pass; undefined: not before `resetAtMs`. */
  readonly retryAfterMs: Milliseconds | undefined
  /** When the window leaves room again; undefined where it never ends or a retry can help. */
  readonly resetAtMs: Milliseconds | undefined
  readonly rateLimits: RateLimitFigures
}

/** Of the tightest scope each; undefined where no scope limits it. */
export interface RateLimitFigures {
  readonly requests: RateLimitFigure | undefined
  readonly tokens: RateLimitFigure | undefined
}

export interface RateLimitFigure {
  /** A minute. */
  readonly limit: number
  /** What could come at once now. */
  readonly remaining: number
  /** Until `remaining` is full again. */
  readonly resetMs: Milliseconds
}

export interface QuotaWarning {
  readonly type: 'exceeded' | 'near'
  readonly scope: ScopeKind
  readonly window: QuotaWindow
  readonly reset: PlannedWindow['reset']
  readonly unit: QuotaUnit
  readonly limit: number
  readonly spent: number
}

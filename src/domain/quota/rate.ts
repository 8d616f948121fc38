/**
 * Requests and tokens a minute as token buckets. A level is counted in sixty-thousandths of a request or token, of
 * which `limit` flow in each millisecond: everything stays an integer, and waiting times are exact.
 *
 * The token bucket holds a minute's worth. A request above that passes when the bucket is full, and what it really
 * used is taken afterwards, into debt if need be (at most another minute's worth).
 */
import type { Milliseconds, RateLimits } from '../snapshot/snapshot.ts'
import type { RateLimitFigure, RateLimitFigures } from './outcome.ts'

/** Parts of one request or token. */
export const RATE_PARTS = 60_000
/** Advice where a limit of zero lets nothing pass. */
const NEVER_RETRY_MS = 60_000
/** Advice where only the end of another request helps. */
export const CONCURRENCY_RETRY_MS = 1_000

export interface RateLevel {
  readonly level: number
  readonly atMs: Milliseconds
}

export interface RateLimit {
  /** A minute. */
  readonly limit: number
  /** Level of a full bucket. */
  readonly capacity: number
}

export function requestRate({ requestsPerMinute, burst }: RateLimits): RateLimit | undefined {
  if (requestsPerMinute === undefined) return undefined
  const capacity = requestsPerMinute === 0 ? 0 : Math.max(1, burst ?? requestsPerMinute) * RATE_PARTS
  return { limit: requestsPerMinute, capacity }
}

export function tokenRate({ tokensPerMinute }: RateLimits): RateLimit | undefined {
  if (tokensPerMinute === undefined) return undefined
  return { limit: tokensPerMinute, capacity: tokensPerMinute * RATE_PARTS }
}

/**
 * The level now; a bucket never seen is full. A clock that went back adds nothing; where it went back by more than a bucket
 * takes to fill, the bucket is full: it must not stand still until the clock is there again.
 */
export function refill(rate: RateLimit, last: RateLevel | undefined, nowMs: Milliseconds): number {
  if (last === undefined || (last.atMs - nowMs) * rate.limit > rate.capacity) return rate.capacity
  return Math.min(rate.capacity, last.level + Math.max(0, nowMs - last.atMs) * rate.limit)
}

/** What a request of so many tokens takes: never nothing, never more than a full bucket holds. */
export function tokenParts(rate: RateLimit, tokens: number): number {
  return Math.max(RATE_PARTS, Math.min(tokens * RATE_PARTS, rate.capacity))
}

/** How long until the level reaches `parts`; 0: it does. */
export function waitMs(rate: RateLimit, level: number, parts: number): Milliseconds {
  if (level >= parts) return 0
  return rate.limit === 0 ? NEVER_RETRY_MS : Math.ceil((parts - level) / rate.limit)
}

/** The level after settlement gave back or took the difference between what was taken and what was used. */
export function corrected(rate: RateLimit, level: number, parts: number): number {
  return Math.max(-rate.capacity, Math.min(rate.capacity, level + parts))
}

export function figureOf(rate: RateLimit, level: number): RateLimitFigure {
  return {
    limit: rate.limit,
    remaining: Math.max(0, Math.floor(level / RATE_PARTS)),
    resetMs: waitMs(rate, level, rate.capacity),
  }
}

/** The tighter of two figures: less remaining, or later full. */
export function tighter(
  left: RateLimitFigure | undefined,
  right: RateLimitFigure | undefined,
): RateLimitFigure | undefined {
  if (left === undefined || right === undefined) return left ?? right
  if (left.remaining !== right.remaining) return left.remaining < right.remaining ? left : right
  return right.resetMs > left.resetMs ? right : left
}

/** The `x-ratelimit-*` headers of a response; times are whole seconds, rounded up, as `12s`. */
export function rateLimitHeaders({ requests, tokens }: RateLimitFigures): Record<string, string> {
  return { ...headersOf('requests', requests), ...headersOf('tokens', tokens) }
}

function headersOf(name: string, figure: RateLimitFigure | undefined): Record<string, string> {
  if (figure === undefined) return {}
  return {
    [`x-ratelimit-limit-${name}`]: String(figure.limit),
    [`x-ratelimit-remaining-${name}`]: String(figure.remaining),
    [`x-ratelimit-reset-${name}`]: `${Math.ceil(figure.resetMs / 1000)}s`,
  }
}

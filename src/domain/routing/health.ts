/**
 * What is remembered of one deployment, and how it changes. Pure: the clock is an argument, states are replaced.
 *
 *              failures reach the threshold, or our fault                    openFor is over, a probe enters
 *   closed ------------------------------------------------> open ---------------------------------------> half-open
 *     ^ |  a failure below the threshold: count it             ^ ^     the probe ended without a verdict      | |
 *     | +--> closed                                            | +--------------------------------------------+ |
 *     |                                                        |       the probe failed                         |
 *     |                                                        +------------------------------------------------+
 *     +------------------------- any success; a stream's first content (one failure from open) ------------------+
 *
 * Attempts of before the breaker opened that end after a probe has begun say nothing of what is since: while it is out, it alone
 * decides.
 *
 * Beside the breaker stands the cool-down that a provider asks for by Retry-After: until it ends nothing is sent, then
 * traffic goes on as before, without a probe.
 */
import type { Milliseconds, ProviderFailover } from '../snapshot/snapshot.ts'

export type Breaker =
  /** `failures`: consecutive ones. */
  | { readonly type: 'closed'; readonly failures: number }
  /** `isOurFault`: the provider refuses us, also if it asks for longer than a breaker is open. @see Failure.ourFault */
  | { readonly type: 'open'; readonly untilMs: Milliseconds; readonly isOurFault?: true }
  /** One attempt is on its way and decides; nobody else may try. `isOurFault`: as long as it has not, the provider refuses us. */
  | { readonly type: 'half-open'; readonly isOurFault?: true }

export interface Health {
  readonly breaker: Breaker
  /** Retry-After of the provider; 0: none. */
  readonly cooledUntilMs: Milliseconds
  /** EWMA of the time to the first byte, and when it was last fed. */
  readonly latency: { readonly ms: Milliseconds; readonly atMs: Milliseconds } | undefined
}

export interface Failure {
  readonly retryAfterMs?: Milliseconds
  /** The provider refuses us (401, 402, 403, 404), which the next request will not change: opens at once. */
  readonly ourFault?: boolean
}

export type BreakerSettings = ProviderFailover['circuitBreaker']

/** A provider may not take itself out for longer than this by Retry-After. */
export const MAX_COOL_DOWN_MS: Milliseconds = 3_600_000
/** Weight of the newest measurement: about the last ten count. */
const EWMA_ALPHA = 0.2
/** A measurement older than this no longer counts, so that a model once slow is tried again. */
const LATENCY_TTL_MS: Milliseconds = 600_000

/** Nothing known yet: may be tried. */
export const UNKNOWN_HEALTH: Health = { breaker: { type: 'closed', failures: 0 }, cooledUntilMs: 0, latency: undefined }

/** After a whole answer. Closes a breaker whose time is over; a late success of before does not close one that is open. */
export function afterSuccess(health: Health, firstByteMs: Milliseconds, nowMs: Milliseconds): Health {
  return afterCompletion(withLatency(health, firstByteMs, nowMs), nowMs)
}

/**
 * After a stream's first content. Ends a probe, which must not last as long as a stream may, but proves little: who
 * began to answer may still break off, and one such failure opens the breaker again.
 */
export function afterFirstContent(
  health: Health,
  firstByteMs: Milliseconds,
  settings: BreakerSettings,
  nowMs: Milliseconds,
): Health {
  const { breaker } = health
  const isOnTrial = breaker.type === 'half-open' || (breaker.type === 'open' && !isOpen(breaker, nowMs))
  const begun = withLatency(health, firstByteMs, nowMs)
  return isOnTrial ? { ...begun, breaker: { type: 'closed', failures: settings.consecutiveFailures - 1 } } : begun
}

/** After a stream has come whole. */
export function afterCompletion(health: Health, nowMs: Milliseconds): Health {
  const { breaker } = health
  const isSound = breaker.type === 'closed' && breaker.failures === 0
  return isSound || isOpen(breaker, nowMs) ? health : { ...health, breaker: { type: 'closed', failures: 0 } }
}

/** After an attempt failed. */
export function afterFailure(health: Health, failure: Failure, settings: BreakerSettings, nowMs: Milliseconds): Health {
  const asked = boundedCoolDown(failure.retryAfterMs)
  const cooledUntilMs = asked === 0 ? health.cooledUntilMs : Math.max(health.cooledUntilMs, nowMs + asked)
  return { ...health, cooledUntilMs, breaker: breakerAfterFailure(health.breaker, failure, settings, nowMs) }
}

/** An attempt begins. An open breaker whose time is over becomes half-open: this attempt is its probe. */
export function afterEntry(health: Health, nowMs: Milliseconds): Health {
  if (health.breaker.type !== 'open' || health.breaker.untilMs > nowMs) return health
  return { ...health, breaker: { type: 'half-open', ...faultOf(health.breaker) } }
}

/** The probe ended and nobody said how (its client went away): the next attempt may probe. */
export function afterProbeWithoutVerdict(health: Health, nowMs: Milliseconds): Health {
  const { breaker } = health
  if (breaker.type !== 'half-open') return health
  return { ...health, breaker: { type: 'open', untilMs: nowMs, ...faultOf(breaker) } }
}

/**
 * What an attempt has changed that began before the breaker opened: as long as that is on trial, and after it has closed, all
 * but the breaker.
 * @param after what would be, had it begun since
 */
export function afterStraggler(before: Health, after: Health): Health {
  return before.breaker.type === 'open' ? after : { ...after, breaker: before.breaker }
}

/** Whether an attempt may begin now. */
export function mayTry(health: Health, nowMs: Milliseconds): boolean {
  return health.breaker.type !== 'half-open' && coolingDownUntil(health, nowMs) === undefined
}

/** Until when it must not be tried; undefined: it may (a half-open one may be planned, its slot decides). */
export function coolingDownUntil(health: Health, nowMs: Milliseconds): Milliseconds | undefined {
  const openUntil = health.breaker.type === 'open' ? health.breaker.untilMs : 0
  const until = Math.max(openUntil, health.cooledUntilMs)
  return until > nowMs ? until : undefined
}

/**
 * Whether it must not be tried now as the provider refuses us: the end of its cool-down will not change that, nor most likely will
 * the attempt that is on trial. A longer pause that it asks for a rate limit is none of that.
 */
export function refusesUs({ breaker }: Health, nowMs: Milliseconds): boolean {
  if (breaker.type === 'closed' || breaker.isOurFault !== true) return false
  return breaker.type === 'half-open' || isOpen(breaker, nowMs)
}

/** Average time to the first byte; undefined: never measured, or too long ago. */
export function latencyOf(health: Health, nowMs: Milliseconds): Milliseconds | undefined {
  const { latency } = health
  return latency === undefined || nowMs - latency.atMs > LATENCY_TTL_MS ? undefined : latency.ms
}

function withLatency(health: Health, firstByteMs: Milliseconds, nowMs: Milliseconds): Health {
  const { breaker, cooledUntilMs } = health
  return { breaker, cooledUntilMs, latency: { ms: average(latencyOf(health, nowMs), firstByteMs), atMs: nowMs } }
}

function breakerAfterFailure(
  breaker: Breaker,
  { ourFault, retryAfterMs }: Failure,
  settings: BreakerSettings,
  nowMs: Milliseconds,
): Breaker {
  const open: Breaker = { type: 'open', untilMs: nowMs + settings.openForMs }
  if (ourFault === true) {
    const before = breaker.type === 'open' ? breaker.untilMs : 0
    const untilMs = Math.max(before, open.untilMs, nowMs + boundedCoolDown(retryAfterMs))
    return { type: 'open', untilMs, isOurFault: true }
  }
  switch (breaker.type) {
    case 'closed': {
      const failures = breaker.failures + 1
      return failures >= settings.consecutiveFailures ? open : { type: 'closed', failures }
    }
    case 'half-open':
      return open
    case 'open':
      // A straggler of before the breaker opened says nothing new; once its time is over, a failure does.
      return isOpen(breaker, nowMs) ? breaker : open
    default:
      return breaker satisfies never
  }
}

function faultOf({ isOurFault }: Exclude<Breaker, { type: 'closed' }>): { isOurFault?: true } {
  return isOurFault === true ? { isOurFault } : {}
}

function isOpen(breaker: Breaker, nowMs: Milliseconds): boolean {
  return breaker.type === 'open' && breaker.untilMs > nowMs
}

function boundedCoolDown(retryAfterMs: Milliseconds | undefined): Milliseconds {
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return 0
  return Math.min(retryAfterMs, MAX_COOL_DOWN_MS)
}

function average(previous: Milliseconds | undefined, measured: Milliseconds): Milliseconds {
  return previous === undefined ? measured : previous + EWMA_ALPHA * (measured - previous)
}

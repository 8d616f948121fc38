/** What the client is told when every try has failed, and when it may ask again. */
import { GatewayError, type GatewayErrorDetails } from '../../../domain/errors.ts'
import { allRefuseUs, coolDownLeft, coolingDown, onlyResting } from '../../../domain/routing/refusals.ts'
import type { Candidate, RoutePlan } from '../../../domain/routing/route.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Unreserved } from '../quota/answer-reservation.ts'
import type { AttemptFailure } from './attempt-failure.ts'
import type { HealthRecorder } from '../ports.ts'

type Choice = Pick<Candidate, 'deployment'>

/** Why each failed is the operator's to know: the client learns where it is written. */
const WHERE_TO_LOOK =
  'Why is in the log lines `provider failed` of the gateway with the id of this request (response header x-request-id).'

/**
 * The error for the client when every try has failed. Where all that could serve the request is cooling down or full by
 * now, its retry-after is when the first of these may be asked again: the next request would be refused until then.
 */
export function exhausted(
  failures: readonly AttemptFailure[],
  plan: RoutePlan,
  health: HealthRecorder,
  nowMs: Milliseconds,
): GatewayError {
  // The caller's own limits kept somebody from being asked who might have answered.
  const refusal = refusalToTell(failures)
  if (refusal !== undefined) return refusedBackup(refusal.error, failures, plan, health, nowMs)
  const every = (kind: AttemptFailure['kind']) => failures.length > 0 && failures.every((item) => item.kind === kind)
  const tried = `attempts: ${failures.length}, candidates: ${plan.candidates.length}`
  const seconds = secondsLeft(choicesOf(plan), health, nowMs)
  const wait = seconds === 0 ? {} : { retryAfterSeconds: seconds }
  const passing = { retryAfterSeconds: Math.max(1, seconds) }
  if (every('timeout')) return new GatewayError('upstream_timeout', `No provider answered in time (${tried}).`, wait)
  const hopeless = isHopeless(failures, plan, health)
  if (every('busy')) return hopeless ? allRefuseUs(passing.retryAfterSeconds) : noRoom(passing)
  if (every('rate-limited')) {
    return new GatewayError('providers_rate_limited', `All providers are rate limited (${tried}).`, passing)
  }
  const wasFull = failures.some(({ kind }) => kind === 'busy')
  const details = hopeless ? { retryable: false } : wasFull ? passing : wait
  return new GatewayError('all_providers_failed', `All providers failed (${tried}). ${WHERE_TO_LOOK}`, details)
}

/** Of what the caller's limits refused, what the client is told: a refusal that a moment's patience cures, if there is one. */
export function refusalToTell(failures: readonly AttemptFailure[]): Unreserved | undefined {
  const refusals = failures.flatMap(({ refusal }) => refusal ?? [])
  return refusals.find(({ error }) => error.retryable) ?? refusals[0]
}

/** The limits leave too little for a backup. What they left enough for may have failed for the moment only. */
function refusedBackup(
  error: GatewayError,
  failures: readonly AttemptFailure[],
  plan: RoutePlan,
  health: HealthRecorder,
  nowMs: Milliseconds,
): GatewayError {
  const mayRecover = failures.some((failure) => failure.refusal === undefined && failure.isOurFault !== true)
  if (!mayRecover || error.retryable) return error
  const message = `${error.message} (at another provider; those tried before have failed)`
  const refused = new Set(failures.map(({ refusal }) => refusal?.deployment))
  const tried = choicesOf(plan).filter(({ deployment }) => !refused.has(deployment))
  const seconds = secondsLeft(tried, health, nowMs)
  const wait = seconds === 0 ? {} : { retryAfterSeconds: seconds }
  return new GatewayError(error.code, message, { ...error.details, ...wait, retryable: true })
}

/**
 * Until the first of what could serve may be asked, of what was out already too; 0: one of them may now. What refuses us is
 * waited for only where there is nothing else.
 */
function secondsLeft(all: readonly Choice[], health: HealthRecorder, nowMs: Milliseconds): number {
  const resting = onlyResting(all, health)
  const leftMs = (resting.length === 0 ? all : resting).map((choice) =>
    Math.max(coolDownLeft([choice], health, nowMs), health.fullForMs(choice.deployment)),
  )
  return Math.ceil(Math.min(...leftMs) / 1_000)
}

/** What could serve, be it out for the moment. */
function choicesOf(plan: RoutePlan): readonly Choice[] {
  return [...plan.candidates, ...coolingDown(plan.removed)]
}

/**
 * All that could serve refuses this gateway: it was asked, and nobody was out for any other reason; or it has refused another
 * request meanwhile, for whose answer this one may have waited.
 */
function isHopeless(failures: readonly AttemptFailure[], plan: RoutePlan, health: HealthRecorder): boolean {
  if (onlyResting(choicesOf(plan), health).length === 0) return true
  if (failures.length < plan.candidates.length || onlyResting(coolingDown(plan.removed), health).length > 0)
    return false
  return failures.every(({ isOurFault }) => isOurFault === true)
}

function noRoom(details: GatewayErrorDetails): GatewayError {
  return new GatewayError('no_healthy_provider', 'No provider can take another request now.', details)
}

/**
 * Tries the planned deployments in their order until one answers, whatever is asked of them.
 *
 * A try ends in one of four ways: an answer, a rejection (the provider refuses the request itself: nobody else is
 * asked), a failure that another deployment may not have, or the client's leaving.
 */
import { GatewayError, UpstreamFormatError } from '../../../domain/errors.ts'
import type { AttemptRecord } from '../../../domain/routing/decision.ts'
import type { Candidate, RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { NoMemoryError } from '../memory/no-memory.ts'
import type { AnswerReservation, Unreserved } from '../quota/answer-reservation.ts'
import { judge, NO_BUDGET, NO_QUOTA_STORE, NO_SLOT, wasSent, type AttemptFailure } from './attempt-failure.ts'
import { failureDetail } from './failure-detail.ts'
import { exhausted, refusalToTell } from './exhausted-plan.ts'
import type { StreamEnd } from '../streaming/item-stream.ts'
import type { RequestRecord } from '../request-record.ts'
import type { Services } from '../services.ts'

/** An answer that has come, or has begun to. */
export interface Exchanged<Answer> {
  readonly answer: Answer
  readonly firstByteMs: number
  /** @see ProviderReply.sentAgain */
  readonly sentAgain?: boolean | undefined
  /** For an answer that goes on: has the function called once, at its end. Absent: it has ended. */
  readonly onEnd?: (ended: (end: StreamEnd) => void) => void
}

/** A plan, and what is reserved for its answers. */
export interface Planned {
  readonly plan: RoutePlan
  readonly reserved: AnswerReservation
}

/** However long a plan is: more tries than this only make the client wait. */
const MAX_ATTEMPTS = 8
/** Tries for which there was no room: each is in the audit record. */
const MAX_PASSED_OVER = 64

/**
 * @param exchange one exchange; throws for everything that is no usable answer
 * @throws {GatewayError} where no deployment answers, or the provider refuses the request itself.
 */
export async function attemptInOrder<Answer>(
  { plan, reserved }: Planned,
  record: RequestRecord,
  services: Services,
  exchange: (deployment: Deployment) => Promise<Exchanged<Answer>>,
): Promise<Answer> {
  const failures: AttemptFailure[] = []
  let sent = 0
  let left: readonly Candidate[] = plan.candidates
  for (let candidate = left[0]; candidate !== undefined; candidate = left[0]) {
    const { deployment } = candidate
    let isPassedOver = false
    for (let again = 0; again < deployment.provider.failover.maxAttempts; again++) {
      if (sent >= MAX_ATTEMPTS || failures.length - sent >= MAX_PASSED_OVER)
        throw givenUp(failures, plan, record, services)
      const outcome = await tryOnce(deployment, reserved, record, services, exchange)
      if ('answer' in outcome) return outcome.answer
      failures.push(outcome)
      isPassedOver = outcome.refusal !== undefined
      if (outcome.kind !== 'busy') sent++
      // What is cooling down by now takes no further try: it would only look like a provider that is full.
      if (!outcome.retrySame || services.health.coolingDownUntil(deployment.id) !== undefined) break
    }
    // What a budget does not leave says nothing of its provider's other models.
    left = isPassedOver ? left.slice(1) : others(left.slice(1), deployment.provider.name)
  }
  throw givenUp(failures, plan, record, services)
}

function givenUp(
  failures: readonly AttemptFailure[],
  plan: RoutePlan,
  record: RequestRecord,
  { health, now }: Services,
): GatewayError {
  record.quotaRefusal = refusalToTell(failures)?.refused
  return exhausted(failures, plan, health, now())
}

/**
 * What to try after a provider has failed: the others first, in the plan's order, then what else that provider has. A
 * provider that breaks usually breaks for all its models. @see specification section 7 rule 1
 */
function others(candidates: readonly Candidate[], failedProvider: string): readonly Candidate[] {
  const isOther = ({ deployment }: Candidate) => deployment.provider.name !== failedProvider
  return [...candidates.filter(isOther), ...candidates.filter((candidate) => !isOther(candidate))]
}

async function tryOnce<Answer>(
  deployment: Deployment,
  reserved: AnswerReservation,
  record: RequestRecord,
  services: Services,
  exchange: (deployment: Deployment) => Promise<Exchanged<Answer>>,
): Promise<{ readonly answer: Answer } | AttemptFailure> {
  const leave = services.health.enter(deployment)
  if (leave === undefined) return skipped(deployment, record)
  // Once there is a slot: nothing is to be held for a provider that takes no more.
  if (!reserved.isFor(deployment)) {
    const refusal = await reserved.reserveFor(deployment).catch((error: unknown) => {
      leave(false)
      throw error
    })
    if (refusal !== undefined) {
      leave(false)
      return passedOver(refusal, deployment, record)
    }
  }
  const started = services.now()
  record.replyHead = undefined
  try {
    const exchanging = exchange(deployment)
    // While the provider thinks there is time for what answered requests have left to do.
    services.afterAnswer.idleBegins()
    const { answer, firstByteMs, sentAgain, onEnd } = await exchanging
    const ms = Math.round(services.now() - started)
    const reason = sentAgain === true ? { reason: 'sent-again' } : {}
    record.attempts.push({ deploymentId: deployment.id, result: 'ok', status: 200, ms, ...reason })
    if (onEnd === undefined) {
      leave()
      services.health.succeeded(deployment, firstByteMs, started)
    } else {
      services.health.streaming(deployment, firstByteMs, started)
      onEnd((end) => {
        leave()
        concludeStream(end, deployment, started, record, services)
      })
    }
    return { answer }
  } catch (error) {
    leave(wasSent(error))
    record.memory.releaseAnswers()
    return failed(error, deployment, started, record, services)
  } finally {
    // Waiting for a provider is not the gateway's own time.
    record.waitedMs += services.now() - started
  }
}

/**
 * How a stream ended tells as much of its provider as how it began. A client that has left tells nothing, nor does an
 * answer that the gateway itself had no room for. Must not throw.
 */
function concludeStream(
  end: StreamEnd,
  deployment: Deployment,
  startedMs: Milliseconds,
  record: RequestRecord,
  services: Services,
): void {
  if (end.type === 'complete') services.health.completed(deployment, startedMs)
  if (end.type !== 'failed' || record.incoming.signal.aborted || isOurs(end.error)) return
  const failure = judge(end.error, record.incoming.adapter.format)
  if (failure.type === 'failure' && failure.health !== undefined)
    services.health.failed(deployment, failure.health, startedMs)
}

/** A refusal of the gateway's own, not what it says of a provider's answer. */
function isOurs(error: unknown): boolean {
  return error instanceof GatewayError && !(error instanceof UpstreamFormatError)
}

/** The limits of the caller leave too little for this deployment, or none can be asked: that says nothing of its provider. */
function passedOver(refusal: Unreserved, deployment: Deployment, record: RequestRecord): AttemptFailure {
  const { attempt, failure } = refusal.refused === undefined ? NO_QUOTA_STORE : NO_BUDGET
  record.attempts.push({ deploymentId: deployment.id, ms: 0, ...attempt })
  return { ...failure, refusal }
}

function skipped(deployment: Deployment, record: RequestRecord): AttemptFailure {
  record.attempts.push({ deploymentId: deployment.id, ms: 0, ...NO_SLOT.attempt })
  return NO_SLOT.failure
}

function failed(
  error: unknown,
  deployment: Deployment,
  startedMs: Milliseconds,
  record: RequestRecord,
  services: Services,
): AttemptFailure {
  const ms = Math.round(services.now() - startedMs)
  if (record.incoming.signal.aborted) {
    record.attempts.push({ deploymentId: deployment.id, result: 'aborted', ms })
    throw new GatewayError('client_closed_request', 'The client closed the request.')
  }
  // The provider did answer, and may be paid for it: the record must say that it was asked.
  if (error instanceof NoMemoryError) {
    record.attempts.push({ deploymentId: deployment.id, result: 'error', ms, reason: 'no-room' })
    throw error
  }
  const failure = judge(error, record.incoming.adapter.format)
  record.attempts.push({ deploymentId: deployment.id, ms, ...failure.attempt } satisfies AttemptRecord)
  if (failure.type === 'rejection') throw failure.error
  if (failure.health !== undefined) services.health.failed(deployment, failure.health, startedMs)
  services.log.warn(
    {
      requestId: record.incoming.requestId,
      attempt: record.attempts.length,
      deployment: deployment.id,
      ...failure.attempt,
      detail: failureDetail(error, deployment, record),
    },
    'provider failed',
  )
  return failure.failure
}

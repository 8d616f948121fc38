/**
 * Stage: may this request be paid for. Rate limits and all budgets and quotas of key, project and organization are
 * checked and the request's bound is reserved, in one question to the store. What is reserved is settled once, at the
 * request's end (settle.ts); until then the reservation is renewed.
 */
import type { CompletionRequest, Sampling } from '../../domain/completion/request.ts'
import { GatewayError } from '../../domain/errors.ts'
import { boundOf } from '../../domain/quota/amounts.ts'
import { quotaPlanOf, type QuotaPlan } from '../../domain/quota/limits.ts'
import { needOf, outputClampFor, outputLimitFor, type QuotaNeed } from '../../domain/quota/need.ts'
import { measurePrompt, type PromptSize } from '../../domain/quota/prompt-size.ts'
import { rateLimitHeaders } from '../../domain/quota/rate.ts'
import { refusalError, type RefusedAdmission } from '../../domain/quota/refusal.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import { affordablePlan, unpricedOf } from './affordable-plan.ts'
import type { Caller } from './authenticate.ts'
import {
  QuotaBacklogError,
  QuotaUnavailableError,
  RESERVATION_LEASE_MS,
  type Admission,
  type Admitted,
  type QuotaStore,
  type Reservation,
} from './quota-port.ts'
import { Renewals, type Renewable } from './renewals.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { traceStep } from './trace-step.ts'

/** What a call is going to use, as far as its request tells. */
export interface AskedAdmission {
  readonly model: string | undefined
  readonly prompt: PromptSize
  readonly sampling: Sampling
}

export interface AdmittedRequest {
  /** The route without what a budget cannot afford to try. */
  readonly plan: RoutePlan
  /** Tokens to which a budget shortens an answer of a deployment; undefined: it does not. */
  clampFor(deployment: Deployment): number | undefined
  /** Output limit to send to a deployment; undefined: the request's own, or none. */
  limitFor(deployment: Deployment): number | undefined
}

/** A key entry belongs to one snapshot, so its limits live as long as the snapshot does. */
const quotaPlans = new WeakMap<VirtualKeyEntry, QuotaPlan>()

/** What a chat completion asks for. */
export function admissionOf(request: CompletionRequest): AskedAdmission {
  return { model: request.model, sampling: reservedSampling(request.sampling), prompt: measurePrompt(request) }
}

/** In the place of a maximum of 0, which only Anthropic knows, 1 is sent to all others. */
export function reservedSampling(sampling: Sampling): Sampling {
  return sampling.maxOutputTokens === 0 ? { ...sampling, maxOutputTokens: 1 } : sampling
}

/** @throws {GatewayError} 429 with the limit's name, 503 `quota_backend_unavailable`, and as `affordablePlan`. */
export async function admit(
  asked: AskedAdmission,
  route: RoutePlan,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<AdmittedRequest> {
  const quotas = limitsOfCaller(caller)
  const plan = affordablePlan(route, quotas, asked.model, record, services)
  record.promptSize = asked.prompt
  const need = needOf(
    asked.prompt,
    asked.sampling,
    plan.candidates.map(({ deployment }) => deployment),
  )
  const id = record.incoming.requestId
  let admission: Admission
  try {
    admission = await services.quotas.admit({ id, plan: quotas, need })
  } catch (error) {
    admission = admittedWithoutStore(error, id, quotas, caller)
  }
  const admitted = orRefusal(admission, { plan: quotas, need }, record)
  const reservation = new KeptReservation(admitted, need, services.quotas)
  record.reservation = reservation
  Object.assign(record.rateLimitHeaders, rateLimitHeaders(admitted.rateLimits))
  record.quotaWarnings = admitted.warnings
  services.quotaWarnings.tell(caller.key.id, quotas, admitted.warnings)
  traceStep(record, services, 'admit', () => ({
    reserved: { ...boundOf(need, reservation.granted), rateTokens: need.rateTokens },
    warnings: admitted.warnings,
    removed: unpricedOf(plan).map(({ deployment, rule }) => `${deployment.id}: ${rule}`),
  }))
  const granted = quotas.blocksOnSize ? admitted.grantedOutputTokens : undefined
  return {
    plan,
    clampFor: (deployment) => (granted === undefined ? undefined : outputClampFor(deployment, granted)),
    limitFor: (deployment) => (granted === undefined ? undefined : outputLimitFor(deployment, granted)),
  }
}

/** The limits that bind a key within its project and organization. */
export function limitsOfCaller({ key, project, organization }: Caller): QuotaPlan {
  const known = quotaPlans.get(key)
  if (known !== undefined) return known
  const plan = quotaPlanOf(key, project, organization)
  quotaPlans.set(key, plan)
  return plan
}

function orRefusal(admission: Admission, asked: RefusedAdmission, record: RequestRecord): Admitted {
  if (admission.type === 'admitted') return admission
  record.quotaRefusal = admission
  throw refusalError(admission, asked)
}

/** The store has failed with `error`: refused, or, by the organization's choice, admitted and charged when it is back. */
function admittedWithoutStore(error: unknown, id: string, plan: QuotaPlan, { policy }: GovernedCaller): Admitted {
  if (!(error instanceof QuotaUnavailableError)) throw error
  if (policy.quotaFailure !== 'Open' || error instanceof QuotaBacklogError) throw unavailableError(error)
  return {
    type: 'admitted',
    // Not under the id that was asked for, which the store releases where its answer was lost.
    reservation: { id: `${id}!`, plan, origin: 'unconfirmed' },
    grantedOutputTokens: undefined,
    rateLimits: { requests: undefined, tokens: undefined },
    warnings: [],
    remaining: [],
  }
}

/** The refusal where the store cannot be asked. */
export function unavailableError(
  cause: QuotaUnavailableError,
  message = 'The quota store cannot be asked; by policy nothing is admitted.',
): GatewayError {
  return new GatewayError('quota_backend_unavailable', message, { retryAfterSeconds: 1, cause })
}

export interface HeldReservation {
  readonly reservation: Reservation
  /** What was reserved: the need, its open part at the tokens that a choice was granted. */
  readonly need: QuotaNeed
  readonly granted: number
  /** Stops renewing. */
  release(): void
}

/** At a third of the lease. */
const renewals = new Renewals(RESERVATION_LEASE_MS / 3)

class KeptReservation implements HeldReservation, Renewable {
  readonly reservation: Reservation
  readonly need: QuotaNeed
  readonly granted: number
  readonly #quotas: QuotaStore
  dueAtMs = 0
  previous: Renewable | undefined
  next: Renewable | undefined

  constructor({ reservation, grantedOutputTokens }: Admitted, need: QuotaNeed, quotas: QuotaStore) {
    this.reservation = reservation
    this.need = need
    this.granted = grantedOutputTokens ?? need.open?.maxTokens ?? 0
    this.#quotas = quotas
    if (reservation.origin !== 'none') renewals.keep(this)
  }

  renew(): void {
    void this.#quotas.renew(this.reservation)
  }

  release(): void {
    renewals.drop(this)
  }
}

/**
 * Stage: may this request be paid for. Rate limits and all budgets and quotas of key, project and organization are
 * checked and what the first candidate may use is reserved, in one question to the store; more for another candidate when it comes
 * to that (answer-room.ts). What is reserved is settled once, at the request's end (settle.ts); until then it is renewed.
 */
import type { CompletionRequest, Sampling } from '../../domain/completion/request.ts'
import { quotaPlanOf, type QuotaPlan } from '../../domain/quota/limits.ts'
import { needOf } from '../../domain/quota/need.ts'
import { measurePrompt, type PromptSize } from '../../domain/quota/prompt-size.ts'
import { rateLimitHeaders } from '../../domain/quota/rate.ts'
import { refusalError, unavailableError, type RefusedAdmission } from '../../domain/quota/refusal.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import { affordablePlan, unpricedOf } from './affordable-plan.ts'
import { AnswerRoom } from './answer-room.ts'
import type { Caller } from './authenticate.ts'
import { QuotaBacklogError, QuotaUnavailableError, type Admission, type Admitted } from './quota-port.ts'
import { KeptReservation } from './held-reservation.ts'
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
  readonly room: AnswerRoom
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
  const first = plan.candidates[0].deployment
  const need = needOf(asked.prompt, asked.sampling, first)
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
    reserved: { ...reservation.bound, rateTokens: need.rateTokens },
    warnings: admitted.warnings,
    removed: unpricedOf(plan).map(({ deployment, rule }) => `${deployment.id}: ${rule}`),
  }))
  return { plan, room: new AnswerRoom(asked, record, first) }
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

/**
 * Stage: may this request be paid for. Rate limits and all budgets and quotas of key, project and organization are
 * checked and what the first candidate may use is reserved, in one question to the store; more for another candidate when it comes
 * to that (answer-reservation.ts). What is reserved is settled once, at the request's end (settle.ts); until then it is renewed.
 */
import type { CompletionRequest, FormatName, Sampling } from '../../domain/completion/request.ts'
import { GatewayError } from '../../domain/errors.ts'
import { JSON_INSTRUCTION_TOKENS } from '../../domain/guardrails/json-shape.ts'
import { quotaPlanOf, type QuotaPlan } from '../../domain/quota/limits.ts'
import { measurePrompt, type PromptSize } from '../../domain/quota/prompt-size.ts'
import type { Refused } from '../../domain/quota/outcome.ts'
import { rateLimitHeaders } from '../../domain/quota/rate.ts'
import { refusalError, unavailableError } from '../../domain/quota/refusal.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Milliseconds, VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import { affordablePlan, unpricedOf } from './quota/affordable-plan.ts'
import { AnswerReservation } from './quota/answer-reservation.ts'
import type { Caller } from './authenticate.ts'
import { cheaperAfterMs, cheaperChoices, choicesOf, type Choice } from './quota/cheaper-choice.ts'
import { QuotaBacklogError, QuotaUnavailableError, type Admission, type Admitted } from './quota-port.ts'
import { KeptReservation } from './quota/held-reservation.ts'
import { needAt } from './quota/need-at.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { traceStep } from './trace-step.ts'

/** What a call is going to use, as far as its request tells. */
export interface AskedAdmission {
  readonly model: string | undefined
  /** Of the client's document; absent: of one that has no answer of tokens. */
  readonly format?: FormatName
  readonly prompt: PromptSize
  readonly sampling: Sampling
}

export interface AdmittedRequest {
  /** The route without what a budget cannot afford to try. */
  readonly plan: RoutePlan
  readonly reserved: AnswerReservation
}

/** A key entry belongs to one snapshot, so its limits live as long as the snapshot does. */
const quotaPlans = new WeakMap<VirtualKeyEntry, QuotaPlan>()

/** What a chat completion asks for. @param forcesJson which its model may be told in words */
export function admissionOf(request: CompletionRequest, forcesJson: boolean): AskedAdmission {
  const size = measurePrompt(request)
  const prompt = forcesJson ? longerBy(JSON_INSTRUCTION_TOKENS, size) : size
  const { model, source, sampling } = request
  return { model, format: source.format, sampling: reservedSampling(sampling), prompt }
}

function longerBy(tokens: number, size: PromptSize): PromptSize {
  return { ...size, overheadTokens: size.overheadTokens + tokens }
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
  const { admitted, choice } = await reserve(asked, plan, quotas, caller, record, services)
  const reservation = new KeptReservation(admitted, choice.need, services.quotas)
  record.reservation = reservation
  Object.assign(record.rateLimitHeaders, rateLimitHeaders(admitted.rateLimits))
  record.quotaWarnings = admitted.warnings
  services.quotaWarnings.tell(caller.key.id, quotas, admitted.warnings)
  traceStep(record, services, 'admit', () => ({
    reserved: { ...reservation.bound, rateTokens: choice.need.rateTokens },
    warnings: admitted.warnings,
    removed: unpricedOf(plan).map(({ deployment, rule }) => `${deployment.id}: ${rule}`),
  }))
  return { plan, reserved: new AnswerReservation(asked, record, choice.deployment) }
}

/** The limits that bind a key within its project and organization. */
export function limitsOfCaller({ key, project, organization }: Caller): QuotaPlan {
  const known = quotaPlans.get(key)
  if (known !== undefined) return known
  const plan = quotaPlanOf(key, project, organization)
  quotaPlans.set(key, plan)
  return plan
}

/**
 * What the first candidate may use. Where a limit does not leave that, what another of those may use that were asked for, the cheapest
 * that all limits leave: the others are passed over when it comes to them, unless more is left by then.
 */
async function reserve(
  asked: AskedAdmission,
  plan: RoutePlan,
  quotas: QuotaPlan,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<{ readonly admitted: Admitted; readonly choice: Choice }> {
  const [{ deployment }] = plan.candidates
  let choice = { deployment, need: needAt(asked, deployment) }
  let others: Choice[] | undefined
  let told: { readonly refusal: Refused; readonly choice: Choice } | undefined
  for (let id = record.incoming.requestId; ; id += '*') {
    const admission = await admissionFor(choice, id, quotas, caller, services)
    if (admission.type === 'admitted') return { admitted: admission, choice }
    // What a moment's patience cures is told before what another limit has against a cheaper one.
    if (told?.refusal.reason !== 'reserved') told = { refusal: admission, choice }
    others = cheaperChoices(admission, choice, others ?? choicesOf(plan.candidates, asked))
    const [cheapest] = others
    if (cheapest === undefined)
      throw await refused(told.refusal, told.choice, { asked, plan, quotas }, record, services)
    // Under another id: where the store's first answer was lost, what it may hold under the first one is being released.
    choice = cheapest
  }
}

async function refused(
  refusal: Refused,
  choice: Choice,
  { asked, plan, quotas }: { asked: AskedAdmission; plan: RoutePlan; quotas: QuotaPlan },
  record: RequestRecord,
  services: Services,
): Promise<GatewayError> {
  record.quotaRefusal = refusal
  const error = refusalError(refusal, { plan: quotas, need: choice.need })
  const waitMs = error.retryable ? undefined : await cheaperAfterMs(asked, plan, quotas, services)
  return waitMs === undefined ? error : laterAtAnother(error, waitMs)
}

async function admissionFor(
  { need }: Choice,
  id: string,
  plan: QuotaPlan,
  caller: GovernedCaller,
  { quotas }: Services,
): Promise<Admission> {
  try {
    return await quotas.admit({ id, plan, need })
  } catch (error) {
    return admittedWithoutStore(error, id, plan, caller)
  }
}

/** What has failed for the moment takes less: then the same request may fit. */
function laterAtAnother({ code, message, details }: GatewayError, waitMs: Milliseconds): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  const told = `${message} (at the provider that is left; one that takes less is out for the moment)`
  return new GatewayError(code, told, { ...details, retryAfterSeconds, retryable: true })
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

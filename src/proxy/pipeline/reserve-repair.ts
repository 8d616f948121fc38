/**
 * The reservation of a second try: what the first one has left of its own is there for it, and only what is missing is
 * reserved on top. Its prompt holds the first one's answer. Where the client gave no maximum, its answer may be as long as
 * the first one's might have been or, where the limits do not leave that, as what that one has left.
 */
import { addCharges, boundOf, NOTHING_USED, subtractCharges, type Charge } from '../../domain/quota/amounts.ts'
import { MIN_OPEN_OUTPUT_TOKENS, needOf, outputLimitFor, type QuotaNeed } from '../../domain/quota/need.ts'
import { measurePrompt } from '../../domain/quota/prompt-size.ts'
import { refusalError } from '../../domain/quota/refusal.ts'
import { reservedSampling, unavailableError, type HeldReservation } from './admit.ts'
import type { ProviderRequest } from './call-provider.ts'
import { QuotaUnavailableError, type Extension } from './quota-port.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'

/** @throws {GatewayError} where the limits leave no room, or the store cannot be asked */
export async function reserveRepair(
  call: ProviderRequest,
  record: RequestRecord,
  services: Services,
): Promise<ProviderRequest> {
  const held = record.reservation
  if (held === undefined) return call
  const sampling = reservedSampling(call.request.sampling)
  const prompt = measurePrompt(call.request)
  const deployments = call.plan.candidates.map(({ deployment }) => deployment)
  const spent = record.earlier.reduce((sum, { charge }) => addCharges(sum, charge), NOTHING_USED)
  const left = subtractCharges(boundOf(held.need, held.granted), spent)
  const extendTo = (maxOutputTokens: number) =>
    extended(missing(needOf(prompt, { ...sampling, maxOutputTokens }, deployments), left), held, services)

  let length = sampling.maxOutputTokens ?? held.granted
  let extension = await extendTo(length)
  const rest = Math.floor(left.outputTokens / (sampling.choices ?? 1))
  if (extension?.type === 'refused' && sampling.maxOutputTokens === undefined && rest >= MIN_OPEN_OUTPUT_TOKENS) {
    length = Math.min(length, rest)
    extension = await extendTo(length)
  }
  if (extension?.type === 'refused') throw refusalError(extension)
  if (sampling.maxOutputTokens !== undefined || !held.reservation.plan.blocksOnSize) return call
  return { ...call, limitFor: (deployment) => outputLimitFor(deployment, length) }
}

/** Undefined where nothing is missing. */
async function extended(
  more: QuotaNeed,
  { reservation }: HeldReservation,
  { quotas }: Services,
): Promise<Extension | undefined> {
  if (more.costMicroUsd + more.inputTokens + more.outputTokens === 0) return undefined
  try {
    return await quotas.extend(reservation, more)
  } catch (error) {
    throw error instanceof QuotaUnavailableError ? unavailableError(error) : error
  }
}

function missing(need: QuotaNeed, left: Charge): QuotaNeed {
  return {
    costMicroUsd: Math.max(0, need.costMicroUsd - left.costMicroUsd),
    inputTokens: Math.max(0, need.inputTokens - left.inputTokens),
    outputTokens: Math.max(0, need.outputTokens - left.outputTokens),
    rateTokens: 0,
  }
}

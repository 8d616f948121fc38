/**
 * The vector of one question, for the cache's second look: one try, in a budget of time, paid for by the request that
 * asks. Its bound is added to the request's reservation before it is sent (or taken of it, where an answer without a maximum holds
 * all that a limit leaves) and settled with the request; where the limits leave no room for it there is no look, and never a refusal.
 */
import type { Usage } from '../../../domain/completion/result.ts'
import { packVector, type PackedVector } from '../../../domain/caching/semantic/vector.ts'
import { parseEmbeddingsRequest } from '../../../domain/formats/embeddings/request.ts'
import { parseEmbeddingsResult, vectorAt } from '../../../domain/formats/embeddings/result.ts'
import { formatOf } from '../../../domain/formats/registry.ts'
import { chargeOf, fixedBound } from '../../../domain/quota/amounts.ts'
import { needOf } from '../../../domain/quota/need.ts'
import type { PromptSize } from '../../../domain/quota/prompt-size.ts'
import { canAfford } from '../../../domain/quota/unpriced.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { AnswerReservation } from '../quota/answer-reservation.ts'
import { judge, wasSent } from '../attempts/attempt-failure.ts'
import { statusErrorOf } from '../attempts/status-error.ts'
import { CallCancellation } from '../call-cancellation.ts'
import { embeddingsCall, parseVectors, usageOfVectors, sizeOfInputs } from '../embeddings/embeddings-call.ts'
import type { Cancellation } from '../ports.ts'
import { readWhole } from '../attempts/read-whole.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/** What a miss may take longer for the chance of a hit; a provider's first token takes longer. */
const EMBEDDING_BUDGET_MS = 300
/** A vector of 16,384 numbers in decimals. */
const MAX_ANSWER_BYTES = 512 * 1024

/** Undefined where it may not be paid for, does not come in time, or is none. Notes on the record which. Never throws. */
export async function embedQuestion(
  question: string,
  deployment: Deployment,
  reserved: AnswerReservation,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<PackedVector | undefined> {
  const size = sizeOfInputs({ texts: [question], tokens: 0 })
  if (!(await isReserved(size, deployment, reserved, record, services))) {
    record.semanticLook = 'unaffordable'
    return undefined
  }
  const vector = await ask(question, size, deployment, caller, record, services)
  record.semanticLook = vector === undefined ? 'failed' : 'asked'
  return vector
}

/** Whether the request's reservation has room for what the call may use at most, or could be extended by that. */
async function isReserved(
  size: PromptSize,
  deployment: Deployment,
  reserved: AnswerReservation,
  record: RequestRecord,
  { quotas }: Services,
): Promise<boolean> {
  const reservation = record.reservation?.reservation
  if (reservation === undefined || !canAfford(deployment, reservation.plan)) return false
  const need = needOf(size, { maxOutputTokens: 0 }, deployment)
  if (reserved.setAside(fixedBound(need))) return true
  try {
    const extension = await quotas.extend(reservation, need)
    return extension.type === 'extended'
  } catch {
    // The store cannot be asked: what is not certain to be paid for is not bought.
    return false
  }
}

async function ask(
  question: string,
  size: PromptSize,
  deployment: Deployment,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<PackedVector | undefined> {
  const leave = services.health.enter(deployment)
  if (leave === undefined) return undefined
  const client = record.incoming.signal
  const signal = new CallCancellation()
  const end = () => signal.abort()
  const timer = setTimeout(end, EMBEDDING_BUDGET_MS)
  client.addEventListener('abort', end, { once: true })
  if (client.aborted) end()
  const started = services.now()
  try {
    const vector = await exchange(question, size, deployment, signal, caller, record, services)
    services.health.succeeded(deployment, services.now() - started, started)
    return vector
  } catch (err) {
    leave(wasSent(err))
    // Only this look is in a hurry: that a provider takes longer is no fault of its.
    if (!signal.aborted) noteFailure(err, deployment, started, services)
    const { requestId } = record.incoming
    services.log.debug({ requestId, deployment: deployment.id, err }, 'question not embedded')
    return undefined
  } finally {
    clearTimeout(timer)
    client.removeEventListener('abort', end)
    leave()
  }
}

function noteFailure(error: unknown, deployment: Deployment, startedMs: Milliseconds, { health, log }: Services): void {
  try {
    const judgement = judge(error, 'chat-completions')
    if (judgement.type === 'failure' && judgement.health !== undefined)
      health.failed(deployment, judgement.health, startedMs)
  } catch (err) {
    log.error({ deployment: deployment.id, err }, 'embedding failed inside the gateway')
  }
}

async function exchange(
  question: string,
  size: PromptSize,
  deployment: Deployment,
  signal: Cancellation,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<PackedVector | undefined> {
  const request = parseEmbeddingsRequest({ model: deployment.model.name, input: question, encoding_format: 'float' })
  const credential = caller.configuration.credentialOf(deployment.provider.name)
  const reply = await services.transport.send(embeddingsCall(request, deployment, credential, signal))
  if (reply.status < 200 || reply.status > 299) {
    throw await statusErrorOf(reply, deployment, formatOf('chat-completions'), credential, services.wallNow())
  }
  const { document, usage } = parseEmbeddingsResult(parseVectors(await readWhole(reply, MAX_ANSWER_BYTES)), 1, 'float')
  notePrice(deployment, usage, size, record, services)
  const vector = vectorAt(document, 0)
  return vector && packVector(vector)
}

function notePrice(
  deployment: Deployment,
  told: Usage | undefined,
  size: PromptSize,
  record: RequestRecord,
  services: Services,
): void {
  const usage = usageOfVectors(told, deployment, size, record, services)
  const charge = chargeOf(usage, deployment.model.pricing)
  const costMicroUsd = deployment.model.pricing === undefined ? undefined : charge.costMicroUsd
  record.embedding = { deployment, charge, costMicroUsd, estimated: usage !== told }
}

/**
 * `POST /v1/embeddings`: texts to vectors, governed like a completion: key, policy, route, quota, guardrails, exact cache,
 * failover. What differs: only input is paid for, and the vectors of two models do not compare, so the model must be
 * named and no other one ever stands in for it (providers of the same model do).
 */
import { requestText } from '../../../domain/caching/request-text.ts'
import { NO_TOKENS } from '../../../domain/caching/token-ordinals.ts'
import { InvalidRequestError, UpstreamFormatError } from '../../../domain/errors.ts'
import { parseEmbeddingsRequest, type EmbeddingsRequest } from '../../../domain/formats/embeddings/request.ts'
import { parseEmbeddingsResult, type EmbeddingsResult } from '../../../domain/formats/embeddings/result.ts'
import { formatOf } from '../../../domain/formats/registry.ts'
import { AUTO_MODEL } from '../../../domain/routing/names.ts'
import type { RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { isAskedFor } from '../planning/asked-model.ts'
import { admit } from '../admit.ts'
import { statusErrorOf } from '../attempts/status-error.ts'
import { attemptInOrder, type Exchanged, type Planned } from '../attempts/attempt-in-order.ts'
import { embeddingsCall, parseVectors, sizeOfInputs, usageOfVectors } from './embeddings-call.ts'
import type { Incoming, Outgoing } from '../exchange.ts'
import { governCaller } from '../govern-caller.ts'
import { guardEmbeddings } from './guard-embeddings.ts'
import { beginLookUp } from '../caching/look-up.ts'
import { refuseAndSettle } from '../refuse-and-settle.ts'
import { refusePlan } from '../planning/refuse-plan.ts'
import { planForEmbeddings } from './plan-embeddings.ts'
import { parseRequestDocument } from '../reading/parse-document.ts'
import { readWhole } from '../attempts/read-whole.ts'
import { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import { settlementOf } from '../settle.ts'
import type { Cacheable } from '../caching/cacheable.ts'
import { throughCache } from '../caching/through-cache.ts'
import { answerHeaders } from '../answer-headers.ts'
import { traceBody, tracePlan, tracePolicy, traceStep } from '../trace-step.ts'
import { wholeAnswer } from '../whole-answer.ts'

export interface EmbeddingsAnswer extends EmbeddingsResult {
  readonly deployment: Deployment
  readonly bytes: Uint8Array
}

/** OpenAI's largest answer, 2,048 vectors of 3,072 numbers in base64 as its SDKs ask for them, is 32.2 MiB. */
const MAX_VECTORS_BYTES = 34 * 1024 * 1024

/** Larger inputs are not worth a digest. */
const MAX_KEY_CHARACTERS = 2 * 1024 * 1024

/** Embeddings from the client's headers to the answer. Never throws. */
export async function createEmbeddings(incoming: Incoming, services: Services): Promise<Outgoing> {
  const record = new RequestRecord(incoming, 'embeddings')
  const settle = settlementOf(record, services)
  try {
    const governed = governCaller(record, services)
    tracePolicy(governed, record, services)
    const read = await readEmbeddings(record, services)
    record.requestedModel = read.model ?? AUTO_MODEL
    const prompt = sizeOfInputs(read)
    const route = planEmbeddings(read, governed, record, services)
    const asked = { model: read.model, prompt, sampling: { maxOutputTokens: 0 } }
    const admitted = await admit(asked, route, governed, record, services)
    const request = await guardEmbeddings(read, governed, record, services)
    const lookUp = beginLookUp(() => cachedText(request, governed, record), governed, record, services)
    const answer = await throughCache(cacheable(request, admitted.plan), lookUp, governed, record, services, () =>
      embedAt(admitted, request, record, services),
    )
    record.served = answer.deployment
    record.meter.usage = usageOfVectors(answer.usage, answer.deployment, prompt, record, services)
    record.meter.isEstimated = record.meter.usage !== answer.usage
    traceStep(record, services, 'embed', () => ({
      served: answer.deployment.id,
      cache: record.cache,
      attempts: record.attempts,
    }))
    return await wholeAnswer(answer.bytes, answerHeaders(record), settle, record, services)
  } catch (error) {
    return refuseAndSettle(error, record, settle, services)
  }
}

/** Asks the deployments of a plan in order. @throws {GatewayError} where none answers. */
function embedAt(
  planned: Planned,
  request: EmbeddingsRequest,
  record: RequestRecord,
  services: Services,
): Promise<EmbeddingsAnswer> {
  return attemptInOrder(planned, record, services, (deployment) => exchange(deployment, request, record, services))
}

async function exchange(
  deployment: Deployment,
  request: EmbeddingsRequest,
  record: RequestRecord,
  services: Services,
): Promise<Exchanged<EmbeddingsAnswer>> {
  const started = services.now()
  const credential = record.caller?.configuration.credentialOf(deployment.provider.name)
  const call = embeddingsCall(request, deployment, credential, record.incoming.signal)
  const reply = await services.transport.send(call)
  record.noteReply(reply)
  if (reply.status < 200 || reply.status > 299) {
    throw await statusErrorOf(reply, deployment, formatOf('chat-completions'), credential, services.wallNow())
  }
  const firstByteMs = services.now() - started
  const bytes = await readWhole(reply, MAX_VECTORS_BYTES, () =>
    record.memory.openShare(services.answers, record.upstreamSignal),
  )
  return { answer: answerOf(bytes, request, deployment), firstByteMs, sentAgain: reply.sentAgain }
}

/** @throws {UpstreamFormatError} */
function answerOf(
  bytes: Uint8Array,
  { inputs, encoding, wantsFloats }: EmbeddingsRequest,
  deployment: Deployment,
): EmbeddingsAnswer {
  const document = parseVectors(bytes)
  const result = parseEmbeddingsResult(document, inputs, encoding, wantsFloats)
  const sent = result.document === document ? bytes : Buffer.from(JSON.stringify(result.document))
  return { ...result, deployment, bytes: sent }
}

function planEmbeddings(
  { model }: EmbeddingsRequest,
  governed: GovernedCaller,
  record: RequestRecord,
  services: Services,
): RoutePlan {
  if (model === undefined || model === AUTO_MODEL) {
    throw new InvalidRequestError(
      'Name the embedding model: vectors of two models do not compare, so there is no automatic choice.',
      'model',
    )
  }
  const outcome = planForEmbeddings(model, governed, services)
  record.removed = outcome.removed
  tracePlan(outcome, record, services)
  if (outcome.type === 'refused') throw refusePlan(outcome.error, governed, record, services)
  record.plan = outcome
  return outcome
}

async function readEmbeddings(record: RequestRecord, services: Services): Promise<EmbeddingsRequest> {
  const bytes = await record.waitFor(record.incoming.readBody(), services.now)
  record.bodyBytes = bytes.length
  const read = parseEmbeddingsRequest(parseRequestDocument(bytes))
  traceBody(bytes, record, services)
  return read
}

/** Masked texts keep their tokens: the vector of one user's value is not that of another's. */
function cachedText(
  { document, model }: EmbeddingsRequest,
  { policy }: GovernedCaller,
  { bodyBytes }: RequestRecord,
): string | undefined {
  if (bodyBytes > MAX_KEY_CHARACTERS) return undefined
  const text = requestText({
    format: 'embeddings',
    document,
    model,
    policy,
    passHeaders: {},
    shape: undefined,
    tokens: NO_TOKENS,
  })
  return text !== undefined && text.length <= MAX_KEY_CHARACTERS ? text : undefined
}

function cacheable(request: EmbeddingsRequest, plan: RoutePlan): Cacheable<EmbeddingsAnswer> {
  return {
    plan,
    answers: (deployment) => isAskedFor(deployment, request.model),
    revive: (bytes, format, deployment) => (format === 'embeddings' ? revive(bytes, request, deployment) : undefined),
    keep: (answer, keeper) => {
      keeper.keep(answer.bytes, 'embeddings', answer.deployment)
      return answer
    },
  }
}

function revive(bytes: Uint8Array, request: EmbeddingsRequest, deployment: Deployment): EmbeddingsAnswer | undefined {
  try {
    return answerOf(bytes, request, deployment)
  } catch (error) {
    if (error instanceof UpstreamFormatError) return undefined
    throw error
  }
}

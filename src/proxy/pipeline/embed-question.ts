/** The vector of one question, for the cache's second look: one try, in a budget of time. */
import { packVector, type PackedVector } from '../../domain/caching/semantic/vector.ts'
import { parseEmbeddingsRequest, renderEmbeddingsRequest } from '../../domain/formats/embeddings/request.ts'
import { parseEmbeddingsResult, vectorAt } from '../../domain/formats/embeddings/result.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { parseDocument } from './read-request.ts'
import { readWhole } from './read-whole.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/** What a miss may take longer for the chance of a hit; a provider's first token takes longer. */
const EMBEDDING_BUDGET_MS = 300
/** A vector of 16,384 numbers in decimals. */
const MAX_ANSWER_BYTES = 512 * 1024

/** Undefined where it does not come in time, or is none. Never throws. */
export async function embedQuestion(
  question: string,
  deployment: Deployment,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<PackedVector | undefined> {
  const leave = services.health.enter(deployment)
  if (leave === undefined) return undefined
  const started = services.now()
  try {
    return await ask(question, deployment, caller, record, services)
  } catch (err) {
    services.log.debug(
      { requestId: record.incoming.requestId, deployment: deployment.id, err },
      'question not embedded',
    )
    return undefined
  } finally {
    leave()
    record.upstreamMs += services.now() - started
  }
}

async function ask(
  question: string,
  deployment: Deployment,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<PackedVector | undefined> {
  const request = parseEmbeddingsRequest({ model: deployment.model.name, input: question, encoding_format: 'float' })
  const reply = await services.transport.send({
    deployment,
    credential: caller.configuration.credentialOf(deployment.provider.name),
    operation: 'embeddings',
    stream: false,
    body: JSON.stringify(renderEmbeddingsRequest(request, deployment.model.upstreamName)),
    passHeaders: {},
    signal: AbortSignal.any([record.incoming.signal, AbortSignal.timeout(EMBEDDING_BUDGET_MS)]),
  })
  const bytes = await readWhole(reply, MAX_ANSWER_BYTES)
  if (reply.status !== 200) return undefined
  const { document } = parseEmbeddingsResult(parseDocument(bytes), 1, 'float')
  const vector = vectorAt(document, 0)
  return vector && packVector(vector)
}

/** What a call for vectors is made of, whoever wants them: a client, or the look into the cache by meaning. */
import type { Usage } from '../../../domain/completion/result.ts'
import { UpstreamFormatError } from '../../../domain/errors.ts'
import { renderEmbeddingsRequest, type EmbeddingsRequest } from '../../../domain/formats/embeddings/request.ts'
import type { JsonObject } from '../../../domain/json.ts'
import { probableTokens, type PromptSize } from '../../../domain/quota/prompt-size.ts'
import { utf8Size } from '../../../domain/quota/utf8-size.ts'
import type { Secret } from '../../../domain/secret.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { parseDocument } from '../reading/parse-document.ts'
import type { Cancellation, ProviderCall } from '../ports.ts'
import type { RequestRecord } from '../request-record.ts'
import type { Services } from '../services.ts'
import { believedUsage } from '../quota/usage-doubts.ts'

/** A token of a list is one token; a text has at most as many as bytes. */
export function sizeOfInputs({ texts, tokens }: Pick<EmbeddingsRequest, 'texts' | 'tokens'>): PromptSize {
  let textBytes = 0
  let wideBytes = 0
  for (const text of texts) {
    const { bytes, wide } = utf8Size(text)
    textBytes += bytes
    wideBytes += wide
  }
  return { textBytes, wideBytes, overheadTokens: tokens, images: 0, unmeasurable: false }
}

/** No header of the client's goes with it. */
export function embeddingsCall(
  request: EmbeddingsRequest,
  deployment: Deployment,
  credential: Secret | undefined,
  signal: Cancellation,
): ProviderCall {
  const body = JSON.stringify(renderEmbeddingsRequest(request, deployment.model.upstreamName))
  return { deployment, credential, operation: 'embeddings', stream: false, body, passHeaders: {}, signal }
}

/** The answer's document. @throws {UpstreamFormatError} */
export function parseVectors(bytes: Uint8Array): JsonObject {
  try {
    return parseDocument(bytes)
  } catch (cause) {
    throw new UpstreamFormatError('the answer is not a JSON object', cause)
  }
}

/** `told` itself, or an estimate where the server has counted nothing, or what no call can have. */
export function usageOfVectors(
  told: Usage | undefined,
  deployment: Deployment,
  size: PromptSize,
  record: RequestRecord,
  services: Services,
): Usage {
  const isTrue = told !== undefined && believedUsage(told, deployment, size, record, services) === told
  return isTrue ? told : probableUsage(size)
}

function probableUsage({ textBytes, wideBytes, overheadTokens }: PromptSize): Usage {
  const input = probableTokens(textBytes, wideBytes) + overheadTokens
  return { input, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }
}

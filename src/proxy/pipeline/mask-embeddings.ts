/** The masking guardrail over texts to embed. Injection is not judged here: an embedding model follows no instructions. */
import { GatewayError } from '../../domain/errors.ts'
import {
  parseEmbeddingsRequest,
  visitEmbeddingsText,
  type EmbeddingsRequest,
} from '../../domain/formats/embeddings/request.ts'
import { RedactionMap } from '../../domain/guardrails/masking/redaction-map.ts'
import { utf8Size } from '../../domain/quota/prompt-size.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/** The request as the policy lets it leave. Mutates its document. @throws {GatewayError} 503 `guardrail_failed`. */
export function maskEmbeddings(
  request: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): EmbeddingsRequest {
  if (!caller.policy.flags.has('pii-safe')) return request
  if (request.tokens > 0) {
    throw new GatewayError(
      'invalid_request_error',
      'Lists of tokens cannot be masked: send texts, or a request without the flag pii-safe.',
      { param: 'input' },
    )
  }
  try {
    return mask(request, caller, record, services)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError('guardrail_failed', 'A guardrail failed; the request was not sent.', { cause: error })
  }
}

function mask(
  { document }: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  { guardrails }: Services,
): EmbeddingsRequest {
  const redactions = new RedactionMap({
    detector: guardrails.detectorFor(caller.policy.masking),
    tokenSuffix: guardrails.tokenSuffixOf(caller.configuration.redactionSecretOf(caller.organization.name)),
  })
  visitEmbeddingsText(document, (span) => {
    redactions.reserve(span.text)
    return span.text
  })
  visitEmbeddingsText(document, ({ text }) => {
    record.guardrailBytes['pii-safe/message'] = (record.guardrailBytes['pii-safe/message'] ?? 0) + utf8Size(text).bytes
    return redactions.mask(text)
  })
  for (const [kind, count] of redactions.counts) record.findings[kind] = count
  return parseEmbeddingsRequest(document)
}

/** The masking guardrail over texts to embed. Injection is not judged here: an embedding model follows no instructions. */
import type { TextSpan } from '../../domain/completion/text-span.ts'
import { GatewayError } from '../../domain/errors.ts'
import {
  parseEmbeddingsRequest,
  visitEmbeddingsText,
  type EmbeddingsRequest,
} from '../../domain/formats/embeddings/request.ts'
import { RedactionMap } from '../../domain/guardrails/masking/redaction-map.ts'
import { utf8Size } from '../../domain/quota/prompt-size.ts'
import type { Steps } from '../../domain/steps.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { takeTurns } from './take-turns.ts'

/** The request as the policy lets it leave. Mutates its document. @throws {GatewayError} 503 `guardrail_failed`, 499. */
export async function maskEmbeddings(
  request: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<EmbeddingsRequest> {
  if (!caller.policy.flags.has('pii-safe')) return request
  if (request.tokens > 0) {
    throw new GatewayError(
      'invalid_request_error',
      'Lists of tokens cannot be masked: send texts, or a request without the flag pii-safe.',
      { param: 'input' },
    )
  }
  try {
    const steps = maskInSteps(request, caller, record, services)
    return await takeTurns(steps, services.now, record.incoming.signal)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError('guardrail_failed', 'A guardrail failed; the request was not sent.', { cause: error })
  }
}

function* maskInSteps(
  { document }: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  { guardrails }: Services,
): Steps<EmbeddingsRequest> {
  const redactions = new RedactionMap({
    detector: guardrails.detectorFor(caller.policy.masking),
    tokenSuffix: guardrails.tokenSuffixOf(caller.configuration.redactionSecretOf(caller.organization.name)),
  })
  const spans: TextSpan[] = []
  visitEmbeddingsText(document, (span) => {
    redactions.reserve(span.text)
    spans.push(span)
    return span.text
  })
  const masked: string[] = []
  for (const { scope, text, maxLength } of spans) {
    const label = `pii-safe/${scope}`
    record.guardrailBytes[label] = (record.guardrailBytes[label] ?? 0) + utf8Size(text).bytes
    masked.push(yield* redactions.maskInSteps(text, false, maxLength))
    yield
  }
  let next = 0
  visitEmbeddingsText(document, ({ text }) => masked[next++] ?? text)
  for (const [kind, count] of redactions.counts) record.findings[kind] = count
  return parseEmbeddingsRequest(document)
}

/** The masking guardrail over texts to embed. Injection is not judged here: an embedding model follows no instructions. */
import type { TextSpan } from '../../domain/completion/text-span.ts'
import { GatewayError } from '../../domain/errors.ts'
import {
  parseEmbeddingsRequest,
  visitEmbeddingsText,
  type EmbeddingsRequest,
} from '../../domain/formats/embeddings/request.ts'
import type { Steps } from '../../domain/steps.ts'
import { countBytes, MASKING_LABELS } from './guardrail-bytes.ts'
import { redactionsOf } from './redactions-of.ts'
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
  services: Services,
): Steps<EmbeddingsRequest> {
  const redactions = redactionsOf(caller, services)
  const spans: TextSpan[] = []
  visitEmbeddingsText(document, (span) => {
    redactions.reserve(span.text)
    spans.push(span)
    return span.text
  })
  const masked: string[] = []
  for (const span of spans) {
    countBytes(record, MASKING_LABELS, span)
    masked.push(yield* redactions.maskInSteps(span.text, false, span.maxLength))
    yield
  }
  let next = 0
  visitEmbeddingsText(document, ({ text }) => masked[next++] ?? text)
  for (const [kind, count] of redactions.counts) record.findings[kind] = count
  return parseEmbeddingsRequest(document)
}

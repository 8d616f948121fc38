/**
 * What the policy's guardrails say to texts to embed. Injection is judged as well: an embedding model follows no orders, but
 * who looks for its vectors will read the texts to one that does.
 */
import type { TextSpan } from '../../../domain/completion/text-span.ts'
import { GatewayError } from '../../../domain/errors.ts'
import {
  parseEmbeddingsRequest,
  visitEmbeddingsText,
  type EmbeddingsRequest,
} from '../../../domain/formats/embeddings/request.ts'
import type { Steps } from '../../../domain/steps.ts'
import { failingClosed } from '../guarding/failing-closed.ts'
import { countBytes, MASKING_LABELS } from '../guarding/guardrail-bytes.ts'
import { redactionsOf } from '../guarding/redactions-of.ts'
import { refuseInjection } from '../guarding/refuse-injection.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import { takeTurns } from '../take-turns.ts'
import { traceFindings } from '../trace-step.ts'

/** The flag may be the policy's, so leaving it out is no advice. What mostly sends tokens does so without its user's knowing. */
const SEND_TEXTS = 'send texts (LangChain for Python does with check_embedding_ctx_length=False)'

/**
 * The request as the policy lets it leave. Mutates its document.
 * @throws {GatewayError} 400 `prompt_injection_detected`, 503 `guardrail_failed`, 499.
 */
export async function guardEmbeddings(
  request: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<EmbeddingsRequest> {
  const flag = READING_FLAGS.find((name) => caller.policy.flags.has(name))
  if (flag === undefined) return request
  if (request.tokens > 0) {
    throw new GatewayError(
      'invalid_request_error',
      `Guardrails cannot read lists of tokens, and ${flag} is in force: ${SEND_TEXTS}.`,
      { param: 'input' },
    )
  }
  const steps = failingClosed(guardInSteps(request, caller, record, services))
  return await takeTurns(steps, services.now, record.incoming.signal)
}

/** An embedding has no JSON to force. */
const READING_FLAGS = ['pii-safe', 'adversarial-detection'] as const

function* guardInSteps(
  request: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Steps<EmbeddingsRequest> {
  const { flags } = caller.policy
  if (flags.has('adversarial-detection')) yield* refuseInjection(spansOf(request), caller, record, services)
  const guarded = flags.has('pii-safe') ? yield* maskInSteps(request, caller, record, services) : request
  traceFindings(record, services)
  return guarded
}

function spansOf({ document }: EmbeddingsRequest): TextSpan[] {
  const spans: TextSpan[] = []
  visitEmbeddingsText(document, (span) => {
    spans.push(span)
    return span.text
  })
  return spans
}

function* maskInSteps(
  request: EmbeddingsRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Steps<EmbeddingsRequest> {
  const redactions = redactionsOf(caller, services, record)
  const spans = spansOf(request)
  for (const { text } of spans) redactions.reserve(text)
  const masked = new Map<number, string>()
  for (const [index, span] of spans.entries()) {
    countBytes(record, MASKING_LABELS, span)
    masked.set(index, yield* redactions.maskInSteps(span.text, false, span.maxLength, span.fieldName))
    yield
  }
  yield* redactions.maskAgain(spans, masked)
  const { document } = request
  let next = 0
  visitEmbeddingsText(document, ({ text }) => masked.get(next++) ?? text)
  for (const [kind, count] of redactions.counts) record.findings[kind] = count
  return parseEmbeddingsRequest(document)
}

/** The injection guardrail over the texts of a request, as the client wrote them. */
import type { TextSpan } from '../../../domain/completion/text-span.ts'
import { GatewayError } from '../../../domain/errors.ts'
import type { Steps } from '../../../domain/steps.ts'
import { countBytes, INJECTION_LABELS } from './guardrail-bytes.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/**
 * Shorter names are not judged as orders to the model: alone, without what stands around it, `secret_access_key` looks like one.
 * Names of forms and settings stay below it; an order with its purpose does not.
 */
const LONGEST_PLAIN_NAME = 64

/** @throws {GatewayError} 400 `prompt_injection_detected` */
export function* refuseInjection(
  spans: Iterable<TextSpan>,
  { policy }: GovernedCaller,
  record: RequestRecord,
  { guardrails }: Services,
): Steps<void> {
  yield
  const verdict = yield* guardrails.injection.scoreInSteps(counted(spans, record))
  if (verdict.score < (policy.injectionThreshold ?? guardrails.injectionThreshold)) return
  record.blockedBy = 'adversarial-detection'
  record.findings['INJECTION'] = 1
  throw new GatewayError(
    'prompt_injection_detected',
    `The request was blocked: suspected prompt injection (${verdict.families.join(', ') || 'classifier'}) in ${verdict.scope ?? 'message'} text.`,
  )
}

function* counted(spans: Iterable<TextSpan>, record: RequestRecord): Iterable<TextSpan> {
  for (const span of spans) {
    if (span.scope === 'parameter') continue
    if (span.isName === true && span.text.length <= LONGEST_PLAIN_NAME) continue
    countBytes(record, INJECTION_LABELS, span)
    yield span
  }
}

/** What a guardrail cannot judge does not leave. */
import { GatewayError } from '../../../domain/errors.ts'
import type { Steps } from '../../../domain/steps.ts'

/** @throws {GatewayError} the steps' own refusal; 503 `guardrail_failed` for whatever else they throw */
export function* failingClosed<Result>(steps: Steps<Result>): Steps<Result> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError('guardrail_failed', 'A guardrail failed; the request was not sent.', { cause: error })
  }
}

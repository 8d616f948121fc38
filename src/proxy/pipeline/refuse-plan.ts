/** The refusal of a request that has no route. */
import type { GatewayError } from '../../domain/errors.ts'
import { modelNotFound } from '../../domain/routing/refusals.ts'
import { redactionsOf } from './redactions-of.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/** Characters of an unknown model's name that are looked at, more than are ever shown. */
const MAX_NAME_LENGTH = 1_024

/**
 * The error to throw. A name that no model has may be anything, a key in the wrong field too: what the refusal, the audit
 * record and the log show of it is masked, whatever the policy says.
 */
export function refusePlan(
  error: GatewayError,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): GatewayError {
  if (error.code !== 'model_not_found') return error
  const shown = redactionsOf(caller, services, record).mask((record.requestedModel ?? '').slice(0, MAX_NAME_LENGTH))
  record.requestedModel = shown
  return modelNotFound(shown)
}

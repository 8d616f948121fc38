/** The refusal of a request that has no route. */
import type { GatewayError } from '../../../domain/errors.ts'
import { modelNotFound } from '../../../domain/routing/refusals.ts'
import { limitsOfCaller } from '../admit.ts'
import { affordableRefusal } from '../quota/affordable-plan.ts'
import { nearestModel } from '../queries/list-models.ts'
import { redactionsOf } from '../guarding/redactions-of.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/** Characters of an unknown model's name that are looked at, more than are ever shown. */
const MAX_NAME_LENGTH = 1_024

/** The error to throw. Counting tokens costs nothing, so no budget has to know a price. */
export function refusePlan(
  error: GatewayError,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): GatewayError {
  if (error.code === 'model_not_found') return refuseModel(caller, record, services)
  return record.operation === 'count-tokens'
    ? error
    : affordableRefusal(error, limitsOfCaller(caller), record, services)
}

/**
 * 404 for `record.requestedModel`, with the model that was probably meant, of those that the client's list shows. A name that
 * no model has may be anything, a key in the wrong field too: what the refusal, the audit record and the log show of it is
 * masked, whatever the policy says.
 */
export function refuseModel(caller: GovernedCaller, record: RequestRecord, services: Services): GatewayError {
  const { adapter } = record.incoming
  const name = record.requestedModel ?? ''
  const shown = redactionsOf(caller, services, record).mask(name.slice(0, MAX_NAME_LENGTH))
  record.requestedModel = shown
  return modelNotFound(shown, {
    listPath: adapter.routes.find(({ operation }) => operation === 'list-models')?.path,
    meant: nearestModel(caller, adapter, name),
  })
}

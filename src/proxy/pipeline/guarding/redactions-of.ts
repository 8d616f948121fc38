/** What a request's masking begins with. */
import { RedactionMap } from '../../../domain/guardrails/masking/restoring/redaction-map.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/**
 * An empty map: the rules of the request's policy, and tokens as its organization's secret makes them. Masking throws 429
 * `rate_limit_exceeded` where the requests under way have more values than there is memory for.
 */
export function redactionsOf(
  { policy, configuration, organization }: GovernedCaller,
  { guardrails, maskedValues }: Services,
  record: RequestRecord,
): RedactionMap {
  return new RedactionMap({
    detector: guardrails.detectorFor(policy.masking),
    tokenSuffix: guardrails.tokenSuffixOf(configuration.redactionSecretOf(organization.name)),
    room: record.memory.openValues(maskedValues),
  })
}

/** What a request's masking begins with. */
import { RedactionMap } from '../../domain/guardrails/masking/redaction-map.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/** An empty map: the rules of the request's policy, and tokens as its organization's secret makes them. */
export function redactionsOf(
  { policy, configuration, organization }: GovernedCaller,
  { guardrails }: Services,
): RedactionMap {
  return new RedactionMap({
    detector: guardrails.detectorFor(policy.masking),
    tokenSuffix: guardrails.tokenSuffixOf(configuration.redactionSecretOf(organization.name)),
  })
}

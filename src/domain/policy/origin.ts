/** Which level a rule came from, found when an explanation asks for it, so that requests pay nothing for it. */
import type { EffectivePolicy, PolicyOrigin } from './effective-policy.ts'

/** Rules of which one level's value is in force. */
export type ValueRule = 'maxCost' | 'minQuality' | 'scoringMethod' | 'billing' | 'trace' | 'fallback'

/** Rules that gather the elements of all levels. */
export type ListRule = 'flags' | 'excludeProviders' | 'excludeModels' | 'excludeCountries'

/** The level whose value is in force; where it and compliance say the same, the level. */
export function originOf(policy: EffectivePolicy, rule: ValueRule): PolicyOrigin {
  const setters = policy.sources?.filter(({ settings }) => settings[rule] !== undefined) ?? []
  const [strongest] = setters
  if (strongest === undefined) return 'built-in'
  return strongest.settings[rule] === policy[rule] ? strongest.origin : 'compliance'
}

/** The strongest level whose list has `element`. As in routing, case does not count. */
export function originOfElement(policy: EffectivePolicy, rule: ListRule, element: string): PolicyOrigin {
  const lower = element.toLowerCase()
  const source = policy.sources?.find(({ settings }) => settings[rule]?.some((own) => own.toLowerCase() === lower))
  return source?.origin ?? 'built-in'
}

/** For people: the header's name where a header set the rule, else whose policy it is. */
export function describeOrigin(origin: PolicyOrigin, headerName: string): string {
  switch (origin) {
    case 'header':
      return headerName
    case 'key':
      return "the virtual key's policies"
    case 'project':
      return "the project's defaults"
    case 'organization':
      return "the organization's defaults"
    case 'compliance':
      return "the organization's compliance"
    case 'built-in':
      return 'policy'
    default:
      return origin satisfies never
  }
}

/**
 * The policy of a request.
 *
 *   header > key.policies > project.defaults > organization.defaults > built in
 *
 * A value of a stronger level replaces a weaker one's; flags, exclusions and tags of all levels add up (of one tag key
 * the strongest level's value counts). Then `organization.compliance` is intersected: the lower of the costs, the
 * higher of the qualities, all exclusions, all required flags. It comes last, so no level can relax it.
 *
 * Without control headers a key's policy is the same for every request: `basePolicy` is that part, to be kept per key
 * and snapshot, and `applyOverrides` gives it back as it is.
 */
import { GatewayError } from '../errors.ts'
import type {
  ComplianceSettings,
  OrganizationEntry,
  PolicySettings,
  Privileges,
  ProjectEntry,
  VirtualKeyEntry,
} from '../snapshot/snapshot.ts'
import { mergeCache } from './cache-settings.ts'
import type { EffectivePolicy } from './effective-policy.ts'
import type { ControlOverrides, PolicyChange } from './overrides.ts'

/** Header that a missing required tag is reported under. */
const TAGS_HEADER = 'x-llm-tags'

/** The levels below the headers. */
export interface PolicyLevels {
  readonly key: Pick<VirtualKeyEntry, 'policies' | 'privileges'>
  /** Undefined where the key belongs to no project. */
  readonly project: Pick<ProjectEntry, 'defaults'> | undefined
  readonly organization: Pick<OrganizationEntry, 'defaults' | 'compliance'>
}

/** What applies to a key's requests that carry no control header. Immutable, so it may be shared and kept. */
export interface BasePolicy {
  readonly policy: EffectivePolicy
  readonly privileges: Privileges
  /** Names of tags that every request must have. */
  readonly requiredTags: readonly string[]
  /** The compliance floor as a level of its own. */
  readonly floor: PolicySettings
}

export type PolicyOutcome =
  | { readonly type: 'policy'; readonly policy: EffectivePolicy }
  | { readonly type: 'refused'; readonly error: GatewayError }

/**
 * `applyOverrides(basePolicy(request), request.overrides)` in one step. Refused with `privilege_required` (403) where the key may
 * not send a header, else with `missing_required_tag` (400).
 */
export function resolvePolicy(request: PolicyLevels & { readonly overrides: ControlOverrides }): PolicyOutcome {
  return applyOverrides(basePolicy(request), request.overrides)
}

/** The part of the policy that no request changes. Costs a few microseconds: keep it while the snapshot lives. */
export function basePolicy({ key, project, organization }: PolicyLevels): BasePolicy {
  const { compliance } = organization
  const floor = floorOf(organization)
  const levels = [key.policies, ...(project === undefined ? [] : [project.defaults]), organization.defaults]
  const chosen = levels.map(lowerCaseProviders)
  return {
    policy: {
      ...gatherLists([...chosen, floor]),
      ...tighten(strongest(chosen, 'maxCost'), strongest(chosen, 'minQuality'), floor),
      scoringMethod: strongest(chosen, 'scoringMethod'),
      billing: strongest(chosen, 'billing') ?? 'sync',
      trace: strongest(chosen, 'trace') ?? false,
      tags: mergeTags(chosen),
      fallback: strongest(chosen, 'fallback') ?? 'AnyModel',
      cache: mergeCache(chosen.map(({ cache }) => cache)),
      quotaFailure: compliance.quotaFailure ?? 'Closed',
      injectionThreshold: compliance.injectionThreshold,
      masking: maskingOf(compliance),
    },
    privileges: key.privileges,
    requiredTags: compliance.requiredTags ?? [],
    floor,
  }
}

/** One object for all keys of an organization: what is compiled from it (patterns too) is kept by it, and keys are many. */
const maskings = new WeakMap<ComplianceSettings, EffectivePolicy['masking']>()

function maskingOf(compliance: ComplianceSettings): EffectivePolicy['masking'] {
  const { kinds = [], custom = [] } = compliance.masking ?? {}
  const masking = maskings.get(compliance) ?? { kinds, custom }
  maskings.set(compliance, masking)
  return masking
}

/** The policy of one request. Without overrides it is the base's own object. Refusals as in `resolvePolicy`. */
export function applyOverrides(base: BasePolicy, overrides: ControlOverrides): PolicyOutcome {
  const forbidden = overrides.needs.find(({ privilege }) => !base.privileges[privilege])
  if (forbidden !== undefined) return refused(privilegeRequired(forbidden.header, forbidden.privilege))
  const policy = isEmpty(overrides.change) ? base.policy : overridden(base, overrides.change)
  const missing = base.requiredTags.find((key) => !Object.hasOwn(policy.tags, key))
  return missing === undefined ? { type: 'policy', policy } : refused(missingTag(missing))
}

function overridden({ policy, floor }: BasePolicy, change: PolicyChange): EffectivePolicy {
  return {
    ...policy,
    flags: union(policy.flags, change.flags),
    excludeProviders: union(policy.excludeProviders, change.excludeProviders),
    excludeModels: union(policy.excludeModels, change.excludeModels),
    excludeCountries: union(policy.excludeCountries, change.excludeCountries),
    ...tighten(change.maxCost ?? policy.maxCost, change.minQuality ?? policy.minQuality, floor),
    scoringMethod: change.scoringMethod ?? policy.scoringMethod,
    billing: change.billing ?? policy.billing,
    trace: change.trace ?? policy.trace,
    tags: change.tags === undefined ? policy.tags : { ...policy.tags, ...change.tags },
  }
}

function floorOf({ compliance }: PolicyLevels['organization']): PolicySettings {
  return lowerCaseProviders({
    ...(compliance.requiredFlags && { flags: compliance.requiredFlags }),
    ...(compliance.deniedProviders && { excludeProviders: compliance.deniedProviders }),
    ...(compliance.deniedModels && { excludeModels: compliance.deniedModels }),
    ...(compliance.deniedCountries && { excludeCountries: compliance.deniedCountries }),
    ...(compliance.maxCost !== undefined && { maxCost: compliance.maxCost }),
    ...(compliance.minQuality !== undefined && { minQuality: compliance.minQuality }),
  })
}

/** Providers' names are lower case: an exclusion written `OpenAI` must not be one of nobody. */
function lowerCaseProviders(settings: PolicySettings): PolicySettings {
  if (settings.excludeProviders === undefined) return settings
  return { ...settings, excludeProviders: settings.excludeProviders.map((name) => name.toLowerCase()) }
}

function gatherLists(levels: readonly PolicySettings[]) {
  return {
    flags: new Set(levels.flatMap(({ flags }) => flags ?? [])),
    excludeProviders: new Set(levels.flatMap(({ excludeProviders }) => excludeProviders ?? [])),
    excludeModels: new Set(levels.flatMap(({ excludeModels }) => excludeModels ?? [])),
    excludeCountries: new Set(levels.flatMap(({ excludeCountries }) => excludeCountries ?? [])),
  }
}

/** Of one tag key the strongest level's value. */
function mergeTags(levels: readonly PolicySettings[]): Record<string, string> {
  return levels.reduceRight<Record<string, string>>((merged, { tags }) => ({ ...merged, ...tags }), {})
}

/** Both bounds within the floor's. Undefined is no bound. */
function tighten(maxCost: number | undefined, minQuality: number | undefined, floor: PolicySettings) {
  return {
    maxCost: maxCost === undefined ? floor.maxCost : Math.min(maxCost, floor.maxCost ?? Infinity),
    minQuality: minQuality === undefined ? floor.minQuality : Math.max(minQuality, floor.minQuality ?? 0),
  }
}

/** The first level's value that is set; `levels` from the strongest down. */
function strongest<Rule extends keyof PolicySettings>(
  levels: readonly PolicySettings[],
  rule: Rule,
): PolicySettings[Rule] | undefined {
  return levels.find((settings) => settings[rule] !== undefined)?.[rule]
}

/** The set itself where nothing is added: most headers leave most lists alone. */
function union<Element>(set: ReadonlySet<Element>, added: readonly Element[] | undefined): ReadonlySet<Element> {
  return added === undefined ? set : new Set([...set, ...added])
}

function isEmpty(change: PolicyChange): boolean {
  for (const _ in change) return false
  return true
}

function refused(error: GatewayError): PolicyOutcome {
  return { type: 'refused', error }
}

function privilegeRequired(header: string, privilege: keyof Privileges): GatewayError {
  return new GatewayError(
    'privilege_required',
    `${header} needs the privilege ${privilege}, which this key does not have`,
    {
      param: header,
    },
  )
}

function missingTag(key: string): GatewayError {
  return new GatewayError(
    'missing_required_tag',
    `the organization requires the tag ${key}; send it in ${TAGS_HEADER}`,
    {
      param: TAGS_HEADER,
    },
  )
}

/** Where organizations, their projects and keys state policies, and whom and what these exclude: the one way that looks for slips in them. */
import type {
  ComplianceSpec,
  OrganizationResource,
  PoliciesSpec,
  VirtualKeyResource,
} from '../../domain/resources/kinds.ts'
import type { FieldPath } from '../problem.ts'

/** What may state policies. */
export type PolicyHolder = OrganizationResource | VirtualKeyResource

export interface StatedPolicies {
  readonly field: FieldPath
  /** Undefined: the field is not there. */
  readonly policies: PoliciesSpec | undefined
}

/** A key's own; of an organization its defaults, then those of its projects. */
export function statedPolicies(holder: PolicyHolder): readonly [StatedPolicies, ...StatedPolicies[]] {
  if (holder.kind === 'VirtualKey') return [{ field: ['spec', 'policies'], policies: holder.spec.policies }]
  const { defaults, projects = [] } = holder.spec
  const ofProjects = projects.map((project, index) => ({
    field: ['spec', 'projects', index, 'defaults'],
    policies: project.defaults,
  }))
  return [{ field: ['spec', 'defaults'], policies: defaults }, ...ofProjects]
}

/** A list of what is excluded or denied. */
export interface Exclusion {
  readonly field: FieldPath
  readonly excludes: 'providers' | 'models' | 'countries'
  /** Empty where the field is not there. */
  readonly names: readonly string[]
}

/** In the order of `statedPolicies`; what an organization's compliance denies comes behind its defaults. */
export function exclusionsOf(holder: PolicyHolder): readonly Exclusion[] {
  const [own, ...ofProjects] = statedPolicies(holder)
  const denied = holder.kind === 'Organization' ? deniedBy(holder.spec.compliance) : []
  return [...excludedBy(own), ...denied, ...ofProjects.flatMap(excludedBy)]
}

function excludedBy({ field, policies = {} }: StatedPolicies): Exclusion[] {
  const { excludeProviders = [], excludeModels = [], excludeCountries = [] } = policies
  return [
    { field: [...field, 'excludeProviders'], excludes: 'providers', names: excludeProviders },
    { field: [...field, 'excludeModels'], excludes: 'models', names: excludeModels },
    { field: [...field, 'excludeCountries'], excludes: 'countries', names: excludeCountries },
  ]
}

function deniedBy(compliance: ComplianceSpec | undefined): Exclusion[] {
  const { deniedProviders = [], deniedModels = [], deniedCountries = [] } = compliance ?? {}
  const field = ['spec', 'compliance']
  return [
    { field: [...field, 'deniedProviders'], excludes: 'providers', names: deniedProviders },
    { field: [...field, 'deniedModels'], excludes: 'models', names: deniedModels },
    { field: [...field, 'deniedCountries'], excludes: 'countries', names: deniedCountries },
  ]
}

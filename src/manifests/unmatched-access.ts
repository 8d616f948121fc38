/** Names of organizations and projects in lists of who may do what that nothing declared bears: they keep out whom they should let in. */
import { impliedOrganization } from '../domain/resources/organizations.ts'
import type { ManifestResources } from './load.ts'
import type { Remark } from './remark.ts'
import { didYouMean } from './words.ts'

/** By resource, in the order of the manifests. */
export function unmatchedAccess(resources: ManifestResources): readonly Remark[] {
  return [...unmatchedProjects(resources), ...unmatchedOrganizations(resources)]
}

function unmatchedProjects({ organizations }: ManifestResources): Remark[] {
  return organizations.flatMap((resource) => {
    const { grants = [], projects = [] } = resource.spec
    const known = projects.map(({ name }) => name)
    return grants.flatMap((grant, index) =>
      unmatched(grant.projects, known).map(({ name, entry }) => ({
        resource,
        entry,
        field: ['spec', 'grants', index, 'projects'],
        message: `the organization has no project ${name}${didYouMean(name, known)}`,
      })),
    )
  })
}

function unmatchedOrganizations({ organizations, providers, virtualKeys }: ManifestResources): Remark[] {
  // Those and their organizations are declared elsewhere.
  if (organizations.length === 0 && virtualKeys.length === 0) return []
  const declared = organizations.length === 0 ? [impliedOrganization()] : organizations
  const known = declared.map(({ metadata }) => metadata.name)
  return providers.flatMap((resource) =>
    unmatched(resource.spec.access.organizations, known).map(({ name, entry }) => ({
      resource,
      entry,
      field: ['spec', 'access', 'organizations'],
      message: `no Organization is named ${name}${didYouMean(name, known)}`,
    })),
  )
}

function unmatched(names: readonly string[] = [], known: readonly string[]): { name: string; entry: number }[] {
  return names.map((name, entry) => ({ name, entry })).filter(({ name }) => !known.includes(name))
}

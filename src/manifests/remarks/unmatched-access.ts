/** Names of organizations and projects in lists of who may do what that nothing declared bears: they keep out whom they should let in. */
import { impliedOrganization } from '../../domain/resources/organizations.ts'
import type { Steps } from '../../domain/steps.ts'
import type { ManifestResources } from '../load.ts'
import type { FieldPath } from '../problem.ts'
import type { Remark } from './remark.ts'
import { boundedDidYouMean } from '../validation/words.ts'

/** By resource, in the order of the manifests, a name a step. */
export function* unmatchedAccess(resources: ManifestResources): Steps<readonly Remark[]> {
  const remarks: Remark[] = []
  const didYouMean = boundedDidYouMean()
  for (const { resource, field, names = [], known, nothing } of listsIn(resources))
    for (const [entry, name] of names.entries()) {
      if (!known.has(name))
        remarks.push({ resource, entry, field, message: `${nothing} ${name}${didYouMean(name, [...known])}` })
      yield
    }
  return remarks
}

interface NameList {
  readonly resource: Remark['resource']
  readonly field: FieldPath
  readonly names: readonly string[] | undefined
  readonly known: ReadonlySet<string>
  /** What is said of a name that is not known, before it. */
  readonly nothing: string
}

function listsIn(resources: ManifestResources): readonly NameList[] {
  return [...listsOfProjects(resources), ...listsOfOrganizations(resources)]
}

function listsOfProjects({ organizations }: ManifestResources): NameList[] {
  return organizations.flatMap((resource) => {
    const { grants = [], projects = [] } = resource.spec
    const known = new Set(projects.map(({ name }) => name))
    return grants.map((grant, index) => ({
      resource,
      field: ['spec', 'grants', index, 'projects'],
      names: grant.projects,
      known,
      nothing: 'the organization has no project',
    }))
  })
}

function listsOfOrganizations({ organizations, providers, virtualKeys }: ManifestResources): NameList[] {
  // Those and their organizations are declared elsewhere.
  if (organizations.length === 0 && virtualKeys.length === 0) return []
  const declared = organizations.length === 0 ? [impliedOrganization()] : organizations
  const known = new Set(declared.map(({ metadata }) => metadata.name))
  return providers.map((resource) => ({
    resource,
    field: ['spec', 'access', 'organizations'],
    names: resource.spec.access.organizations,
    known,
    nothing: 'no Organization is named',
  }))
}

/** Where it has to be corrected what a condition tells of. */
import type { ConditionReason } from '../../domain/resources/conditions.ts'
import { firstInvalidPattern, type PatternCheck } from '../../domain/resources/organizations.ts'
import type { ManifestResources } from '../load.ts'
import { placeOf, type ResourceName } from '../places.ts'
import type { FieldPath } from '../problem.ts'

/** Of the reasons that are about one field. */
const FIELDS: Readonly<Partial<Record<ConditionReason, FieldPath>>> = {
  OrganizationNotFound: ['spec', 'organizationRef', 'name'],
  OrganizationNotAccepted: ['spec', 'organizationRef', 'name'],
  ProjectNotFound: ['spec', 'project'],
  Expired: ['spec', 'expiresAt'],
}

/** As `placeOf`: of the field that the reason is about, else of the resource. */
export function placeOfCondition(
  resource: ResourceName,
  reason: ConditionReason,
  resources: ManifestResources,
  checkPattern: PatternCheck,
): string | undefined {
  const field = reason === 'InvalidPattern' ? badPattern(resource, resources, checkPattern) : FIELDS[reason]
  return placeOf(resources.places, resource, field)
}

function badPattern({ name }: ResourceName, { organizations }: ManifestResources, check: PatternCheck): FieldPath {
  const organization = organizations.find(({ metadata }) => metadata.name === name)
  const bad = organization && firstInvalidPattern(organization.spec, check)
  return ['spec', 'compliance', 'masking', 'custom', ...(bad === undefined ? [] : [bad.index, 'pattern'])]
}

/** Bursts that limit nothing: they are the size of a bucket that only `requestsPerMinute` beside them makes. */
import type { LimitsSpec } from '../../domain/resources/kinds.ts'
import type { ManifestResources } from '../load.ts'
import type { FieldPath } from '../problem.ts'
import type { Remark } from './remark.ts'

/** By resource, in the order of the manifests. */
export function idleLimits({ organizations, virtualKeys }: ManifestResources): readonly Remark[] {
  const ofOrganizations = organizations.flatMap((resource) => [
    ...idleBurst(resource, ['spec'], resource.spec),
    ...(resource.spec.projects ?? []).flatMap((project, index) =>
      idleBurst(resource, ['spec', 'projects', index], project),
    ),
  ])
  return [...ofOrganizations, ...virtualKeys.flatMap((resource) => idleBurst(resource, ['spec'], resource.spec))]
}

function idleBurst(resource: Remark['resource'], at: FieldPath, { rateLimits = {} }: LimitsSpec): Remark[] {
  const { burst, requestsPerMinute } = rateLimits
  if (burst === undefined || requestsPerMinute !== undefined) return []
  const message = 'limits nothing without requestsPerMinute beside it'
  return [{ resource, field: [...at, 'rateLimits', 'burst'], message }]
}

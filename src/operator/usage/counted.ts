/**
 * The windows of a snapshot that somebody counts in, by the resource whose status tells of them. Pure.
 *
 * Those of a minute are left out: they are over before anybody has read of them, as rate limits are.
 */
import { plannedScope } from '../../domain/quota/limits.ts'
import type { PlannedScope, ScopeKind } from '../../domain/quota/limits.ts'
import type { Limits, Snapshot } from '../../domain/snapshot/snapshot.ts'

export interface CountedScope {
  /** `organization:scope`, unique. */
  readonly id: string
  readonly organization: string
  readonly scope: PlannedScope
  /** `VirtualKey/namespace/name` or `Organization/name`. */
  readonly resource: string
  /** Where the scope is a project. */
  readonly project?: string
}

export interface CountedScopes {
  /** Of organizations and projects: what many keys depend on. */
  readonly shared: readonly CountedScope[]
  readonly keys: readonly CountedScope[]
}

/** All scopes with a budget or token quota. */
export function countedScopes({ organizations, virtualKeys }: Snapshot): CountedScopes {
  const shared = organizations.flatMap(({ name, limits, projects }) => {
    const resource = `Organization/${name}`
    return [
      counted('organization', name, 'organization', limits, resource),
      ...projects.map((project) => ({
        ...counted('project', name, `project/${project.name}`, project.limits, resource),
        project: project.name,
      })),
    ]
  })
  const keys = virtualKeys.map(({ id, organization, limits }) =>
    counted('key', organization, `key/${id}`, limits, `VirtualKey/${id}`),
  )
  return { shared: shared.filter(countsAnything), keys: keys.filter(countsAnything) }
}

/** As `CountedScope.id`. */
export function scopeId(organization: string, scope: string): string {
  return `${organization}:${scope}`
}

function counted(kind: ScopeKind, organization: string, name: string, limits: Limits, resource: string): CountedScope {
  const tokenQuotas = limits.tokenQuotas.filter(({ window }) => window !== 'Minute')
  const scope = plannedScope(kind, name, { ...limits, tokenQuotas })
  return { id: scopeId(organization, name), organization, scope, resource }
}

function countsAnything({ scope }: CountedScope): boolean {
  return scope.windows.length > 0
}

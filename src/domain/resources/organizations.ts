/** Organization manifests to snapshot entries. */
import { organization } from '../snapshot/entry-shapes.ts'
import type { OrganizationEntry, ProjectEntry } from '../snapshot/snapshot.ts'
import { condition, withReady, type Refusal, type ResourceConditions } from './conditions.ts'
import { isolate, readable } from './isolate.ts'
import type { OrganizationResource, OrganizationSpec, ProjectSpec } from './kinds.ts'
import { unknownKinds } from './masking-kinds.ts'
import { toComplianceSettings, toLimits, toPolicySettings } from './policies.ts'
import { present } from './present.ts'

/** Says what is wrong with a custom masking pattern, or undefined where it compiles in linear-time syntax. */
export type PatternCheck = (pattern: string) => string | undefined

export interface ResolvedOrganization {
  readonly resource: OrganizationResource
  /** Absent where it was not accepted. */
  readonly entry?: OrganizationEntry
  readonly conditions: ResourceConditions
}

/**
 * One organization. A masking pattern that does not compile refuses the whole organization: running without it would
 * send what it was written to hide.
 */
export function resolveOrganization(resource: OrganizationResource, checkPattern: PatternCheck): ResolvedOrganization {
  const understood = isolate(() => ({
    entry: readable(toEntry(resource), organization),
    refusal: invalidPattern(resource, checkPattern),
    good: accepted(resource),
  }))
  const { entry, refusal, good } = understood.type === 'understood' ? understood.value : notUnderstood(understood)
  const conditions = withReady('Organization', resource.metadata, [condition('Accepted', refusal, good)])
  if (refusal !== undefined || entry === undefined) return { resource, conditions }
  return { resource, entry, conditions }
}

function notUnderstood({ refusal }: { readonly refusal: Refusal }) {
  return { entry: undefined, refusal, good: undefined }
}

/**
 * What stands in where no Organization is declared: open to every namespace, without the privilege to restore.
 */
export function impliedOrganization(): OrganizationResource {
  return {
    kind: 'Organization',
    metadata: { name: 'default', namespace: '', labels: {}, annotations: {} },
    spec: {
      grants: [
        {
          name: 'everyone',
          namespaceSelector: {},
          privileges: ['overrideRouting', 'trace', 'asyncBilling'],
          maxKeysPerNamespace: 10_000,
        },
      ],
    },
  }
}

/** A kind that a later version may find is no reason to end all keys of the organization: it is said. */
function accepted({ spec }: OrganizationResource): Refusal {
  const [unknown] = unknownKinds(spec)
  if (unknown === undefined) return { reason: 'Accepted', message: '' }
  const { kind, known } = unknown
  const message = `spec.compliance.masking.kinds: nothing finds ${kind}; there are ${known.join(', ')}`
  return { reason: 'UnknownMaskingKind', message }
}

function invalidPattern({ spec }: OrganizationResource, check: PatternCheck): Refusal | undefined {
  const found = firstInvalidPattern(spec, check)
  if (found === undefined) return undefined
  return { reason: 'InvalidPattern', message: `spec.compliance.masking.custom ${found.kind}: ${found.problem}` }
}

export interface InvalidPattern {
  /** In `compliance.masking.custom`. */
  readonly index: number
  readonly kind: string
  readonly problem: string
}

/** What refuses an Organization with the reason InvalidPattern. Undefined: all of its patterns compile. */
export function firstInvalidPattern({ compliance }: OrganizationSpec, check: PatternCheck): InvalidPattern | undefined {
  for (const [index, { kind, pattern }] of (compliance?.masking?.custom ?? []).entries()) {
    const problem = check(pattern)
    if (problem !== undefined) return { index, kind, problem }
  }
  return undefined
}

function toEntry({ metadata, spec }: OrganizationResource): OrganizationEntry {
  return present<OrganizationEntry>({
    name: metadata.name,
    displayName: spec.displayName,
    defaults: toPolicySettings(spec.defaults),
    compliance: toComplianceSettings(spec.compliance),
    limits: toLimits(spec),
    projects: (spec.projects ?? []).map(toProject),
  })
}

function toProject(spec: ProjectSpec): ProjectEntry {
  return present<ProjectEntry>({
    name: spec.name,
    displayName: spec.displayName,
    defaults: toPolicySettings(spec.defaults),
    limits: toLimits(spec),
  })
}

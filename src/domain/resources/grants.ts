/**
 * Whether an organization lets a key in, and what the key may do.
 *
 * 1. The grants that cover the key: the namespace's labels match, and the project is listed (or the grant lists none).
 * 2. The first of them, in the manifest's order, that gives all the key asks for answers: every privilege asked, the
 *    monthly budget within the ceiling, and room for one more key in the namespace.
 * 3. Where none does, the first covering grant says why.
 *
 * A key without a project under a grant that lists exactly one belongs to that one; under a grant that lists several it
 * is refused, for it would otherwise spend outside every project's budget.
 */
import type { Privileges } from '../snapshot/snapshot.ts'
import { parseMicroUsd } from '../quota/money.ts'
import type { Refusal } from './conditions.ts'
import type { BudgetSpec, GrantSpec, OrganizationResource, PrivilegeName, VirtualKeyResource } from './kinds.ts'
import { matchesSelector, NAMESPACE_NAME_LABEL } from './selectors.ts'

export const PRIVILEGES: readonly PrivilegeName[] = ['demask', 'trace', 'overrideRouting', 'asyncBilling']

export type GrantOutcome =
  | {
      readonly type: 'granted'
      readonly project: string | undefined
      readonly privileges: Privileges
      readonly budgets: readonly BudgetSpec[]
    }
  | { readonly type: 'refused'; readonly refusal: Refusal }

/** Keys already let in, by grant and namespace. Owned by one build. */
export type KeyCounts = Map<string, number>

/** The grant's answer for a key. Adds to `counts` where the key is let in. */
export function applyGrants(
  key: VirtualKeyResource,
  organization: OrganizationResource,
  labels: Readonly<Record<string, string>>,
  counts: KeyCounts,
): GrantOutcome {
  const project = key.spec.project
  if (project !== undefined && !(organization.spec.projects ?? []).some(({ name }) => name === project)) {
    return refused('ProjectNotFound', `organization ${organization.metadata.name} has no project ${project}`)
  }
  const covering = (organization.spec.grants ?? []).filter(
    (grant) => matchesSelector(grant.namespaceSelector, labels) && coversProject(grant, project),
  )
  let first: GrantOutcome | undefined
  for (const grant of covering) {
    const outcome = applyGrant(key, organization, grant, counts)
    if (outcome.type === 'granted') return outcome
    first ??= outcome
  }
  return first ?? notCovered(key, organization, labels)
}

function coversProject({ projects = [] }: GrantSpec, project: string | undefined): boolean {
  return projects.length === 0 || project === undefined || projects.includes(project)
}

function applyGrant(
  key: VirtualKeyResource,
  organization: OrganizationResource,
  grant: GrantSpec,
  counts: KeyCounts,
): GrantOutcome {
  const project = resolveProject(key, organization, grant)
  if (project.type === 'refused') return project
  const missing = PRIVILEGES.find((name) => key.spec.privileges?.[name] === true && !grant.privileges.includes(name))
  if (missing !== undefined) {
    return refused(
      'PrivilegeNotGranted',
      `grant ${grant.name} does not give ${missing}; it gives ${listed(grant.privileges)}`,
    )
  }
  const budgets = withCeiling(key.spec.budgets ?? [], grant)
  if (budgets.type === 'refused') return budgets
  const counter = JSON.stringify([organization.metadata.name, grant.name, key.metadata.namespace])
  const count = counts.get(counter) ?? 0
  if (count >= grant.maxKeysPerNamespace) {
    return refused(
      'TooManyKeys',
      `grant ${grant.name} allows ${grant.maxKeysPerNamespace} keys in namespace ${key.metadata.namespace}`,
    )
  }
  counts.set(counter, count + 1)
  return { type: 'granted', project: project.name, privileges: toPrivileges(key, grant), budgets: budgets.budgets }
}

type ProjectOutcome = { readonly type: 'project'; readonly name: string | undefined } | Refused
type BudgetOutcome = { readonly type: 'budgets'; readonly budgets: readonly BudgetSpec[] } | Refused
type Refused = Extract<GrantOutcome, { type: 'refused' }>

function resolveProject(key: VirtualKeyResource, organization: OrganizationResource, grant: GrantSpec): ProjectOutcome {
  const listedProjects = grant.projects ?? []
  if (key.spec.project !== undefined || listedProjects.length === 0) return { type: 'project', name: key.spec.project }
  const [only, ...others] = listedProjects
  if (only === undefined || others.length > 0) {
    return refused('NotGranted', `grant ${grant.name} needs spec.project, one of ${listed(listedProjects)}`)
  }
  if ((organization.spec.projects ?? []).some(({ name }) => name === only)) return { type: 'project', name: only }
  return refused(
    'ProjectNotFound',
    `organization ${organization.metadata.name} has no project ${only}, which grant ${grant.name} names`,
  )
}

/** Absent privileges are what the grant gives, except `demask`, which must be asked for. */
function toPrivileges({ spec }: VirtualKeyResource, grant: GrantSpec): Privileges {
  const asked = spec.privileges ?? {}
  const given = (name: PrivilegeName, whenAbsent: boolean): boolean =>
    grant.privileges.includes(name) && (asked[name] ?? whenAbsent)
  return {
    demask: given('demask', false),
    trace: given('trace', true),
    overrideRouting: given('overrideRouting', true),
    asyncBilling: given('asyncBilling', true),
  }
}

/** A ceiling without a monthly budget under it becomes that budget; one above it, or one that only warns, is refused. */
function withCeiling(budgets: readonly BudgetSpec[], grant: GrantSpec): BudgetOutcome {
  const ceiling = grant.maxBudgetUSDPerMonthPerKey
  if (ceiling === undefined) return { type: 'budgets', budgets }
  const monthly = budgets.find(({ window }) => window === 'Month')
  if (monthly === undefined) return { type: 'budgets', budgets: [...budgets, monthlyBudget(ceiling)] }
  if (parseMicroUsd(monthly.limitUSD) > parseMicroUsd(ceiling)) {
    return refused(
      'BudgetAboveCeiling',
      `Month budget ${monthly.limitUSD} USD is above the ${ceiling} USD of grant ${grant.name}`,
    )
  }
  if (monthly.onExceed === 'Block') return { type: 'budgets', budgets }
  return refused(
    'BudgetAboveCeiling',
    `the Month budget only warns, and grant ${grant.name} has a ceiling of ${ceiling} USD`,
  )
}

function monthlyBudget(limitUSD: string): BudgetSpec {
  return { window: 'Month', limitUSD, reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' }
}

function notCovered(
  { metadata, spec }: VirtualKeyResource,
  organization: OrganizationResource,
  labels: Readonly<Record<string, string>>,
): Refused {
  const grants = organization.spec.grants ?? []
  const isSelected = grants.some(({ namespaceSelector }) => matchesSelector(namespaceSelector, labels))
  const project = spec.project === undefined ? '' : ` for project ${spec.project}`
  const why = grants.length === 0 ? '; it has no grants' : isSelected ? '' : `; ${describeLabels(labels)}`
  const covers = `covers namespace ${metadata.namespace}${project}`
  return refused('NotGranted', `no grant of organization ${organization.metadata.name} ${covers}${why}`)
}

/** Most labels that are shown. */
const MAX_LABELS = 8

function describeLabels(labels: Readonly<Record<string, string>>): string {
  const own = Object.entries(labels).filter(([name]) => name !== NAMESPACE_NAME_LABEL)
  if (own.length === 0) return 'the namespace has no labels but its name'
  const shown = own.slice(0, MAX_LABELS).map(([name, value]) => `${name}=${value}`)
  const more = own.length > MAX_LABELS ? `, and ${own.length - MAX_LABELS} more` : ''
  return `the namespace has the labels ${shown.join(', ')}${more}`
}

function refused(reason: Refusal['reason'], message: string): Refused {
  return { type: 'refused', refusal: { reason, message } }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ')
}

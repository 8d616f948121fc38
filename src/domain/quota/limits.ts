/**
 * The limits that bind one virtual key, flattened into a plan that a quota store can execute: the scopes in the order
 * key, project, organization, and in each the windows with everything that is counted in them.
 */
import type {
  Budget,
  Limits,
  OrganizationEntry,
  ProjectEntry,
  RateLimits,
  TokenQuota,
  VirtualKeyEntry,
} from '../snapshot/snapshot.ts'
import type { QuotaWindow } from './windows.ts'

export type ScopeKind = 'key' | 'project' | 'organization'

/** What a limit counts: micro-dollars, or tokens of the prompt, of the answer, or of both. */
export type QuotaUnit = 'cost' | 'input' | 'output' | 'total'

/** Built once per key and snapshot; stores cache what they derive from it by identity. */
export interface QuotaPlan {
  readonly organization: string
  /** Only scopes that limit something. Empty: the key is unlimited and no store need be asked. */
  readonly scopes: readonly PlannedScope[]
  /** All budgets and token quotas of the scopes, in their order. */
  readonly limits: readonly LimitInPlan[]
  /** What its limits that refuse count. */
  readonly blockingUnits: ReadonlySet<QuotaUnit>
  /** A budget would have to refuse: models without a price are out (`unpriced_model`). */
  readonly blocksOnCost: boolean
  /** Some budget or token quota can refuse: an open-ended answer must be given a bound. */
  readonly blocksOnSize: boolean
  /** What to do with requests while the store cannot be asked and its grace is over. */
  readonly whenUnavailable: 'Closed' | 'Open'
}

export interface PlannedScope {
  readonly kind: ScopeKind
  /** `key/owner/name`, `project/name` or `organization`: the name under which stores count it. */
  readonly name: string
  readonly windows: readonly PlannedWindow[]
  readonly rateLimits: RateLimits
}

export interface PlannedWindow {
  readonly window: QuotaWindow
  readonly reset: 'Calendar' | 'Rolling'
  readonly limits: readonly PlannedLimit[]
}

export interface PlannedLimit {
  readonly unit: QuotaUnit
  /** Micro-dollars or tokens. */
  readonly limit: number
  readonly onExceed: 'Block' | 'Warn'
  /** Share of the limit from which a warning is due; 100: only when it is spent. */
  readonly warnAtPercent: number
}

export interface LimitInPlan {
  readonly scope: PlannedScope
  readonly window: PlannedWindow
  readonly limit: PlannedLimit
}

/** The plan of a key within its project and organization. */
export function quotaPlanOf(
  key: VirtualKeyEntry,
  project: ProjectEntry | undefined,
  organization: OrganizationEntry | undefined,
): QuotaPlan {
  const scopes: PlannedScope[] = [plannedScope('key', `key/${key.id}`, key.limits)]
  if (project !== undefined) scopes.push(plannedScope('project', `project/${project.name}`, project.limits))
  if (organization !== undefined) scopes.push(plannedScope('organization', 'organization', organization.limits))
  return planOf(key.organization, scopes, organization?.compliance.quotaFailure)
}

/** A plan of given scopes; those that limit nothing are left out. */
export function planOf(
  organization: string,
  scopes: readonly PlannedScope[],
  whenUnavailable: QuotaPlan['whenUnavailable'] = 'Closed',
): QuotaPlan {
  const limiting = scopes.filter(limitsAnything)
  const limits = limiting.flatMap(limitsIn)
  const blocking = limits.map(({ limit }) => limit).filter(({ onExceed }) => onExceed === 'Block')
  const blockingUnits = new Set(blocking.map(({ unit }) => unit))
  return {
    organization,
    scopes: limiting,
    limits,
    blockingUnits,
    blocksOnCost: blockingUnits.has('cost'),
    blocksOnSize: [...blockingUnits].some((unit) => unit !== 'input'),
    whenUnavailable,
  }
}

export function plannedScope(kind: ScopeKind, name: string, limits: Limits): PlannedScope {
  return { kind, name, windows: groupByWindow(limits), rateLimits: limits.rateLimits }
}

function limitsIn(scope: PlannedScope): LimitInPlan[] {
  return scope.windows.flatMap((window) => window.limits.map((limit) => ({ scope, window, limit })))
}

function limitsAnything({ windows, rateLimits }: PlannedScope): boolean {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent } = rateLimits
  return windows.length > 0 || [requestsPerMinute, tokensPerMinute, maxConcurrent].some((limit) => limit !== undefined)
}

function groupByWindow({ budgets, tokenQuotas }: Limits): PlannedWindow[] {
  const groups = new Map<string, { window: QuotaWindow; reset: 'Calendar' | 'Rolling'; limits: PlannedLimit[] }>()
  const add = (entry: Budget | TokenQuota, limit: PlannedLimit) => {
    // A window that never ends cannot roll: both words mean the same counter.
    const reset = entry.window === 'Total' ? 'Calendar' : entry.reset
    const id = `${entry.window}/${reset}`
    const group = groups.get(id) ?? { window: entry.window, reset, limits: [] }
    group.limits.push(limit)
    groups.set(id, group)
  }
  for (const budget of budgets) {
    add(budget, { unit: 'cost', limit: budget.limit, onExceed: budget.onExceed, warnAtPercent: budget.warnAtPercent })
  }
  for (const quota of tokenQuotas) {
    add(quota, { unit: UNIT_OF[quota.kind], limit: quota.limit, onExceed: quota.onExceed, warnAtPercent: 100 })
  }
  return [...groups.values()]
}

const UNIT_OF = { Input: 'input', Output: 'output', Total: 'total' } as const satisfies Record<
  TokenQuota['kind'],
  QuotaUnit
>

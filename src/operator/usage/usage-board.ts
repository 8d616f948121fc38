/**
 * What is known of the counters: the last figures of each scope, and which scopes let nothing more through. Pure but
 * for what it remembers.
 */
import { amountIn } from '../../domain/quota/amounts.ts'
import { isExhausted } from '../../domain/quota/exhausted.ts'
import { formatMicroUsd } from '../../domain/quota/money.ts'
import type { PlannedLimit, PlannedScope, ScopeKind } from '../../domain/quota/limits.ts'
import type { Snapshot, VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import { kubeTime } from '../kube/conditions.ts'
import type { Milliseconds } from '../kube/timing.ts'
import { countedScopes, scopeId } from './counted.ts'
import type { CountedScope, CountedScopes } from './counted.ts'
import type { CounterState } from './counter-store.ts'
import { spanOf } from './counter-store.ts'
import type { WindowUsage } from './usage-status.ts'

export interface Exhaustion {
  readonly reason: 'KeyBudgetExceeded' | 'ProjectBudgetExceeded' | 'OrganizationBudgetExceeded'
  readonly message: string
}

/** The limit that lets nothing more through, and when it was last seen so. */
interface Spent extends Exhaustion {
  readonly unit: PlannedLimit['unit']
  readonly limit: number
  readonly usage: WindowUsage
  readonly seenMs: Milliseconds
}

/**
 * A limit that refuses large requests and lets small ones pass would be told to be spent and not to be, in turn, on all
 * keys that depend on it: what a refusal has shown holds so long.
 */
const HOLD_MS = 60_000

/** What was read of one scope. */
export interface ScopeReading {
  readonly atMs: Milliseconds
  readonly usages: readonly WindowUsage[]
  readonly exhaustion: Spent | undefined
}

export class UsageBoard {
  #scopes: CountedScopes = { shared: [], keys: [] }
  #keys = new Map<string, VirtualKeyEntry>()
  #byOrganization = new Map<string, readonly VirtualKeyEntry[]>()
  #counted = new Map<string, CountedScope>()
  readonly #readings = new Map<string, ScopeReading>()
  readonly #exhausted = new Set<string>()

  get scopes(): CountedScopes {
    return this.#scopes
  }

  /** Scopes that let nothing more through. */
  get exhausted(): readonly CountedScope[] {
    return [...this.#exhausted].flatMap((id) => this.#counted.get(id) ?? [])
  }

  /** What is in force from now on. Readings of scopes that count no more are forgotten. */
  use(snapshot: Snapshot): void {
    this.#scopes = countedScopes(snapshot)
    this.#keys = new Map(snapshot.virtualKeys.map((key) => [`VirtualKey/${key.id}`, key]))
    this.#byOrganization = Map.groupBy(snapshot.virtualKeys, ({ organization }) => organization)
    this.#counted = new Map([...this.#scopes.shared, ...this.#scopes.keys].map((scope) => [scope.id, scope]))
    for (const id of this.#readings.keys()) {
      if (this.#counted.has(id)) continue
      this.#readings.delete(id)
      this.#exhausted.delete(id)
    }
  }

  reading(scope: CountedScope): ScopeReading | undefined {
    return this.#readings.get(scope.id)
  }

  /** Takes a reading over. Returns the resources whose condition may have changed by it. */
  note(
    { id, organization, scope, project }: CountedScope,
    states: readonly CounterState[],
    atMs: Milliseconds,
  ): string[] {
    const before = this.#readings.get(id)
    const usages = scope.windows.map((window, index) => ({
      window,
      figures: states[index] ?? { costMicroUsd: 0, inputTokens: 0, outputTokens: 0, requests: 0 },
      ...spanOf(window, atMs),
    }))
    const exhaustion = spentOf(scope, usages, states, atMs) ?? held(before?.exhaustion, usages, atMs)
    this.#readings.set(id, { atMs, usages, exhaustion })
    if (exhaustion === undefined) this.#exhausted.delete(id)
    else this.#exhausted.add(id)
    // A first reading always matters: what a status said under a former leader was taken to hold until now.
    if (before !== undefined && before.exhaustion?.message === exhaustion?.message) return []
    const keys = this.#byOrganization.get(organization) ?? []
    switch (scope.kind) {
      case 'key':
        return [`VirtualKey/${scope.name.slice('key/'.length)}`]
      case 'project':
        return [`Organization/${organization}`, ...keys.filter((key) => key.project === project).map(resourceOf)]
      case 'organization':
        return [`Organization/${organization}`, ...keys.map(resourceOf)]
      default:
        return scope.kind satisfies never
    }
  }

  /**
   * What keeps a resource's requests from passing: of a VirtualKey its own budget, its project's or its organization's;
   * of an Organization its own. `unread` where that is not known yet, `none` where nothing does.
   */
  exhaustionOf(resource: string): Exhaustion | 'none' | 'unread' {
    const key = this.#keys.get(resource)
    const ids =
      key === undefined
        ? [scopeId(resource.slice('Organization/'.length), 'organization')]
        : [
            scopeId(key.organization, `key/${key.id}`),
            scopeId(key.organization, `project/${key.project ?? ''}`),
            scopeId(key.organization, 'organization'),
          ]
    const counted = ids.filter((id) => this.#counted.has(id))
    const found = counted.map((id) => this.#readings.get(id)?.exhaustion).find((one) => one !== undefined)
    if (found !== undefined) return found
    return counted.every((id) => this.#readings.has(id)) ? 'none' : 'unread'
  }

  /** The projects of an organization that let nothing more through. */
  exhaustedProjects(organization: string): ReadonlySet<string> {
    return new Set(
      this.exhausted.flatMap((scope) => (scope.organization === organization ? (scope.project ?? []) : [])),
    )
  }
}

const REASONS = {
  key: 'KeyBudgetExceeded',
  project: 'ProjectBudgetExceeded',
  organization: 'OrganizationBudgetExceeded',
} as const satisfies Record<ScopeKind, Exhaustion['reason']>

function spentOf(
  scope: PlannedScope,
  usages: readonly WindowUsage[],
  states: readonly CounterState[],
  seenMs: Milliseconds,
): Spent | undefined {
  for (const [index, usage] of usages.entries()) {
    const { window, figures, endMs } = usage
    const found = window.limits.find((one) =>
      isExhausted(one, amountIn(one.unit, figures), states[index]?.marks[one.unit]),
    )
    if (found === undefined) continue
    const message = messageOf(scope, found, window, endMs)
    return { reason: REASONS[scope.kind], message, unit: found.unit, limit: found.limit, usage, seenMs }
  }
  return undefined
}

/** What was spent a moment ago, where nothing but further spending has come since. */
function held(before: Spent | undefined, usages: readonly WindowUsage[], atMs: Milliseconds): Spent | undefined {
  if (before === undefined || atMs - before.seenMs >= HOLD_MS) return undefined
  const { unit, limit, usage } = before
  const now = usages.find(({ window }) => window.window === usage.window.window && window.reset === usage.window.reset)
  if (now === undefined || (now.window.reset === 'Calendar' && now.startMs !== usage.startMs)) return undefined
  const isSame = now.window.limits.some((one) => one.unit === unit && one.limit === limit && one.onExceed === 'Block')
  return isSame && amountIn(unit, now.figures) >= amountIn(unit, usage.figures) ? before : undefined
}

/** The same as long as the window is: what is said must not change with every request. */
function messageOf(
  { kind, name }: PlannedScope,
  { unit, limit }: PlannedLimit,
  { window, reset }: WindowUsage['window'],
  endMs: Milliseconds | undefined,
): string {
  const who = kind === 'project' ? name.replace('/', ' ') : `the ${kind}`
  const what = unit === 'cost' ? `budget of ${formatMicroUsd(limit)} USD` : `quota of ${limit} ${TOKENS[unit]}`
  const which =
    window === 'Total' ? 'total' : reset === 'Rolling' ? `rolling ${window.toLowerCase()}` : window.toLowerCase()
  const until = endMs === undefined ? '' : `; the next begins ${kubeTime(endMs)}`
  return `${who} has spent the ${which} ${what}${until}`
}

const TOKENS = { input: 'input tokens', output: 'output tokens', total: 'tokens' } as const

function resourceOf({ id }: VirtualKeyEntry): string {
  return `VirtualKey/${id}`
}

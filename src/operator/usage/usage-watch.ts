/**
 * The leader's look at the counters, each second: which budgets are spent, what statuses should say of the usage, and
 * whether the counters are still there.
 *
 *   read windows -> still whole? --no--> restore
 *                        `--yes--> note: conditions of what has run dry or recovered; statuses that are due
 *
 * Bounded whatever the number of keys: a look reads all that is spent, so many shared windows and so many windows of
 * keys, and goes on with the others at the next.
 */
import type { Snapshot } from '../../domain/snapshot/snapshot.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { UsageView } from './checkpoints.ts'
import type { CountedScope } from './counted.ts'
import { CounterStore } from './counter-store.ts'
import type { CounterCopy } from './counter-store.ts'
import { Restorer } from './restorer.ts'
import { UsageBoard } from './usage-board.ts'
import type { Exhaustion } from './usage-board.ts'
import { UsageWriter, writtenIn } from './usage-writer.ts'

const LOOK_MS = 1_000
/** Scopes of one look, of each sort: with two windows each, 1,000 keys take a look and 5,000 take ten seconds. */
const SCOPES_A_LOOK = 500
/** A hundred a second are six thousand a minute. */
const WRITES_A_LOOK = 100
const WRITES_AT_ONCE = 8

export interface UsageWatchOptions {
  readonly client: Pick<KubeClient, 'serverSideApply'>
  readonly redis: PublishRedis
  readonly view: UsageView
  readonly timing: Timing
  readonly log: Log
  readonly metrics: UsageMetrics
  /** What a resource's condition says of its quota may have changed: `Kind/namespace/name`. */
  readonly onQuotaChanged: (resource: string) => void
  /** So many counters of an organization were lost and are there again. */
  readonly onRestored: (organization: string, counters: number) => void
}

/** Counted as it happens. */
export interface UsageMetrics {
  usageWritten(): void
  countersRestored(counters: number): void
  reconcileFailed(work: string): void
}

export class UsageWatch {
  readonly #options: UsageWatchOptions
  readonly #store: CounterStore
  readonly #board = new UsageBoard()
  readonly #restorer: Restorer
  readonly #writer: UsageWriter
  #organizations: readonly string[] = []
  /** Scopes by the resource whose status tells of them. */
  #byResource = new Map<string, readonly CountedScope[]>()
  /** Resources of which nothing is counted any more, with a status that says otherwise. */
  #leftOver = new Set<string>()
  #at = { shared: 0, keys: 0 }
  #isLeader: (() => boolean) | undefined
  #cancel: Cancel | undefined
  #looking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: UsageWatchOptions) {
    this.#options = options
    this.#store = new CounterStore(options.redis)
    this.#writer = new UsageWriter({ ...options, reading: (scope) => this.#board.reading(scope) })
    this.#restorer = new Restorer({
      ...options,
      store: this.#store,
      lastRead: (organization) => this.#lastRead(organization),
      onRestored: (organization, counters) => {
        options.metrics.countersRestored(counters)
        options.onRestored(organization, counters)
      },
    })
  }

  /** Limits that let nothing more through, by scope. */
  get exhausted(): number {
    return this.#board.exhausted.length
  }

  /** Begins to look, as the leader. */
  lead(isLeader: () => boolean): void {
    this.#isLeader = isLeader
    this.#schedule()
  }

  /**
   * What is to be in force. Sees first that the counters of organizations which are new here are whole, so that nobody
   * is admitted against lost ones; later it is the looks that see to it. @throws where Redis does not answer
   */
  async prepare(snapshot: Snapshot): Promise<void> {
    const organizations = snapshot.organizations.map(({ name }) => name)
    const unknown = this.#restorer.unknown(organizations)
    if (unknown.length > 0) await this.#restorer.ensure(unknown, await this.#store.now())
    this.#use(snapshot, organizations)
  }

  /** As `UsageBoard.exhaustionOf`. */
  exhaustionOf(resource: string): Exhaustion | 'none' | 'unread' {
    return this.#board.exhaustionOf(resource)
  }

  exhaustedProjects(organization: string): ReadonlySet<string> {
    return this.#board.exhaustedProjects(organization)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    await this.#looking
  }

  #use(snapshot: Snapshot, organizations: readonly string[]): void {
    this.#organizations = organizations
    this.#board.use(snapshot)
    const { shared, keys } = this.#board.scopes
    this.#byResource = Map.groupBy([...shared, ...keys], ({ resource }) => resource)
    this.#writer.retain(new Set(this.#byResource.keys()))
    const inForce = [
      ...snapshot.virtualKeys.map(({ id }) => `VirtualKey/${id}`),
      ...organizations.map((name) => `Organization/${name}`),
    ]
    this.#leftOver = new Set(inForce.filter((resource) => !this.#byResource.has(resource) && this.#tells(resource)))
  }

  #tells(resource: string): boolean {
    const { virtualKeys, organizations } = this.#options.view
    const [kind = ''] = resource.split('/', 1)
    const object = (kind === 'VirtualKey' ? virtualKeys : organizations).get(resource.slice(kind.length + 1))
    return object !== undefined && [...writtenIn(object).values()].some((usage) => usage.length > 0)
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#cancel = this.#options.timing.after(LOOK_MS, () => {
      this.#looking = this.#look().finally(() => this.#schedule())
    })
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { log, metrics } = this.#options
    if (this.#isLeader?.() !== true || this.#organizations.length === 0) return
    try {
      const nowMs = await this.#store.now()
      const read = await this.#read(nowMs)
      await this.#tell(read, nowMs)
    } catch (error) {
      metrics.reconcileFailed('usage')
      log.debug(errorFields(error), 'usage not read')
    }
  }

  /** Returns the scopes that were read. */
  async #read(nowMs: Milliseconds): Promise<readonly CountedScope[]> {
    const scopes = this.#nextScopes()
    const before = new Map(scopes.map(({ organization }) => [organization, this.#restorer.restorations(organization)]))
    const names = scopes.flatMap(({ organization, scope }) =>
      scope.windows.map(({ window, reset }) => ({ organization, scope: scope.name, window, reset })),
    )
    const states = await this.#store.read(names, nowMs)
    // Looked at afterwards: where they are whole now and nobody restored them meanwhile, they were when they were read.
    await this.#restorer.ensure(this.#organizations, nowMs)
    const isWhole = ({ organization }: CountedScope) =>
      this.#restorer.restorations(organization) === before.get(organization)
    let at = 0
    const changed = new Set<string>()
    for (const scope of scopes) {
      const own = states.slice(at, (at += scope.scope.windows.length)).filter((state) => state !== undefined)
      if (own.length < scope.scope.windows.length || !isWhole(scope)) continue
      for (const resource of this.#board.note(scope, own, nowMs)) changed.add(resource)
    }
    for (const resource of changed) this.#options.onQuotaChanged(resource)
    return scopes.filter(isWhole)
  }

  /** What is spent, and the next ones of the others. */
  #nextScopes(): readonly CountedScope[] {
    const { shared, keys } = this.#board.scopes
    const next = new Map<string, CountedScope>()
    for (const scope of this.#board.exhausted.slice(0, SCOPES_A_LOOK)) next.set(scope.id, scope)
    for (const scope of inTurn(shared, this.#at.shared)) next.set(scope.id, scope)
    for (const scope of inTurn(keys, this.#at.keys)) next.set(scope.id, scope)
    this.#at = { shared: this.#at.shared + SCOPES_A_LOOK, keys: this.#at.keys + SCOPES_A_LOOK }
    if (this.#at.shared >= shared.length) this.#at.shared = 0
    if (this.#at.keys >= keys.length) this.#at.keys = 0
    return [...next.values()]
  }

  async #tell(read: readonly CountedScope[], nowMs: Milliseconds): Promise<void> {
    const { metrics } = this.#options
    const resources = [...new Set([...read.map(({ resource }) => resource), ...this.#leftOver])]
    const due = resources
      .filter((resource) => this.#writer.isDue(resource, this.#byResource.get(resource) ?? [], nowMs))
      .slice(0, WRITES_A_LOOK)
    const organizations = new Set<string>()
    for (let at = 0; at < due.length; at += WRITES_AT_ONCE) {
      if (this.#stopped || this.#isLeader?.() !== true) return
      await Promise.all(
        due.slice(at, at + WRITES_AT_ONCE).map(async (resource) => {
          const scopes = this.#byResource.get(resource) ?? []
          if (!(await this.#write(resource, scopes, nowMs))) return
          metrics.usageWritten()
          for (const { organization } of scopes) organizations.add(organization)
        }),
      )
    }
    for (const resource of due) this.#leftOver.delete(resource)
    for (const organization of organizations) await this.#restorer.advance(organization, wholeSecond(nowMs))
  }

  /** Whether it wrote. Never rejects: it is tried again in a minute. */
  async #write(resource: string, scopes: readonly CountedScope[], nowMs: Milliseconds): Promise<boolean> {
    const { metrics, log } = this.#options
    try {
      return await this.#writer.write(resource, scopes, nowMs)
    } catch (error) {
      metrics.reconcileFailed('usage')
      log.warn({ resource, ...errorFields(error) }, 'usage not written')
      return false
    }
  }

  #lastRead(organization: string): CounterCopy[] {
    const { shared, keys } = this.#board.scopes
    return [...shared, ...keys].flatMap((scope) => {
      const reading = scope.organization === organization ? this.#board.reading(scope) : undefined
      return (reading?.usages ?? []).map(({ window, figures, startMs }) => ({
        organization,
        scope: scope.scope.name,
        window: window.window,
        reset: window.reset,
        startMs,
        atMs: reading?.atMs ?? 0,
        figures,
      }))
    })
  }
}

/** As statuses hold times. */
function wholeSecond(ms: Milliseconds): Milliseconds {
  return Math.floor(ms / 1_000) * 1_000
}

function inTurn(scopes: readonly CountedScope[], at: number): readonly CountedScope[] {
  return scopes.slice(at, at + SCOPES_A_LOOK)
}

/** Each organization's link to the quota store: lost by a call that failed, back when a probe succeeds and the queue is flushed. */
import type { QuotaPlan } from '../../domain/quota/limits.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { QuotaStore } from '../pipeline/quota-port.ts'
import type { ResilienceSettings } from './quota-grace-options.ts'
import { LeaseLedger, SeenLimits } from './quota-lease.ts'
import { Patience } from './quota-patience.ts'

const PROBE_MIN_MS = 50
const PROBE_MAX_MS = 1_000
/**
 * Most outages are a moment's: Redis or this process did not get its share of the processor. A request that the lease
 * does not cover waits for the first probes instead of being refused, but only where the outage has just begun.
 */
const PATIENCE_MS = 1_000

/** One organization's. */
export interface Link {
  readonly seen: SeenLimits
  /** Present while the backend cannot be asked. */
  outage: { readonly sinceMs: Milliseconds; readonly leases: LeaseLedger } | undefined
  /** A plan to probe with. */
  plan: QuotaPlan
  readonly patience: Patience
}

export class QuotaLinks {
  readonly #backend: QuotaStore
  readonly #options: ResilienceSettings
  readonly #flush: (organization: string) => Promise<void>
  readonly #links = new Map<string, Link>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #closed = false

  /** @param flush delivers what is queued of an organization; throws where the backend does */
  constructor(backend: QuotaStore, options: ResilienceSettings, flush: (organization: string) => Promise<void>) {
    this.#backend = backend
    this.#options = options
    this.#flush = flush
  }

  /** How many cannot be asked now. */
  get lostCount(): number {
    return [...this.#links.values()].filter(({ outage }) => outage !== undefined).length
  }

  of(plan: QuotaPlan): Link {
    let link = this.#links.get(plan.organization)
    if (link === undefined) {
      link = { seen: new SeenLimits(), outage: undefined, plan, patience: new Patience(this.#options.maxPending) }
      this.#links.set(plan.organization, link)
    }
    link.plan = plan
    return link
  }

  /** A call has failed with `cause`: an outage begins, unless there is one. */
  lost(link: Link, cause: unknown): void {
    if (link.outage !== undefined) return
    const { now, leaseShare } = this.#options
    link.outage = { sinceMs: now(), leases: new LeaseLedger(now, link.seen, leaseShare) }
    this.#options.onChange?.(link.plan.organization, false, cause)
    this.#probeLater(link, PROBE_MIN_MS)
  }

  /** Waits a little where the outage has just begun; true: it is over. */
  async isBackInAMoment({ outage, patience }: Link): Promise<boolean> {
    if (outage === undefined || this.#closed) return false
    if (this.#options.now() - outage.sinceMs >= this.#options.momentMs) return false
    return patience.wait(PATIENCE_MS)
  }

  /** No more probes. */
  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #probeLater(link: Link, delayMs: Milliseconds): void {
    if (this.#closed) return
    const jitter = 0.5 + this.#options.random() / 2
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#probe(link, delayMs)
    }, delayMs * jitter)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Asks for the usage of a plan, which touches the organization's own node; then delivers what is queued. */
  async #probe(link: Link, delayMs: Milliseconds): Promise<void> {
    try {
      await this.#backend.usage(link.plan)
      await this.#flush(link.plan.organization)
    } catch {
      this.#probeLater(link, Math.min(PROBE_MAX_MS, delayMs * 2))
      return
    }
    link.outage = undefined
    this.#options.onChange?.(link.plan.organization, true, undefined)
    link.patience.end()
    // What was queued while the last delivery was on its way.
    await this.#flush(link.plan.organization).catch((error: unknown) => this.lost(link, error))
  }
}

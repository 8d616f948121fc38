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

export interface Outage {
  /** When the grace began: before this outage, where the backend only seemed to be back. */
  readonly sinceMs: Milliseconds
  readonly beganMs: Milliseconds
}

/** One organization's. */
export interface Link {
  readonly seen: SeenLimits
  readonly leases: LeaseLedger
  /** Present while the backend cannot be asked. */
  outage: Outage | undefined
  /** How many have begun: what was asked before one tells nothing of what came after. */
  outages: number
  /** The last one, which counts as over when the backend has admitted a request. */
  doubtful: { readonly sinceMs: Milliseconds; readonly untilMs: Milliseconds } | undefined
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
      link = this.#newLink(plan)
      this.#links.set(plan.organization, link)
    }
    link.plan = plan
    return link
  }

  /** A call has failed with `cause`: an outage begins, unless there is one. */
  lost(link: Link, cause: unknown): void {
    if (link.outage !== undefined) return
    const { graceMs } = this.#options
    const beganMs = this.#options.now()
    const { doubtful } = link
    link.outages++
    const goesOn = doubtful !== undefined && beganMs - doubtful.untilMs < graceMs
    link.outage = { beganMs, sinceMs: goesOn ? doubtful.sinceMs : beganMs }
    this.#options.onChange?.(link.plan.organization, false, cause)
    this.#probeLater(link, PROBE_MIN_MS)
  }

  /** The backend has admitted a request that was asked for after `outages`: it answers, and takes what it is told. */
  isBack(link: Link, outages: number): void {
    if (link.outage !== undefined || link.outages !== outages) return
    link.doubtful = undefined
    link.leases.beginAnew()
  }

  /** Waits a little where the outage has just begun; true: it is over. */
  async isBackInAMoment({ outage, patience }: Link): Promise<boolean> {
    if (outage === undefined || this.#closed) return false
    if (this.#options.now() - outage.beganMs >= this.#options.momentMs) return false
    return patience.wait(PATIENCE_MS)
  }

  /** No more probes. */
  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #newLink(plan: QuotaPlan): Link {
    const { now, leaseShare, maxPending } = this.#options
    const seen = new SeenLimits()
    const leases = new LeaseLedger(now, seen, leaseShare)
    return {
      seen,
      leases,
      outage: undefined,
      outages: 0,
      doubtful: undefined,
      plan,
      patience: new Patience(maxPending),
    }
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
    if (link.outage !== undefined) link.doubtful = { sinceMs: link.outage.sinceMs, untilMs: this.#options.now() }
    link.outage = undefined
    this.#options.onChange?.(link.plan.organization, true, undefined)
    link.patience.end()
    // What was queued while the last delivery was on its way.
    await this.#flush(link.plan.organization).catch((error: unknown) => this.lost(link, error))
  }
}

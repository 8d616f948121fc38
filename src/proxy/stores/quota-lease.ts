/**
 * Quota that this process may spend while the store cannot be asked.
 *
 * The lease of a limit is a share of what the last admission said it leaves. Several processes hold one each, so what
 * can be overspent during one grace period is at most processes x share x what each saw last; with the share at a
 * tenth, ten sidecars of a key that all use their lease up reach the limit and no more. A limit that this process has
 * never seen has no lease. What is spent of a lease is spent until the store has been seen again, however often it comes
 * and goes meanwhile. Rates and concurrency are not money: they apply in full, to this process alone.
 */
import { planOf } from '../../domain/quota/limits.ts'
import type { LimitInPlan, QuotaPlan } from '../../domain/quota/limits.ts'
import { amountIn, boundOf, NOTHING_USED } from '../../domain/quota/amounts.ts'
import { calendarWindow, type QuotaWindow } from '../../domain/quota/windows.ts'
import type { Charge } from '../../domain/quota/amounts.ts'
import type { QuotaNeed } from '../../domain/quota/need.ts'
import type { Refused } from '../../domain/quota/outcome.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Admission, AdmissionRequest, Reservation } from '../pipeline/quota-port.ts'
import type { Now } from '../pipeline/ports.ts'
import { MemoryQuotaStore } from './memory/memory-quota-store.ts'

/** Limits of one organization whose rest is remembered; far more than a sidecar's organization has. */
const MAX_LIMITS = 10_000

const MINUTE_MS = 60_000

/** What a limit left when it was last seen. */
interface SeenLimit {
  remaining: number
  /** 0: never. */
  seenMs: Milliseconds
}

/** What an organization's limits left when they were last seen. */
export class SeenLimits {
  readonly #byName = new Map<string, SeenLimit>()
  readonly #byPlan = new WeakMap<QuotaPlan, readonly SeenLimit[]>()

  /** @param remaining of each limit, in the plan's order */
  remember(plan: QuotaPlan, remaining: readonly number[], nowMs: Milliseconds): void {
    let index = 0
    for (const limit of this.#limitsOf(plan)) {
      limit.remaining = remaining[index++] ?? 0
      limit.seenMs = nowMs
    }
  }

  /** A limit has refused a need of `least`: it leaves less. */
  noteRefusal(plan: QuotaPlan, { scope, window, unit }: Refused, least: Charge): void {
    let index = 0
    for (const limit of this.#limitsOf(plan)) {
      const entry = plan.limits[index++]
      if (entry?.scope.kind !== scope || entry.window.window !== window || entry.limit.unit !== unit) continue
      limit.remaining = Math.min(limit.remaining, Math.max(0, amountIn(unit, least) - 1))
    }
  }

  /**
   * What a request of the plan has reserved and not used, is left again; negative where it has used more.
   * @param fromMs when it was admitted
   */
  giveBack(plan: QuotaPlan, unused: Charge, fromMs: Milliseconds): void {
    let index = 0
    for (const limit of this.#limitsOf(plan)) {
      const entry = plan.limits[index++]
      if (entry === undefined) continue
      // What has been seen since may be of a later window than the one that held it.
      if (entry.window.reset === 'Calendar' && !isSameWindow(entry.window.window, fromMs, limit.seenMs)) continue
      limit.remaining = Math.min(entry.limit.limit, limit.remaining + amountIn(entry.limit.unit, unused))
    }
  }

  /** Whether each limit of the plan has been seen: of others nothing is leased. */
  hasAll(plan: QuotaPlan): boolean {
    return this.#limitsOf(plan).every(({ seenMs }) => seenMs > 0)
  }

  /** A plan whose limits are the leases, to be counted by a ledger that lives as long as the grace. */
  leasePlan(plan: QuotaPlan, share: number): QuotaPlan {
    const seen = this.#limitsOf(plan)
    let index = 0
    const leased = plan.scopes.map((scope) => {
      const limits = scope.windows.flatMap((window) =>
        window.limits.map((limit) => ({ ...limit, limit: leaseOf(limit.limit, seen[index++], share) })),
      )
      // One total for all: a window that begins during the grace must not bring a second lease.
      return { ...scope, windows: [{ window: 'Total' as const, reset: 'Calendar' as const, limits }] }
    })
    return planOf(plan.organization, leased)
  }

  /** Those of a plan, in its order: the same objects for all plans in which a limit stands. */
  #limitsOf(plan: QuotaPlan): readonly SeenLimit[] {
    const known = this.#byPlan.get(plan)
    if (known !== undefined) return known
    const limits = plan.limits.map((limit) => this.#limitOf(nameOf(limit)))
    this.#byPlan.set(plan, limits)
    return limits
  }

  /** A plan in use keeps its own, even where its name is forgotten. */
  #limitOf(name: string): SeenLimit {
    const limit = this.#byName.get(name) ?? { remaining: 0, seenMs: 0 }
    this.#byName.delete(name)
    this.#byName.set(name, limit)
    for (const oldest of this.#byName.keys()) {
      if (this.#byName.size <= MAX_LIMITS) break
      this.#byName.delete(oldest)
    }
    return limit
  }
}

/** The limit may have been lowered since it was seen. */
function leaseOf(limit: number, seen: SeenLimit | undefined, share: number): number {
  return Math.max(0, Math.floor(Math.min(limit, seen?.remaining ?? 0) * share))
}

function isSameWindow(window: QuotaWindow, oneMs: Milliseconds, otherMs: Milliseconds): boolean {
  // Every window begins with a minute: of most requests none has ended.
  if (Math.floor(oneMs / MINUTE_MS) === Math.floor(otherMs / MINUTE_MS)) return true
  return calendarWindow(window, oneMs).startMs === calendarWindow(window, otherMs).startMs
}

function nameOf({ scope, window, limit }: LimitInPlan): string {
  return `${scope.name}|${window.window}|${window.reset}|${limit.unit}`
}

/** What a request has of the leases. */
interface Held {
  readonly reservation: Reservation
  readonly bound: Charge
}

/**
 * The leases of an organization, and who holds what of them. They last until the store has admitted again, and knows all that
 * was spent meanwhile: an outage that follows before that brings no others.
 */
export class LeaseLedger {
  readonly #now: Now
  #ledger: MemoryQuotaStore
  readonly #seen: SeenLimits
  readonly #share: number
  /** By the request's reservation (several after extensions). */
  readonly #held = new Map<string, Held[]>()
  /** Since the ledger began. */
  #hasSpent = false

  constructor(now: Now, seen: SeenLimits, share: number) {
    this.#now = now
    this.#ledger = new MemoryQuotaStore(now)
    this.#seen = seen
    this.#share = share
  }

  /** Admits within the leases; its refusals for money and tokens mean that the lease is used up. */
  async admit(id: string, plan: QuotaPlan, need: QuotaNeed): Promise<Admission> {
    this.#hasSpent = true
    const held = this.#held.get(id) ?? []
    const admission = await this.#ledger.admit({
      id: `${id}+${held.length}`,
      plan: this.#seen.leasePlan(plan, this.#share),
      need,
    })
    if (admission.type === 'refused') return admission
    const bound = boundOf(need, admission.grantedOutputTokens ?? 0)
    this.#held.set(id, [...held, { reservation: admission.reservation, bound }])
    return admission
  }

  holds(id: string): boolean {
    return this.#held.has(id)
  }

  /** Also of what the store is told itself: whether it takes that is known when it next admits. */
  async settle(id: string, actual: Charge): Promise<void> {
    const [first, ...extensions] = this.#held.get(id) ?? []
    this.#held.delete(id)
    if (first === undefined) return
    if (actual !== NOTHING_USED) this.#hasSpent = true
    await this.#ledger.settle(first.reservation, actual)
    for (const { reservation } of extensions) await this.#ledger.settle(reservation, NOTHING_USED)
  }

  async renew(id: string): Promise<void> {
    for (const { reservation } of this.#held.get(id) ?? []) await this.#ledger.renew(reservation)
  }

  /** The store has admitted, and knows what was spent; it does not know what still runs of an outage, which stays held. */
  beginAnew(): void {
    if (!this.#hasSpent) return
    this.#hasSpent = false
    this.#ledger = new MemoryQuotaStore(this.#now)
    for (const held of this.#held.values()) {
      for (const { reservation, bound } of held)
        void this.#ledger.admit({ ...withoutLimits(reservation), need: { ...bound, rateTokens: 0 } })
    }
  }
}

/** Takes what was admitted before, whatever the leases are by now. */
function withoutLimits({ id, plan }: Reservation): Pick<AdmissionRequest, 'id' | 'plan'> {
  const scopes = plan.scopes.map((scope) => ({
    ...scope,
    rateLimits: {},
    windows: scope.windows.map((window) => ({
      ...window,
      limits: window.limits.map((limit) => ({ ...limit, limit: Infinity })),
    })),
  }))
  return { id, plan: planOf(plan.organization, scopes) }
}

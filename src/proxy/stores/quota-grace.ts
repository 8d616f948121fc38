/**
 * A quota store that outlives its backend: what happens to requests while Redis is closed, restarting or frozen.
 *
 *   up --a call fails--> grace --30 s--> refusing (Closed) or open (Open)
 *    ^                     |                 |
 *    `----- a probe succeeds, the queue is flushed -----'
 *
 * - Up: every call goes to the backend, which bounds it.
 * - Grace: no request waits for the backend. Admission is local, within the leases of `quota-lease.ts`; settlements are
 *   queued and retried. Where a lease is used up: as after the grace, though in the first second not before a moment
 *   has been given to the backend to come back.
 * - After the grace, by the organization's choice: refused with `QuotaUnavailableError`, or admitted without limit and
 *   charged afterwards.
 *
 * Each organization stands for itself: in a cluster they live on different nodes. An admission whose confirmation was
 * lost may stand in the backend all the same; it is settled or released under its id like the rest.
 */
import { addCharges, boundOf, excessOf, NOTHING_USED, subtractCharges } from '../../domain/quota/amounts.ts'
import type { Charge } from '../../domain/quota/amounts.ts'
import { planOf, type QuotaPlan } from '../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../domain/quota/need.ts'
import { QuotaBacklogError, QuotaUnavailableError, unlimitedAdmission } from '../pipeline/quota-port.ts'
import type {
  Admission,
  AdmissionRequest,
  Extension,
  QuotaStore,
  Reservation,
  UsageReport,
} from '../pipeline/quota-port.ts'
import { withDefaults } from './quota-grace-options.ts'
import type { QuotaHealth, ResilienceOptions, ResilienceSettings } from './quota-grace-options.ts'
import { QuotaLinks, type Link } from './quota-links.ts'
import type { Undelivered } from './settlement-queue.ts'
import { Unsettled } from './unsettled.ts'

export interface ResilientQuotaStore extends QuotaStore {
  health(): QuotaHealth
  /** What has not been delivered, and after `close` never will be. */
  undelivered(): Undelivered
}

/** @param backend throws where it cannot be asked, within a bound; not closed by `close` */
export function createResilientQuotaStore(backend: QuotaStore, options: ResilienceOptions): ResilientQuotaStore {
  return new Resilient(backend, options)
}

class Resilient implements ResilientQuotaStore {
  readonly #backend: QuotaStore
  readonly #options: ResilienceSettings
  readonly #links: QuotaLinks
  readonly #unsettled = new Unsettled(({ reservation, actual }) => this.#backend.settle(reservation, actual))
  /** Admitted without the backend and not settled: each will need a place in the queue. */
  readonly #unconfirmed = new Set<string>()
  /** What stands in the backend for a reservation: without a maximum of the answer all that a small limit leaves, of which it takes little. */
  readonly #bounds = new WeakMap<Reservation, { readonly bound: Charge; readonly atMs: number }>()

  constructor(backend: QuotaStore, options: ResilienceOptions) {
    this.#backend = backend
    this.#options = withDefaults(options)
    this.#links = new QuotaLinks(backend, this.#options, (organization) => this.#unsettled.flush(organization))
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { plan } = request
    if (plan.scopes.length === 0) return unlimitedAdmission(request)
    const link = this.#links.of(plan)
    if (link.outage !== undefined) return this.#admitPatiently(link, request, this.#admitLocally(link, request))
    try {
      return await this.#admitInBackend(link, request)
    } catch (error) {
      return this.#admitPatiently(link, request, this.#admitAfter(error, link, request))
    }
  }

  /** Once more where the first try failed because of an outage that is over in a moment. */
  async #admitPatiently(link: Link, request: AdmissionRequest, first: Promise<Admission>): Promise<Admission> {
    try {
      return await first
    } catch (error) {
      if (!(await this.#links.isBackInAMoment(link))) throw error
    }
    // Under another id: what was asked under the first one is being released.
    const again = { ...request, id: `${request.id}~` }
    if (link.outage !== undefined) return this.#admitLocally(link, again)
    try {
      return await this.#admitInBackend(link, again)
    } catch (error) {
      return this.#admitAfter(error, link, again)
    }
  }

  /** The backend failed with `error`. */
  async #admitAfter(error: unknown, link: Link, request: AdmissionRequest): Promise<Admission> {
    if (error instanceof QuotaUnavailableError) throw error
    this.#links.lost(link, error)
    return this.#admitUnconfirmed(link, request)
  }

  async extend(reservation: Reservation, more: QuotaNeed): Promise<Extension> {
    const link = this.#links.of(reservation.plan)
    try {
      return await this.#extend(link, reservation, more)
    } catch (error) {
      // As an admission.
      if (!(await this.#links.isBackInAMoment(link))) throw error
      return this.#extend(link, reservation, more)
    }
  }

  async #extend(link: Link, reservation: Reservation, more: QuotaNeed): Promise<Extension> {
    if (reservation.origin === 'none' || link.outage === undefined) {
      try {
        return await this.#extendInBackend(link, reservation, more)
      } catch (error) {
        if (error instanceof QuotaUnavailableError) throw error
        this.#links.lost(link, error)
      }
    }
    const plan = withoutRates(reservation.plan)
    return extensionOf(await this.#admitLocally(link, { id: reservation.id, plan, need: more }))
  }

  async renew(reservation: Reservation): Promise<void> {
    const link = this.#links.of(reservation.plan)
    await link.leases.renew(reservation.id)
    if (link.outage !== undefined || reservation.origin !== 'store') return
    await this.#backend.renew(reservation).catch((error: unknown) => this.#links.lost(link, error))
  }

  /** In the backend's hands before anything is waited for, unless there is an outage. */
  async settle(reservation: Reservation, actual: Charge): Promise<void> {
    if (reservation.origin === 'none') return
    const link = this.#links.of(reservation.plan)
    const held = this.#bounds.get(reservation)
    if (held !== undefined && this.#bounds.delete(reservation))
      link.seen.giveBack(reservation.plan, subtractCharges(held.bound, actual), held.atMs)
    const settling = this.#unsettled.begin(this.#options.now())
    this.#unconfirmed.delete(reservation.id)
    try {
      if (link.leases.holds(reservation.id)) await link.leases.settle(reservation.id, leasedOf(actual, held?.bound))
      if (link.outage === undefined) return await this.#backend.settle(reservation, actual)
    } catch (error) {
      this.#links.lost(link, error)
    } finally {
      this.#unsettled.end(settling)
    }
    this.#enqueue(reservation, actual)
  }

  async usage(plan: QuotaPlan): Promise<UsageReport> {
    try {
      return await this.#backend.usage(plan)
    } catch (error) {
      throw new QuotaUnavailableError('the quota store cannot be asked', error)
    }
  }

  health(): QuotaHealth {
    const { oldestMs, waiting, underway } = this.#unsettled
    return {
      unavailable: this.#links.lostCount,
      pendingSettlements: waiting + underway,
      settlementLagMs: Number.isFinite(oldestMs) ? this.#options.now() - oldestMs : 0,
    }
  }

  undelivered(): Undelivered {
    return this.#unsettled.undelivered
  }

  /** Gives the queue a bounded time to drain; what is left is lost, @see Undelivered */
  async close(): Promise<void> {
    this.#links.close()
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.closeMs)
    })
    await Promise.race([this.#unsettled.drain(late.signal), timeout])
    clearTimeout(timer)
    late.abort()
  }

  async #extendInBackend(link: Link, reservation: Reservation, more: QuotaNeed): Promise<Extension> {
    const extension = await this.#backend.extend(reservation, more)
    if (extension.type === 'extended')
      this.#noteExtended(link, reservation, boundOf(more, extension.grantedOutputTokens ?? 0))
    if (extension.type !== 'expired' || reservation.origin !== 'unconfirmed') return extension
    // Admitted during a grace that is over: the backend has never heard of it.
    const plan = withoutRates(reservation.plan)
    return extensionOf(await this.#backend.admit({ id: reservation.id, plan, need: more }))
  }

  /** The backend was asked and may or may not have reserved. */
  async #admitUnconfirmed(link: Link, request: AdmissionRequest): Promise<Admission> {
    const release = () => this.#enqueue({ id: request.id, plan: request.plan, origin: 'unconfirmed' }, NOTHING_USED)
    try {
      const admission = await this.#admitLocally(link, request)
      if (admission.type === 'refused') release()
      return admission
    } catch (error) {
      release()
      throw error
    }
  }

  async #admitLocally(link: Link, request: AdmissionRequest): Promise<Admission> {
    const { id, plan, need } = request
    const outage = link.outage
    // Recovered between two steps of one request: the next call asks the backend.
    if (outage === undefined) throw new QuotaUnavailableError('the quota store was lost for a moment')
    if (this.#isFull()) throw new QuotaBacklogError('too many unsettled requests')
    const inGrace = this.#options.now() - outage.sinceMs < this.#options.graceMs
    const reservation: Reservation = { id, plan, origin: 'unconfirmed' }
    if (inGrace || plan.whenUnavailable === 'Open') {
      const admission = await link.leases.admit(id, plan, need)
      if (admission.type === 'admitted') {
        this.#unconfirmed.add(id)
        return { ...admission, reservation, warnings: [], remaining: [] }
      }
      if (admission.reason === 'rate-limit' || admission.reason === 'concurrency') return admission
    }
    if (plan.whenUnavailable === 'Open') {
      this.#unconfirmed.add(id)
      return { ...unlimitedAdmission(request), reservation }
    }
    throw new QuotaUnavailableError(inGrace ? noLease(link, plan) : 'the quota store has been away for too long')
  }

  #enqueue(reservation: Reservation, actual: Charge): void {
    // A reservation that stands in the backend expires there at its bound; an unconfirmed one was given its place before.
    if (reservation.origin === 'store' && this.#isFull()) {
      this.#options.onDropped?.(reservation)
      return
    }
    this.#unsettled.add({ reservation, actual, sinceMs: this.#options.now() })
  }

  #admitInBackend(link: Link, request: AdmissionRequest): Promise<Admission> {
    const { outages } = link
    return this.#backend.admit(request).then((admission) => this.#noted(admission, link, outages, request))
  }

  /** What the backend has said to what was asked for after `outages`. */
  #noted(admission: Admission, link: Link, outages: number, { plan, need }: AdmissionRequest): Admission {
    if (admission.type === 'refused') {
      if (admission.window !== undefined)
        link.seen.noteRefusal(plan, admission, boundOf(need, need.open?.minTokens ?? 0))
      return admission
    }
    const atMs = this.#options.now()
    this.#links.isBack(link, outages)
    link.seen.remember(plan, admission.remaining, atMs)
    this.#bounds.set(admission.reservation, { bound: boundOf(need, admission.grantedOutputTokens ?? 0), atMs })
    return admission
  }

  /** It stands in the backend like the rest of its bound, and comes back with it. */
  #noteExtended({ seen }: Link, reservation: Reservation, more: Charge): void {
    const held = this.#bounds.get(reservation)
    if (held === undefined) return
    this.#bounds.set(reservation, { ...held, bound: addCharges(held.bound, more) })
    seen.giveBack(reservation.plan, subtractCharges(NOTHING_USED, more), held.atMs)
  }

  #isFull(): boolean {
    return this.#unsettled.waiting + this.#unconfirmed.size >= this.#options.maxPending
  }
}

/** Why the grace does not admit: a store that was never reached has leased nothing that could be used up. */
function noLease({ seen }: Link, plan: QuotaPlan): string {
  return seen.hasAll(plan)
    ? 'the quota leased for an outage is used up'
    : 'no quota is leased for an outage: this gateway has had no request admitted under these limits before'
}

/** Of a reservation that stands in the backend the lease holds what an outage has added. */
function leasedOf(actual: Charge, bound: Charge | undefined): Charge {
  return bound === undefined ? actual : excessOf(actual, bound)
}

function extensionOf(admission: Admission): Extension {
  if (admission.type === 'refused') return admission
  return { type: 'extended', grantedOutputTokens: admission.grantedOutputTokens }
}

/** The rates were taken when the request was admitted. */
function withoutRates({ organization, scopes, whenUnavailable }: QuotaPlan): QuotaPlan {
  const unhurried = scopes.map((scope) => ({ ...scope, rateLimits: {} }))
  return planOf(organization, unhurried, whenUnavailable)
}

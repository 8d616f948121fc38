/** The quota store of a single process: standalone without Redis, and the ledger of a grace period. */
import type { Charge } from '../../../domain/quota/amounts.ts'
import type { LimitInPlan, QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import { calendarWindow, rollingBucketMs, ROLLING_BUCKETS } from '../../../domain/quota/windows.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import { QuotaUnavailableError, unlimitedAdmission } from '../../pipeline/quota-port.ts'
import type {
  Admission,
  AdmissionRequest,
  Extension,
  LimitUsage,
  QuotaStore,
  Reservation,
  UsageReport,
} from '../../pipeline/quota-port.ts'
import { limitUsageOf, rateUsageOf } from '../quota-usage.ts'
import { OrganizationLedger } from './organization-ledger.ts'

/** State is lost with the process. Memory is bounded by the limits configured and the requests in flight. */
export class MemoryQuotaStore implements QuotaStore {
  readonly #now: Now
  readonly #ledgers = new Map<string, OrganizationLedger>()

  constructor(now: Now) {
    this.#now = now
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    if (request.plan.scopes.length === 0) return unlimitedAdmission(request)
    const admission = this.#ledgerOf(request.plan).admit(request, this.#now())
    if (admission === undefined) throw new QuotaUnavailableError(`reservation id ${request.id} was already used`)
    return admission
  }

  async extend(reservation: Reservation, more: QuotaNeed): Promise<Extension> {
    if (reservation.origin === 'none') return { type: 'extended', grantedOutputTokens: more.open?.maxTokens }
    return this.#ledgerOf(reservation.plan).extend(reservation, more, this.#now())
  }

  async renew({ id, plan, origin }: Reservation): Promise<void> {
    if (origin !== 'none') this.#ledgerOf(plan).renew(id, this.#now())
  }

  async settle(reservation: Reservation, actual: Charge): Promise<void> {
    if (reservation.origin !== 'none') this.#ledgerOf(reservation.plan).settle(reservation, actual, this.#now())
  }

  async usage(plan: QuotaPlan): Promise<UsageReport> {
    const atMs = this.#now()
    const ledger = this.#ledgerOf(plan)
    ledger.sweep(atMs)
    return {
      atMs,
      limits: plan.limits.map((limit) => limitUsage(ledger, limit, atMs)),
      rateLimits: plan.scopes.map((scope) => rateUsageOf(scope, ledger.rateStateOf(scope, atMs))),
    }
  }

  async close(): Promise<void> {
    this.#ledgers.clear()
  }

  #ledgerOf({ organization }: QuotaPlan): OrganizationLedger {
    const ledger = this.#ledgers.get(organization) ?? new OrganizationLedger()
    this.#ledgers.set(organization, ledger)
    return ledger
  }
}

function limitUsage(ledger: OrganizationLedger, entry: LimitInPlan, nowMs: Milliseconds): LimitUsage {
  const { scope, window } = entry
  const counter = ledger.windowOf(scope, window, nowMs)
  const bucketMs = window.reset === 'Rolling' ? rollingBucketMs(window.window) : undefined
  return limitUsageOf(entry, {
    spent: counter.spent,
    reserved: counter.reserved,
    windowStartMs:
      bucketMs === undefined
        ? calendarWindow(window.window, nowMs).startMs
        : (Math.floor(nowMs / bucketMs) - ROLLING_BUCKETS) * bucketMs,
    resetAtMs: counter.nextResetMs(),
  })
}

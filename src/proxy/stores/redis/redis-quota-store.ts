/**
 * The quota store in Redis: every call is one script, hence atomic, and one round trip, for all requests of a plan that ask
 * or have ended in one moment. All keys of an organization share the hash slot of `{organization}`, so that a cluster serves it from one
 * node. The clock is Redis's.
 */
import type { Charge } from '../../../domain/quota/amounts.ts'
import type { QuotaPlan } from '../../../domain/quota/limits.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import { QuotaUnavailableError, unlimitedAdmission } from '../../pipeline/quota-port.ts'
import type {
  Admission,
  AdmissionRequest,
  Extension,
  QuotaStore,
  Reservation,
  UsageReport,
} from '../../pipeline/quota-port.ts'
import { admissionOf, refusalOf, usageOf } from './quota-answers.ts'
import { chargeText, needText, PlanEncoder } from './quota-plan.ts'
import type { EncodedPlan } from './quota-plan.ts'
import { QuotaReply } from './quota-reply.ts'
import { EXTEND, RENEW, TURN, USAGE } from './quota-scripts.ts'
import { QuotaTurns } from './quota-turns.ts'
import type { RedisConnection } from './redis-client.ts'
import { RedisUnavailableError } from './redis-errors.ts'

export interface RedisQuotaStoreOptions {
  /** Instead of Redis's own clock; for tests. */
  readonly now?: Now
  readonly timeoutMs?: Milliseconds
  /**
   * Somebody keeps a copy of the counters and restores them where they were lost: until then nothing is admitted by
   * this store. A Redis that has been emptied must not hand out all budgets anew.
   */
  readonly onlyWhole?: boolean
}

/** Throws what the connection throws: `createResilientQuotaStore` decides what that means for requests. */
export class RedisQuotaStore implements QuotaStore {
  readonly #redis: RedisConnection
  readonly #now: Now | undefined
  readonly #call: { readonly timeoutMs?: Milliseconds }
  readonly #onlyWhole: boolean
  readonly #plans = new PlanEncoder()
  readonly #turns = new QuotaTurns((plan, settlements, admissions) =>
    this.#turn(plan, UNKNOWN_IS.charged, settlements, admissions),
  )

  constructor(redis: RedisConnection, options: RedisQuotaStoreOptions = {}) {
    this.#redis = redis
    this.#now = options.now
    this.#onlyWhole = options.onlyWhole ?? false
    this.#call = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { id, plan, need } = request
    if (plan.scopes.length === 0) return unlimitedAdmission(request)
    const encoded = this.#plans.encode(plan)
    const { part, position } = this.#turns.admit(encoded, id, needText(need))
    const replies = await part.reply
    const reply = new QuotaReply(Array.isArray(replies) ? replies[position] : replies)
    switch (reply.integer(0)) {
      case 0:
        return refusalOf(encoded, reply)
      case 1:
        return admissionOf(request, new StoredReservation(id, plan), encoded, reply)
      case 3:
        throw lostCounters()
      default:
        throw new QuotaUnavailableError(`reservation id ${id} was already used`)
    }
  }

  async extend({ id, plan, origin }: Reservation, more: QuotaNeed): Promise<Extension> {
    if (origin === 'none') return { type: 'extended', grantedOutputTokens: more.open?.maxTokens }
    const encoded = this.#plans.encode(plan)
    this.#turns.flush()
    const args = [this.#clock(), id, encoded.json, needText(more)]
    const keys = [encoded.openKey, encoded.reservationsKey] as const
    const reply = new QuotaReply(await this.#redis.run(EXTEND, keys, args, this.#call))
    switch (reply.integer(0)) {
      case 0:
        return refusalOf(encoded, reply)
      case 1:
        return { type: 'extended', grantedOutputTokens: more.open === undefined ? undefined : reply.integer(1) }
      default:
        return { type: 'expired' }
    }
  }

  async renew({ id, plan, origin }: Reservation): Promise<void> {
    if (origin === 'none') return
    await this.#redis.run(RENEW, [this.#plans.encode(plan).openKey], [this.#clock(), id], this.#call)
  }

  async settle(reservation: Reservation, actual: Charge): Promise<void> {
    const { id, plan, origin } = reservation
    if (origin === 'none') return
    // Where this is the first try and Redis knows nothing of the reservation, Redis has lost it (restart, failover) and
    // the charge counts all the same. At a further try it may as well be settled: then nothing is charged.
    const encoded = this.#plans.encode(plan)
    if (!(reservation instanceof StoredReservation) || reservation.settlementSent) {
      return this.#settleAlone(id, encoded, origin === 'unconfirmed' ? 'remembered' : 'settled', actual)
    }
    reservation.settlementSent = true
    const part = this.#turns.settle(encoded, id, chargeText(actual))
    try {
      await part.reply
    } catch (error) {
      if (part.isAlone || error instanceof RedisUnavailableError) throw noteUnsent(reservation, error)
      // Whatever Redis stumbled at, it has to be settled.
      await this.#settleAlone(id, encoded, 'settled', actual).catch((failure: unknown) => {
        throw noteUnsent(reservation, failure)
      })
    }
  }

  async #settleAlone(id: string, plan: EncodedPlan, unknownIs: keyof typeof UNKNOWN_IS, actual: Charge): Promise<void> {
    // Its first settlement may be waiting: only that one says what an unknown reservation is charged.
    this.#turns.flush()
    await this.#turn(plan, UNKNOWN_IS[unknownIs], [id, chargeText(actual)], [])
  }

  async usage(plan: QuotaPlan): Promise<UsageReport> {
    const encoded = this.#plans.encode(plan)
    this.#turns.flush()
    const args = [this.#clock(), this.#wholeKeyOf(encoded), encoded.json]
    const keys = [encoded.openKey, encoded.reservationsKey] as const
    const reply = new QuotaReply(await this.#redis.run(USAGE, keys, args, this.#call))
    if (reply.integer(0) !== 1) throw lostCounters()
    return usageOf(encoded, reply)
  }

  async close(): Promise<void> {
    // The connection is its owner's.
    this.#turns.flush()
  }

  #turn(
    plan: EncodedPlan,
    unknownIs: string,
    settlements: readonly string[],
    admissions: readonly string[],
  ): Promise<unknown> {
    const head = [this.#clock(), this.#wholeKeyOf(plan), plan.json, String(settlements.length / 2), unknownIs]
    const args = [...head, ...settlements, ...admissions]
    return this.#redis.run(TURN, [plan.openKey, plan.reservationsKey], args, this.#call)
  }

  #clock(): string {
    return this.#now === undefined ? '' : String(this.#now())
  }

  #wholeKeyOf(encoded: EncodedPlan): string {
    return this.#onlyWhole ? encoded.wholeKey : ''
  }
}

/** What a settlement of a reservation that Redis does not know means; `quota-settle.lua` says more. */
const UNKNOWN_IS = { settled: '', charged: '1', remembered: '2' } as const

class StoredReservation implements Reservation {
  readonly id: string
  readonly plan: QuotaPlan
  readonly origin = 'store'
  /** At least once, and it may have been executed. */
  settlementSent = false

  constructor(id: string, plan: QuotaPlan) {
    this.id = id
    this.plan = plan
  }
}

/** Returns `failure`. Where nothing can have been executed, its next settlement is the first one again. */
function noteUnsent(reservation: StoredReservation, failure: unknown): unknown {
  if (failure instanceof RedisUnavailableError && !failure.maybeExecuted) reservation.settlementSent = false
  return failure
}

/** As where Redis is away: what was leased lasts for the grace. */
function lostCounters(): RedisUnavailableError {
  return new RedisUnavailableError('Redis has lost the counters and they are not restored yet', false)
}

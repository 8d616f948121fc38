/** The reservation of one request while it lasts: renewed until it is released. What has been reserved on top counts. */
import { addCharges, boundOf, type Charge } from '../../../domain/quota/amounts.ts'
import type { QuotaNeed } from '../../../domain/quota/need.ts'
import {
  RESERVATION_LEASE_MS,
  type Admitted,
  type Extension,
  type QuotaStore,
  type Reservation,
} from '../quota-port.ts'
import { Renewals, type Renewable } from './renewals.ts'

export interface HeldReservation {
  readonly reservation: Reservation
  /** All that is reserved. */
  readonly bound: Charge
  /** Tokens of one choice that the first candidate may answer with; undefined: nothing bounds it but the request. */
  readonly granted: number | undefined
  /** Reserves more. @throws {QuotaUnavailableError} */
  extend(more: QuotaNeed): Promise<Extension>
  /** Stops renewing. */
  release(): void
}

/** At a third of the lease. */
const renewals = new Renewals(RESERVATION_LEASE_MS / 3)

export class KeptReservation implements HeldReservation, Renewable {
  readonly reservation: Reservation
  readonly granted: number | undefined
  readonly #quotas: QuotaStore
  #bound: Charge
  dueAtMs = 0
  previous: Renewable | undefined
  next: Renewable | undefined

  constructor({ reservation, grantedOutputTokens }: Admitted, need: QuotaNeed, quotas: QuotaStore) {
    this.reservation = reservation
    this.granted = grantedOutputTokens
    this.#bound = boundOf(need, grantedOutputTokens ?? need.open?.maxTokens ?? 0)
    this.#quotas = quotas
    if (reservation.origin !== 'none') renewals.keep(this)
  }

  get bound(): Charge {
    return this.#bound
  }

  async extend(more: QuotaNeed): Promise<Extension> {
    const extension = await this.#quotas.extend(this.reservation, more)
    if (extension.type !== 'extended') return extension
    const granted = extension.grantedOutputTokens ?? more.open?.maxTokens ?? 0
    this.#bound = addCharges(this.#bound, boundOf(more, granted))
    return extension
  }

  renew(): void {
    void this.#quotas.renew(this.reservation)
  }

  release(): void {
    renewals.drop(this)
  }
}

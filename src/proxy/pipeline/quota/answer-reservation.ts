/**
 * What is reserved for a call's answer, deployment by deployment. Admission reserves what the first candidate may use; before another one is
 * asked that may use more, what is missing is reserved on top. So nobody's budget is held for a dear provider that only
 * stands in for a cheap one. Where the limits do not leave it, an answer whose maximum the client has not given may be as long
 * as what is reserved already pays for; else the deployment is passed over.
 */
import type { GatewayError } from '../../../domain/errors.ts'
import {
  addCharges,
  excessOf,
  fixedBound,
  NOTHING_USED,
  subtractCharges,
  type Charge,
} from '../../../domain/quota/amounts.ts'
import { fittingTokens } from '../../../domain/quota/decide.ts'
import { outputClampFor, outputLimitFor, type QuotaNeed } from '../../../domain/quota/need.ts'
import type { Refused } from '../../../domain/quota/outcome.ts'
import { refusalError, unavailableError } from '../../../domain/quota/refusal.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { AskedAdmission } from '../admit.ts'
import type { HeldReservation } from './held-reservation.ts'
import { needAt } from './need-at.ts'
import { QuotaBacklogError, QuotaUnavailableError } from '../quota-port.ts'
import type { RequestRecord } from '../request-record.ts'

/** Why a deployment must not be asked. */
export interface Unreserved {
  readonly deployment: Deployment
  /** Undefined: the store cannot be asked. */
  readonly refused: Refused | undefined
  readonly error: GatewayError
}

export class AnswerReservation {
  /** Of a second one the prompt is longer, and a part of the reservation is spent. */
  readonly #call: AskedAdmission
  readonly #record: RequestRecord
  readonly #held: HeldReservation | undefined
  /** Tokens of one choice, by the deployment for which they are reserved. */
  readonly #tokens = new Map<Deployment, number | undefined>()
  readonly #first: Deployment | undefined
  /** Of what is reserved, what is for something else than answers. */
  #aside = NOTHING_USED

  /** @param first what was admitted for: nothing need be asked for it */
  constructor(call: AskedAdmission, record: RequestRecord, first?: Deployment) {
    this.#call = call
    this.#record = record
    this.#held = record.reservation
    this.#first = first
    if (first !== undefined && this.#held !== undefined) this.#tokens.set(first, this.#held.granted)
  }

  /** For a further call of the same request. What is set aside stays so. */
  for(call: AskedAdmission): AnswerReservation {
    const reserved = new AnswerReservation(call, this.#record)
    reserved.#aside = this.#aside
    return reserved
  }

  /** Whether all that the deployment may use is reserved. */
  isFor(deployment: Deployment): boolean {
    return (
      this.#held === undefined || this.#held.reservation.plan.blockingUnits.size === 0 || this.#tokens.has(deployment)
    )
  }

  /** Reserves what is missing; the refusal where the deployment must not be asked. Never throws one. */
  async reserveFor(deployment: Deployment): Promise<Unreserved | undefined> {
    const held = this.#held
    if (held === undefined || this.isFor(deployment)) return undefined
    const need = needAt(this.#call, deployment)
    const left = this.#left(held)
    const fitting = fittingTokens(need, left, held.reservation.plan.blockingUnits)
    if (fitting === (need.open?.maxTokens ?? 0)) return this.#made(deployment, fitting)
    const refusal = await this.#extended(held, need, left, deployment)
    // What is reserved may do for a shorter answer.
    return refusal === undefined || fitting === undefined ? refusal : this.#made(deployment, fitting)
  }

  /**
   * Sets a part of what is reserved aside for something else that the request pays for. Only before its answer is asked for, and
   * where a limit has shortened that: nothing else is left to be reserved, so it becomes somewhat shorter still.
   * @returns whether it is set aside
   */
  setAside(charge: Charge): boolean {
    const [held, first] = [this.#held, this.#first]
    if (held === undefined || first === undefined) return false
    const need = needAt(this.#call, first)
    if ((this.#grantedTo(first) ?? Infinity) >= (need.open?.maxTokens ?? 0)) return false
    const left = subtractCharges(this.#left(held), charge)
    const fitting = fittingTokens(need, left, held.reservation.plan.blockingUnits)
    if (fitting === undefined) return false
    this.#aside = addCharges(this.#aside, charge)
    this.#tokens.set(first, fitting)
    return true
  }

  /** Tokens to which a budget shortens an answer of a deployment; undefined: it does not. */
  clampFor(deployment: Deployment): number | undefined {
    const tokens = this.#grantedTo(deployment)
    return tokens === undefined ? undefined : outputClampFor(deployment, tokens)
  }

  /** Output limit to send to a deployment; undefined: the request's own, or none. */
  limitFor(deployment: Deployment): number | undefined {
    const tokens = this.#grantedTo(deployment)
    return tokens === undefined ? undefined : outputLimitFor(deployment, tokens)
  }

  /** Undefined where the client has given a maximum, or nothing refuses. */
  #grantedTo(deployment: Deployment): number | undefined {
    if (this.#call.sampling.maxOutputTokens !== undefined || !this.#held?.reservation.plan.blocksOnSize)
      return undefined
    return this.#tokens.get(deployment)
  }

  #left({ bound }: HeldReservation): Charge {
    const spent = this.#record.meter.earlier.reduce((sum, { charge }) => addCharges(sum, charge), this.#aside)
    return subtractCharges(bound, spent)
  }

  #made(deployment: Deployment, tokens: number): undefined {
    this.#tokens.set(deployment, tokens)
    return undefined
  }

  async #extended(
    held: HeldReservation,
    need: QuotaNeed,
    left: Charge,
    deployment: Deployment,
  ): Promise<Unreserved | undefined> {
    const most = need.open?.maxTokens ?? 0
    try {
      const extension = await held.extend(missingOf(need, left))
      if (extension.type === 'extended') return this.#made(deployment, extension.grantedOutputTokens ?? most)
      if (extension.type === 'expired') throw new QuotaUnavailableError('the store no longer has the reservation')
      return { deployment, refused: extension, error: refusalError(extension, { plan: held.reservation.plan, need }) }
    } catch (error) {
      if (!(error instanceof QuotaUnavailableError)) throw error
      const isOpen = this.#record.policy?.quotaFailure === 'Open' && !(error instanceof QuotaBacklogError)
      return isOpen ? this.#made(deployment, most) : { deployment, refused: undefined, error: unavailableError(error) }
    }
  }
}

/** What a need takes beyond what is left of the reservation. No rate is taken again. */
function missingOf(need: QuotaNeed, left: Charge): QuotaNeed {
  if (need.open === undefined) return { ...excessOf(fixedBound(need), left), rateTokens: 0 }
  return { ...need, open: { ...need.open, held: left }, rateTokens: 0 }
}

/**
 * Settlements that the store has not confirmed yet, in memory: what a killed process takes with it is charged at its
 * bound when its reservation expires. Delivering one twice is harmless (`QuotaStore.settle`).
 */
import type { Charge } from '../../domain/quota/amounts.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Reservation } from '../pipeline/quota-port.ts'

export interface PendingSettlement {
  readonly reservation: Reservation
  readonly actual: Charge
  readonly sinceMs: Milliseconds
}

/** What becomes of settlements that are never delivered. */
export interface Undelivered {
  /** They stand reserved: the store charges them at their bound when they expire. */
  readonly atBound: number
  /** Admitted without the store's word: it knows nothing of them. Those that have used nothing are not counted. */
  readonly uncharged: number
}

/** Delivered side by side, so that a long queue drains in few round trips. */
const BATCH = 64

export class SettlementQueue {
  readonly #pending = new Map<string, PendingSettlement>()

  get size(): number {
    return this.#pending.size
  }

  /** What would be lost if no more were delivered. */
  get undelivered(): Undelivered {
    const settlements = [...this.#pending.values()]
    const atBound = settlements.filter(({ reservation }) => reservation.origin === 'store').length
    return { atBound, uncharged: settlements.filter(isUnheardOf).length }
  }

  /** When the longest waiting one was queued. */
  get oldestMs(): Milliseconds | undefined {
    for (const { sinceMs } of this.#pending.values()) return sinceMs
    return undefined
  }

  /** The first settlement of a reservation stands. */
  add(settlement: PendingSettlement): void {
    if (!this.#pending.has(settlement.reservation.id)) this.#pending.set(settlement.reservation.id, settlement)
  }

  /** Delivers what is queued until it is empty or a delivery fails, which is thrown; what failed stays queued. */
  async flush(deliver: (settlement: PendingSettlement) => Promise<void>): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.entries()].slice(0, BATCH)
      const results = await Promise.allSettled(
        batch.map(async ([id, settlement]) => {
          await deliver(settlement)
          this.#pending.delete(id)
        }),
      )
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
  }
}

function isUnheardOf({ reservation, actual }: PendingSettlement): boolean {
  const { costMicroUsd, inputTokens, outputTokens } = actual
  return reservation.origin !== 'store' && (costMicroUsd > 0 || inputTokens > 0 || outputTokens > 0)
}

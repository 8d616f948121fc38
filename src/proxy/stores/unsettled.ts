/** What is not settled yet, of all organizations: settlements on their way to the store, and those that wait for it. */
import { LinkedList, type Linked } from '../../domain/linked-list.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { SettlementQueue } from './settlement-queue.ts'
import type { PendingSettlement, Undelivered } from './settlement-queue.ts'

/** Between two tries of what waits when the process ends. */
const RETRY_MS: Milliseconds = 50

/** A settlement on its way to the store. */
export interface Settling extends Linked<Settling> {
  readonly sinceMs: Milliseconds
}

export class Unsettled {
  readonly #deliver: (settlement: PendingSettlement) => Promise<void>
  readonly #queues = new Map<string, SettlementQueue>()
  /** The oldest first. */
  readonly #underway = new LinkedList<Settling>()
  /** Told when the last of them has arrived. */
  #noneUnderway: (() => void) | undefined

  constructor(deliver: (settlement: PendingSettlement) => Promise<void>) {
    this.#deliver = deliver
  }

  get underway(): number {
    return this.#underway.size
  }

  get waiting(): number {
    let waiting = 0
    for (const queue of this.#queues.values()) waiting += queue.size
    return waiting
  }

  /** Of what waits, what would be lost if the process ended now. */
  get undelivered(): Undelivered {
    let [atBound, uncharged] = [0, 0]
    for (const { undelivered } of this.#queues.values()) {
      atBound += undelivered.atBound
      uncharged += undelivered.uncharged
    }
    return { atBound, uncharged }
  }

  /** Since when the oldest of all is owed; infinity: none is. */
  get oldestMs(): Milliseconds {
    const underway = this.#underway.first
    const oldest = [...this.#queues.values()].map((queue) => queue.oldestMs ?? Number.POSITIVE_INFINITY)
    return Math.min(underway?.sinceMs ?? Number.POSITIVE_INFINITY, ...oldest)
  }

  /** Counts a settlement as under way until it is handed to `end`. */
  begin(sinceMs: Milliseconds): Settling {
    const settling: Settling = { sinceMs, previous: undefined, next: undefined }
    this.#underway.add(settling)
    return settling
  }

  end(settling: Settling): void {
    this.#underway.remove(settling)
    if (this.#underway.size === 0) this.#noneUnderway?.()
  }

  /** To be delivered when the store is back. */
  add(settlement: PendingSettlement): void {
    const { organization } = settlement.reservation.plan
    const queue = this.#queues.get(organization) ?? new SettlementQueue()
    this.#queues.set(organization, queue)
    queue.add(settlement)
  }

  /** Delivers what waits of an organization. @throws what the store throws; the rest stays */
  async flush(organization: string): Promise<void> {
    await this.#queues.get(organization)?.flush(this.#deliver)
  }

  /** Tries as long as something waits: the store may come back within the time that there is. */
  async drain(late: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#noneUnderway = resolve
      if (this.#underway.size === 0) resolve()
    })
    while (!late.aborted) {
      for (const organization of this.#queues.keys()) await this.flush(organization).catch(() => undefined)
      if (this.waiting === 0) return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Asks what sidecars run, for as long as there are entries that not all of them have taken over. */
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { Cancel, Timing } from '../kube/timing.ts'
import { acknowledgedRevisions } from '../publish/acknowledgements.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { ProgrammedLedger } from './programmed.ts'

const POLL_MS = 1_000

export interface AcknowledgementPollOptions {
  readonly redis: PublishRedis
  readonly ledger: ProgrammedLedger
  readonly timing: Timing
  readonly log: Log
  /** The entry of this resource is in force now. */
  readonly onReached: (id: string) => void
}

export class AcknowledgementPoll {
  readonly #options: AcknowledgementPollOptions
  #cancel: Cancel | undefined
  #stopped = false

  constructor(options: AcknowledgementPollOptions) {
    this.#options = options
  }

  /** At once, for use after a publication, then each second while something is pending. Never rejects. */
  async run(): Promise<void> {
    const { redis, ledger, timing, log, onReached } = this.#options
    try {
      for (const owner of ledger.pendingOwners) {
        for (const id of ledger.acknowledged(owner, await acknowledgedRevisions(redis, owner))) onReached(id)
      }
    } catch (error) {
      log.debug(errorFields(error), 'acknowledgements not read')
    }
    if (this.#stopped || ledger.pendingOwners.length === 0) return
    this.#cancel?.()
    this.#cancel = timing.after(POLL_MS, () => void this.run())
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }
}

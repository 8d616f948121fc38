/**
 * What is asked of the quota store about a plan in one moment goes in one call of a script, its turn: a call costs this
 * process and Redis more than what the script does for a request.
 *
 * - Admissions go together with those who ask in the same moment, at once.
 * - Settlements, for which nobody waits, go with what is asked next, whatever it is and ahead of it, so that it finds them
 *   done; where nothing is asked, after a millisecond. What a process that is killed until then has not settled is charged
 *   at its bound, as all that it had under way.
 */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { EncodedPlan } from './quota-plan.ts'

/** Of each: Redis does nothing else while a script runs. */
const MOST_TOGETHER = 32

/** About how long settlements wait for company: up to twice that. */
const WAIT_MS: Milliseconds = 1

/** One call. */
export class QuotaTurn {
  /** Reservations and their charges in turns. */
  readonly settlements: string[] = []
  /** Ids and their needs in turns. */
  readonly admissions: string[] = []
  readonly #reply = Promise.withResolvers<unknown>()

  /** The script's reply to all admissions. */
  get reply(): Promise<unknown> {
    return this.#reply.promise
  }

  answer(reply: Promise<unknown>): void {
    this.#reply.resolve(reply)
  }
}

export class QuotaTurns {
  readonly #call: (plan: EncodedPlan, turn: QuotaTurn) => Promise<unknown>
  /** Those that have not been sent, the oldest first. */
  readonly #gathering = new Map<EncodedPlan, QuotaTurn>()
  #isSending = false
  #isWatched = false

  constructor(call: (plan: EncodedPlan, turn: QuotaTurn) => Promise<unknown>) {
    this.#call = call
  }

  /** The turn in which it goes, and its position among the admissions there. */
  admit(plan: EncodedPlan, id: string, need: string): { readonly turn: QuotaTurn; readonly position: number } {
    const turn = this.#turnOf(plan, 'admissions')
    const position = turn.admissions.push(id, need) / 2 - 1
    if (!this.#isSending) {
      this.#isSending = true
      // When all have asked who go on by the same promise.
      queueMicrotask(() => this.flush())
    }
    return { turn, position }
  }

  /** The turn in which it goes. */
  settle(plan: EncodedPlan, id: string, charge: string): QuotaTurn {
    const turn = this.#turnOf(plan, 'settlements')
    turn.settlements.push(id, charge)
    if (!this.#isWatched) this.#watch(turn)
    return turn
  }

  /** Sends what has gathered: before a call that must find it done. */
  flush(): void {
    this.#isSending = false
    if (this.#gathering.size === 0) return
    const turns = [...this.#gathering]
    this.#gathering.clear()
    // Plans share the limits of their organization: what is given back is to be there for whoever asks.
    for (const [plan, turn] of turns) if (turn.admissions.length === 0) this.#send(plan, turn)
    for (const [plan, turn] of turns) if (turn.admissions.length > 0) this.#send(plan, turn)
  }

  /** The turn that is sent next for a plan, with room for one of its kind more. */
  #turnOf(plan: EncodedPlan, kind: 'settlements' | 'admissions'): QuotaTurn {
    const gathering = this.#gathering.get(plan)
    if (gathering !== undefined) {
      if (gathering[kind].length < 2 * MOST_TOGETHER) return gathering
      this.flush()
    }
    const turn = new QuotaTurn()
    this.#gathering.set(plan, turn)
    return turn
  }

  #send(plan: EncodedPlan, turn: QuotaTurn): void {
    turn.answer(this.#call(plan, turn))
  }

  /** Sees to it that a turn goes. One timer for all: mostly they have gone by then. */
  #watch(turn: QuotaTurn): void {
    this.#isWatched = true
    setTimeout(() => {
      this.#isWatched = false
      const [oldest] = this.#gathering.values()
      if (oldest === turn) this.flush()
      else if (oldest !== undefined) this.#watch(oldest)
    }, WAIT_MS)
  }
}

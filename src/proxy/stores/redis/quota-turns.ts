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

/** What goes in one call, of one kind. */
export class TurnPart {
  /** Ids and their charges or needs in turns. */
  readonly pairs: string[] = []
  readonly #reply = Promise.withResolvers<unknown>()
  #isAlone = false

  /** The script's reply to all admissions of the call. */
  get reply(): Promise<unknown> {
    return this.#reply.promise
  }

  /** Once it was sent: the call holds nothing but one pair. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  answer(reply: Promise<unknown>, isAlone: boolean): void {
    this.#isAlone = isAlone
    this.#reply.resolve(reply)
  }
}

/** One call: pairs as in `TurnPart`. */
type Call = (plan: EncodedPlan, settlements: readonly string[], admissions: readonly string[]) => Promise<unknown>

/** Those that have not been sent, the oldest first. */
type Gathering = Map<EncodedPlan, TurnPart>

export class QuotaTurns {
  readonly #call: Call
  readonly #settling: Gathering = new Map()
  readonly #admitting: Gathering = new Map()
  #isSending = false
  #isWatched = false

  constructor(call: Call) {
    this.#call = call
  }

  /** What it goes with, and its position there. */
  admit(plan: EncodedPlan, id: string, need: string): { readonly part: TurnPart; readonly position: number } {
    const part = this.#partOf(this.#admitting, plan)
    const position = part.pairs.push(id, need) / 2 - 1
    if (!this.#isSending) {
      this.#isSending = true
      // When all have asked who go on by the same promise.
      queueMicrotask(() => this.flush())
    }
    return { part, position }
  }

  /** What it goes with. */
  settle(plan: EncodedPlan, id: string, charge: string): TurnPart {
    const part = this.#partOf(this.#settling, plan)
    part.pairs.push(id, charge)
    if (!this.#isWatched) this.#watch(part)
    return part
  }

  /** Sends what has gathered: before a call that must find it done. */
  flush(): void {
    this.#isSending = false
    if (this.#settling.size + this.#admitting.size === 0) return
    const [settling, admitting] = [new Map(this.#settling), new Map(this.#admitting)]
    this.#settling.clear()
    this.#admitting.clear()
    const [first] = admitting.keys()
    // Plans share the limits of their organization: what is given back is to be there for whoever asks.
    for (const [plan, part] of settling) if (plan !== first) this.#send(plan, part, undefined)
    for (const [plan, part] of admitting) this.#send(plan, plan === first ? settling.get(plan) : undefined, part)
  }

  /** What is sent next of a plan, with room for one more. */
  #partOf(gathering: Gathering, plan: EncodedPlan): TurnPart {
    const gathered = gathering.get(plan)
    if (gathered !== undefined) {
      if (gathered.pairs.length < 2 * MOST_TOGETHER) return gathered
      this.flush()
    }
    const part = new TurnPart()
    gathering.set(plan, part)
    return part
  }

  #send(plan: EncodedPlan, settling: TurnPart | undefined, admitting: TurnPart | undefined): void {
    const [settlements, admissions] = [settling?.pairs ?? [], admitting?.pairs ?? []]
    const isAlone = settlements.length + admissions.length === 2
    const reply = this.#call(plan, settlements, admissions)
    settling?.answer(reply, isAlone)
    admitting?.answer(reply, isAlone)
  }

  /** Sees to it that settlements go. One timer for all: mostly they have gone by then. */
  #watch(part: TurnPart): void {
    this.#isWatched = true
    setTimeout(() => {
      this.#isWatched = false
      const [oldest] = this.#settling.values()
      if (oldest === part) this.flush()
      else if (oldest !== undefined) this.#watch(oldest)
    }, WAIT_MS)
  }
}

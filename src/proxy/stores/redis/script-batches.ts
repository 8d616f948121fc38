/**
 * Requests that ask the same of the store in the same moment, for the same plan, ask in one call of a script. A call costs
 * this process and Redis more than what the script does for one request: with 32 requests under way this is a sixth of
 * the processor.
 */
import type { EncodedPlan } from './quota-plan.ts'

/** Redis does nothing else while a script runs. */
const MOST_TOGETHER = 32

/** One call. */
export class ScriptBatch {
  /** A reservation and its figures in turns. */
  readonly entries: string[] = []
  /** The script's reply to all of them. */
  readonly reply: Promise<unknown>

  constructor(send: (batch: ScriptBatch) => Promise<unknown>) {
    // When all have asked who go on by the same promise.
    this.reply = Promise.resolve(this).then(send)
  }

  get size(): number {
    return this.entries.length / 2
  }

  /** The entry's position in the batch. */
  add(id: string, figures: string): number {
    return this.entries.push(id, figures) / 2 - 1
  }
}

export class ScriptBatches {
  readonly #call: (plan: EncodedPlan, entries: readonly string[]) => Promise<unknown>
  /** Those that have not been sent. */
  readonly #gathering = new Map<EncodedPlan, ScriptBatch>()

  constructor(call: (plan: EncodedPlan, entries: readonly string[]) => Promise<unknown>) {
    this.#call = call
  }

  /** The batch that is sent next for a plan, with room for one entry more. */
  next(plan: EncodedPlan): ScriptBatch {
    const gathering = this.#gathering.get(plan)
    if (gathering !== undefined && gathering.size < MOST_TOGETHER) return gathering
    const batch = new ScriptBatch((sent) => {
      if (this.#gathering.get(plan) === sent) this.#gathering.delete(plan)
      return this.#call(plan, sent.entries)
    })
    this.#gathering.set(plan, batch)
    return batch
  }
}

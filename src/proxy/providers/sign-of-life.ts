/**
 * Whether the server behind an endpoint still lives, for whoever waits long for an answer that is not streamed.
 *
 * Such an answer mostly begins when it is complete, so its silence is that of a model that thinks, or of a server that is
 * frozen, of a dead host, of a network that drops packets. Who has heard nothing for the patience asks here:
 *
 *     something came from the server meanwhile, for whomever     lives: wait on, ask again when that is as old
 *     else one cheap request over another connection, whose result is for all who wait:
 *         any head of HTTP                                       lives
 *         none in time, no connection, one that breaks           gone
 *         it could not be sent (too many ask, closing)           says nothing of the server: wait on, ask again
 *
 * Known limits: a server that takes one request at a time cannot answer while it is at work; its Provider states
 * `timeouts.firstByte`, and nobody asks. One that lives but has lost the request is waited for until the total clock.
 */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { Cancellation } from '../pipeline/ports.ts'

/**
 * How long somebody who waits for a whole answer hears nothing before it asks: with the time that the question is given, a
 * frozen server is left when the clock to a first byte would have run out.
 */
export const PATIENCE_MS: Milliseconds = 15_000

/**
 * What a server has for the head of its answer, connecting included. That is bounded by the provider's own clock as well
 * (5 s), so ten are left, for a server that is busy: more than garbage collectors take, or a step of a model that holds up
 * the loop which answers.
 */
export const SIGN_OF_LIFE_MS: Milliseconds = 15_000

/** `unknown`: the question was not sent. */
export type Sign = 'lives' | 'gone' | 'unknown'

/** Who has heard nothing. After `ask`, one of the two is called, at once or later, unless it leaves. */
export interface Waiter {
  /** @param restMs after which to ask again */
  lives(restMs: Milliseconds): void
  isGone(): void
}

export class SignOfLife {
  /** When something last came from the server, as `performance.now` has it. Assigned by its exchanges. */
  seenAtMs: Milliseconds = -Infinity
  readonly #patienceMs: Milliseconds
  readonly #question: (signal: Cancellation) => Promise<Sign>
  readonly #waiters = new Set<Waiter>()
  #asking: AbortController | undefined

  /**
   * @param patienceMs how long what came counts as a sign of life
   * @param question sends the cheap request; must not reject
   */
  constructor(patienceMs: Milliseconds, question: (signal: Cancellation) => Promise<Sign>) {
    this.#patienceMs = patienceMs
    this.#question = question
  }

  ask(waiter: Waiter): void {
    const restMs = this.#restMs()
    if (restMs > 0) return waiter.lives(restMs)
    this.#waiters.add(waiter)
    if (this.#asking === undefined) void this.#look()
  }

  /** The waiter has its answer, or no longer wants one. A question that nobody waits for is given up. */
  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    if (this.#waiters.size > 0) return
    this.#asking?.abort()
    this.#asking = undefined
  }

  async #look(): Promise<void> {
    const asking = new AbortController()
    this.#asking = asking
    const sign = await this.#question(asking.signal)
    // Given up; whoever waits now waits for another one.
    if (this.#asking !== asking) return
    this.#asking = undefined
    if (sign === 'lives') this.seenAtMs = performance.now()
    this.#tellAll(sign)
  }

  #tellAll(sign: Sign): void {
    // What came for somebody else while the question was on its way counts as well.
    const restMs = sign === 'unknown' ? this.#patienceMs : this.#restMs()
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter)
      if (restMs > 0) waiter.lives(restMs)
      else waiter.isGone()
    }
  }

  /** How long what was last seen still counts; not above 0: no longer. */
  #restMs(): Milliseconds {
    return this.seenAtMs + this.#patienceMs - performance.now()
  }
}

/**
 * Adaptive busy polling (as of kernels that poll before they halt, and of locks that spin before they sleep): where an answer
 * mostly comes within microseconds, the event loop looks for it again and again for a moment, because to sleep and to be
 * woken takes longer than the wait. On a virtual machine that is a fifth to a quarter of what a lone request takes, at
 * no more of the processor: what a core runs just after it has been woken runs slower, too.
 *
 * Where answers take longer it does next to nothing: a poll in vain is forgotten by two that were not, and whoever has lost
 * all trust is tried once in a while. At many connections the loop never sleeps, and answers count as slow.
 */
import type { Milliseconds } from '../domain/snapshot/snapshot.ts'

/** How long is polled for one answer at most. Shorter ones miss what a busy neighbour answers, longer ones gain nothing. */
const WINDOW_MS: Milliseconds = 0.2
/** An answer in time adds one to the trust, up to this; without trust nothing is polled for. */
const MOST_TRUST = 16
/** What a poll in vain costs of it: what is polled for comes in time two times of three, or it is not polled for. */
const VAIN_COST = 2
/** Without trust, one of so many questions is polled for: a microsecond for each. */
const TRIED_ONCE_IN = 256

/** The event loop, as far as polling needs it. */
export interface PolledLoop {
  now(): Milliseconds
  /** Runs it after one look at the sockets, which does not sleep until then. */
  nextTurn(run: () => void): void
}

const EVENT_LOOP: PolledLoop = {
  now: () => performance.now(),
  nextTurn: (run) => void setImmediate(run),
}

/** The answers of one peer, all of them about as quick. */
export class BusyPoll {
  readonly #loop: PolledLoop
  #trust = MOST_TRUST / 2
  /** Questions since the last poll for one. */
  #unpolled = 0
  #untilMs: Milliseconds = 0
  #isOpen = false
  /** A turn of the loop has been asked for. */
  #isTurning = false

  constructor(loop: PolledLoop = EVENT_LOOP) {
    this.#loop = loop
  }

  /** An answer is owed from now on. */
  asked(): void {
    if (this.#trust === 0 && ++this.#unpolled < TRIED_ONCE_IN) return
    this.#unpolled = 0
    this.#untilMs = this.#loop.now() + WINDOW_MS
    this.#isOpen = true
    if (this.#isTurning) return
    this.#isTurning = true
    this.#loop.nextTurn(this.#turn)
  }

  /** An answer has come. @param isOwed whether another one still is */
  came(isOwed = false): void {
    if (!this.#isOpen) return
    this.#trust = Math.min(this.#trust + 1, MOST_TRUST)
    this.#isOpen = isOwed
  }

  readonly #turn = (): void => {
    if (this.#isOpen && this.#loop.now() < this.#untilMs) return this.#loop.nextTurn(this.#turn)
    this.#isTurning = false
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#trust = Math.max(0, this.#trust - VAIN_COST)
  }
}

/**
 * The four clocks of one attempt, on one timer: connect, first byte and idle follow each other, total runs over all. A
 * fifth one, closing, takes the place of idle once the answer is complete.
 * Activity only moves a deadline; the timer, when it fires too early, arms itself for the rest. A stream of thousands of
 * chunks so costs no timer operations.
 */
import type { Milliseconds, ProviderTimeouts } from '../../domain/snapshot/snapshot.ts'

/** All clocks of one call. */
export type AttemptTimeouts = Required<ProviderTimeouts>

export type Clock = 'connect' | 'first-byte' | 'idle' | 'closing' | 'total'
type Phase = Exclude<Clock, 'total'>

/** Where the provider states none: to a stream's first content. @see DESIGN section 5 */
export const FIRST_BYTE_MS: Milliseconds = 30_000

/** Longest delay that a timer of Node takes; beyond it would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** The clocks of one call, with this one to the first byte where the provider states none. */
export function attemptTimeouts(timeouts: ProviderTimeouts, firstByteMs: Milliseconds): AttemptTimeouts {
  return { firstByteMs, ...timeouts }
}

export class AttemptClocks {
  readonly #timeouts: AttemptTimeouts
  readonly #expired: (clock: Clock) => void
  readonly #totalDeadlineMs: Milliseconds
  #phase: Phase = 'connect'
  #deadlineMs: Milliseconds
  #firesAtMs = Infinity
  #timer: NodeJS.Timeout | undefined
  #paused = false
  #closingMs: Milliseconds = 0

  /** Starts the clocks `connect` and `total`. `expired` is called once at most, unless it extends. */
  constructor(timeouts: AttemptTimeouts, expired: (clock: Clock) => void) {
    const nowMs = performance.now()
    this.#timeouts = timeouts
    this.#expired = expired
    this.#totalDeadlineMs = nowMs + timeouts.totalMs
    this.#deadlineMs = nowMs + timeouts.connectMs
    this.#arm(nowMs)
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Ends the phase before and starts the clock of this one. @returns now, as `performance.now` has it */
  enter(phase: Phase): Milliseconds {
    this.#phase = phase
    const nowMs = this.touch()
    if (Math.min(this.#deadlineMs, this.#totalDeadlineMs) < this.#firesAtMs) this.#arm(nowMs)
    return nowMs
  }

  /** The answer is complete: what may still come may take `silenceMs`, and not longer than in the middle of it. */
  close(silenceMs: Milliseconds): void {
    this.#closingMs = Math.min(silenceMs, this.#timeouts.streamIdleMs)
    this.enter('closing')
  }

  /** The phase's clock starts anew: something arrived. @returns now, as `performance.now` has it */
  touch(): Milliseconds {
    const nowMs = performance.now()
    this.#deadlineMs = nowMs + this.#lengthOf(this.#phase)
    return nowMs
  }

  /**
   * The phase's clock, which has run out, was not the end: it has `restMs` more. Infinity: until a phase is entered, only
   * the total clock runs. From `expired`, and after that as long as nothing has ended the attempt.
   */
  extend(restMs: Milliseconds): void {
    const nowMs = performance.now()
    this.#deadlineMs = nowMs + restMs
    this.#firesAtMs = Infinity
    this.#arm(nowMs)
  }

  /** Nobody waits for the provider (its reader is slow): only the total clock counts. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.enter(this.#phase)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#firesAtMs = -Infinity
  }

  #lengthOf(phase: Phase): Milliseconds {
    const { connectMs, firstByteMs, streamIdleMs } = this.#timeouts
    if (phase === 'connect') return connectMs
    if (phase === 'closing') return this.#closingMs
    return phase === 'first-byte' ? firstByteMs : streamIdleMs
  }

  #arm(nowMs: Milliseconds): void {
    // Stopped for good: an event that comes late must not bring the timer back.
    if (this.#firesAtMs === -Infinity) return
    clearTimeout(this.#timer)
    const next = this.#paused ? this.#totalDeadlineMs : Math.min(this.#deadlineMs, this.#totalDeadlineMs)
    const delayMs = Math.min(Math.max(1, Math.ceil(next - nowMs)), MAX_DELAY_MS)
    this.#firesAtMs = nowMs + delayMs
    this.#timer = setTimeout(() => this.#fire(), delayMs)
  }

  #fire(): void {
    const nowMs = performance.now()
    const total = nowMs >= this.#totalDeadlineMs
    if (!total && (this.#paused || nowMs < this.#deadlineMs)) return this.#arm(nowMs)
    this.stop()
    this.#expired(total ? 'total' : this.#phase)
  }
}

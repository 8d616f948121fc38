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

/** To a stream's first content, where the provider states none. @see DESIGN section 5 */
const FIRST_BYTE_MS: Milliseconds = 30_000

/** Longest delay that a timer of Node takes; beyond it would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * The clocks of one call. An answer that is not streamed mostly begins when it is complete, after minutes where a model
 * thinks long: unless the provider states a time to the first byte, only the total one bounds it.
 */
export function attemptTimeouts(timeouts: ProviderTimeouts, stream: boolean): AttemptTimeouts {
  const { firstByteMs = stream ? FIRST_BYTE_MS : timeouts.totalMs } = timeouts
  return { ...timeouts, firstByteMs }
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

  /** Starts the clocks `connect` and `total`. `expired` is called once at most. */
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

  /** Ends the phase before and starts the clock of this one. */
  enter(phase: Phase): void {
    this.#phase = phase
    this.touch()
    if (Math.min(this.#deadlineMs, this.#totalDeadlineMs) < this.#firesAtMs) this.#arm(performance.now())
  }

  /** The answer is complete: what may still come may take `silenceMs`, and not longer than in the middle of it. */
  close(silenceMs: Milliseconds): void {
    this.#closingMs = Math.min(silenceMs, this.#timeouts.streamIdleMs)
    this.enter('closing')
  }

  /** The phase's clock starts anew: something arrived. */
  touch(): void {
    this.#deadlineMs = performance.now() + this.#lengthOf(this.#phase)
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

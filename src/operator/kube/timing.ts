import { performance } from 'node:perf_hooks'

export type Milliseconds = number

/** Stops what was scheduled; harmless when it has run already. */
export type Cancel = () => void

/** Time and chance as arguments, so that tests need neither waiting nor luck. */
export interface Timing {
  /** Wall clock, milliseconds since the epoch: for what people and other machines read, never for measuring. */
  now(): Milliseconds
  /** A clock that is never set back, from any origin: for measuring. It goes on while the process is stopped. */
  elapsed(): Milliseconds
  /** Runs `callback` once after `delayMs` (any size; 0 or less: as soon as possible). */
  after(delayMs: Milliseconds, callback: () => void): Cancel
  /** 0..1, 1 excluded. */
  random(): number
}

/** Node fires a timer beyond this at once instead of late. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The machine's clocks. */
export const SYSTEM_TIMING: Timing = Object.freeze({
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: scheduleAfter,
  random: () => Math.random(),
})

/** Resolves after `delayMs`, or at once when `signal` is or becomes aborted; never rejects. */
export function pause(timing: Timing, delayMs: Milliseconds, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = timing.after(delayMs, finish)
  signal?.addEventListener('abort', finish, { once: true })
  return promise

  function finish(): void {
    cancel()
    signal?.removeEventListener('abort', finish)
    resolve()
  }
}

function scheduleAfter(delayMs: Milliseconds, callback: () => void): Cancel {
  let timer: NodeJS.Timeout
  const arm = (leftMs: Milliseconds): void => {
    const stepMs = Math.min(leftMs, MAX_TIMER_MS)
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), Math.max(0, stepMs))
  }
  arm(delayMs)
  return () => clearTimeout(timer)
}

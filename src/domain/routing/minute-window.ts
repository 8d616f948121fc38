/**
 * Counts what happened in the last minute in constant space: the current clock minute whole, the previous one in
 * proportion to what of it still lies within sixty seconds. Exact for an even rate; for bursts it errs by at most what
 * the previous minute held, and never lets through more than the limit in one clock minute.
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'

export interface MinuteWindow {
  /** Number of the clock minute. */
  readonly minute: number
  readonly current: number
  readonly previous: number
}

export const EMPTY_WINDOW: MinuteWindow = { minute: 0, current: 0, previous: 0 }

const MINUTE_MS = 60_000

/** The window with `amount` more. */
export function addToWindow(window: MinuteWindow, amount: number, nowMs: Milliseconds): MinuteWindow {
  const rolled = roll(window, nowMs)
  return { ...rolled, current: rolled.current + amount }
}

/** The window without `amount` that was added at `addedMs`; as it is where the clock minute has changed since. */
export function takeFromWindow(window: MinuteWindow, amount: number, addedMs: Milliseconds): MinuteWindow {
  if (window.minute !== Math.floor(addedMs / MINUTE_MS)) return window
  return { ...window, current: Math.max(0, window.current - amount) }
}

/** What counts against a limit per minute now. */
export function usedInWindow(window: MinuteWindow, nowMs: Milliseconds): number {
  const rolled = roll(window, nowMs)
  const elapsed = (nowMs - rolled.minute * MINUTE_MS) / MINUTE_MS
  return rolled.current + rolled.previous * (1 - elapsed)
}

/** Milliseconds until no more than `most` counts, if nothing is added; 0: so it is now. */
export function untilUsedAtMost(window: MinuteWindow, most: number, nowMs: Milliseconds): Milliseconds {
  const { minute, current, previous } = roll(window, nowMs)
  const elapsed = nowMs - minute * MINUTE_MS
  if (current <= most) return Math.max(0, fadesAfter(previous, most - current) - elapsed)
  return MINUTE_MS - elapsed + fadesAfter(current, most)
}

/** How far into the next minute no more than `most` of `amount` counts. */
function fadesAfter(amount: number, most: number): Milliseconds {
  return amount <= most ? 0 : (1 - Math.max(0, most) / amount) * MINUTE_MS
}

function roll(window: MinuteWindow, nowMs: Milliseconds): MinuteWindow {
  const minute = Math.floor(nowMs / MINUTE_MS)
  if (minute === window.minute) return window
  return { minute, current: 0, previous: minute === window.minute + 1 ? window.current : 0 }
}

/** Tests and time: far from the end of a window by the machine's clock, or a clock that stands still until it is moved. */
import { setTimeout as sleep } from 'node:timers/promises'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/**
 * Waits where the next whole `windowMs` since the epoch (an hour, a day, in UTC) begins within `needMs`: for a test by the
 * machine's clock that is to stay within one window.
 */
export async function farFromEdge(windowMs: number, needMs: number): Promise<void> {
  const leftMs = windowMs - (Date.now() % windowMs)
  if (leftMs < needMs) await sleep(leftMs + 1_000)
}

/** Stands still until a test moves it. */
export interface TestClock {
  /** Milliseconds since the epoch; fits every port that asks for `now`. */
  readonly now: () => number
  /** Moves the clock forward (or back, with a negative number). */
  advance(ms: number): void
  set(ms: number): void
}

/** Noon of 15 January 2026 UTC: far from any window's edge (minute, hour, day, month). */
export const TEST_EPOCH_MS = Date.UTC(2026, 0, 15, 12, 0, 0)

export function createTestClock(startMs: number = TEST_EPOCH_MS): TestClock {
  let currentMs = startMs
  return {
    now: () => currentMs,
    advance: (ms) => {
      currentMs += ms
    },
    set: (ms) => {
      currentMs = ms
    },
  }
}

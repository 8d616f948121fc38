/**
 * Windows of budgets and token quotas.
 *
 * Calendar windows begin in UTC at the minute, the hour, midnight, Monday and the first of the month. Rolling windows
 * are buckets of a sixtieth of their length: an amount counts from its bucket on until the whole bucket is older than
 * the window, so it never drops out early and at most one sixtieth late. A rolling month has 30 days. `Total` never ends.
 */
import type { Milliseconds, TokenQuota } from '../snapshot/snapshot.ts'

export type QuotaWindow = TokenQuota['window']

/** Buckets that make up a rolling window; the running one comes on top. */
export const ROLLING_BUCKETS = 60

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const ROLLING_MONTH_MS = 30 * DAY_MS
/** The epoch was a Thursday: three days after a Monday. */
const EPOCH_AFTER_MONDAY_MS = 3 * DAY_MS

export interface WindowSpan {
  /** First millisecond, since the epoch. */
  readonly startMs: Milliseconds
  /** First millisecond after it; undefined: never ends. */
  readonly endMs: Milliseconds | undefined
}

/** The calendar window that holds `nowMs`. */
export function calendarWindow(window: QuotaWindow, nowMs: Milliseconds): WindowSpan {
  switch (window) {
    case 'Minute':
      return evenWindow(nowMs, MINUTE_MS, 0)
    case 'Hour':
      return evenWindow(nowMs, HOUR_MS, 0)
    case 'Day':
      return evenWindow(nowMs, DAY_MS, 0)
    case 'Week':
      return evenWindow(nowMs, WEEK_MS, EPOCH_AFTER_MONDAY_MS)
    case 'Month':
      return monthWindow(nowMs)
    case 'Total':
      return { startMs: 0, endMs: undefined }
    default:
      return window satisfies never
  }
}

/** Length of one bucket of a rolling window; undefined for `Total`, which does not roll. */
export function rollingBucketMs(window: QuotaWindow): Milliseconds | undefined {
  const length = ROLLING_LENGTH_MS[window]
  return length === undefined ? undefined : length / ROLLING_BUCKETS
}

const ROLLING_LENGTH_MS: Readonly<Record<QuotaWindow, Milliseconds | undefined>> = {
  Minute: MINUTE_MS,
  Hour: HOUR_MS,
  Day: DAY_MS,
  Week: WEEK_MS,
  Month: ROLLING_MONTH_MS,
  Total: undefined,
}

function evenWindow(nowMs: Milliseconds, length: Milliseconds, offset: Milliseconds): WindowSpan {
  const startMs = nowMs - ((nowMs + offset) % length)
  return { startMs, endMs: startMs + length }
}

function monthWindow(nowMs: Milliseconds): WindowSpan {
  const now = new Date(nowMs)
  const year = now.getUTCFullYear()
  const month = now.getUTCMonth()
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) }
}

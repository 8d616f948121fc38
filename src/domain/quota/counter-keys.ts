/**
 * Names of the counters in the shared store. All of an organization begin with the same hash tag, so that a cluster
 * keeps them on one node; names are encoded, so that none can hold a brace or a colon. The scripts of
 * `proxy/stores/redis` build the same names in Lua, from the store's clock.
 */
import type { Milliseconds } from '../snapshot/snapshot.ts'
import { calendarWindow } from './windows.ts'
import type { QuotaWindow } from './windows.ts'

/** What all keys of an organization begin with, without a colon at the end. */
export function counterBase(organization: string): string {
  return `tg:q:{${encodeURIComponent(organization)}}`
}

/** A scope's name (`PlannedScope.name`) as part of a key. */
export function scopePart(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}

/** The counter of a scope's window that is running at `nowMs`. */
export function counterKey(
  organization: string,
  scope: string,
  { window, reset }: { readonly window: QuotaWindow; readonly reset: 'Calendar' | 'Rolling' },
  nowMs: Milliseconds,
): string {
  const start = reset === 'Rolling' ? 'rolling' : String(calendarWindow(window, nowMs).startMs / 1_000)
  return `${counterBase(organization)}:${scopePart(scope)}:${window}:${start}`
}

/**
 * Says that the counters are whole: written by who keeps a copy of them, with the milliseconds since the epoch as of
 * which it has one. Where it is missing, the store has lost what was counted.
 */
export function wholeKey(organization: string): string {
  return `${counterBase(organization)}:whole`
}

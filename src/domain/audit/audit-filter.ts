/** Which audit records are asked for. */
import type { Milliseconds } from '../snapshot/snapshot.ts'
import type { AuditEntry } from './audit-entry.ts'

/** Absent fields and empty lists let everything pass. */
export interface AuditFilter {
  readonly organization?: string | undefined
  readonly project?: string | undefined
  /** `owner/name`. */
  readonly virtualKey?: string | undefined
  /** All must be there with these values. */
  readonly tags: readonly (readonly [name: string, value: string])[]
  /** From this moment on, and before that one. */
  readonly sinceMs?: Milliseconds | undefined
  readonly untilMs?: Milliseconds | undefined
}

export function matchesFilter(entry: AuditEntry, filter: AuditFilter): boolean {
  const { organization, project, virtualKey, tags, sinceMs, untilMs } = filter
  if (organization !== undefined && entry.organization !== organization) return false
  if (project !== undefined && entry.project !== project) return false
  if (virtualKey !== undefined && entry.virtualKey !== virtualKey) return false
  if (sinceMs !== undefined && entry.atMs < sinceMs) return false
  if (untilMs !== undefined && entry.atMs >= untilMs) return false
  return tags.every(([name, value]) => entry.tags[name] === value)
}

const UNIT_MS: Readonly<Record<string, Milliseconds>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AGO = /^(\d{1,6})([smhd])$/
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * A moment as people type it: `2026-01-31`, `2026-01-31T08:00`, with an offset or in UTC without one, or how long ago:
 * `90s`, `15m`, `24h`, `7d`. Undefined where it is none.
 */
export function parseMoment(text: string, nowMs: Milliseconds): Milliseconds | undefined {
  const ago = AGO.exec(text)
  if (ago !== null) return nowMs - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0)
  const moment = MOMENT.exec(text)
  if (moment === null) return undefined
  const hasOffset = moment[1] !== undefined || !text.includes('T')
  const ms = Date.parse(hasOffset ? text : `${text}Z`)
  return Number.isNaN(ms) || !isDay(text.slice(0, 'YYYY-MM-DD'.length)) ? undefined : ms
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  return new Date(Date.parse(text)).toISOString().startsWith(text)
}

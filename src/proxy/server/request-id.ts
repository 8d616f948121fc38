/** UUIDv7 (RFC 9562): sortable by time, random beyond the millisecond. */
import { randomBytes } from 'node:crypto'

/** Hexadecimal digits of one id's random part: ten bytes. */
const DIGITS = 20

/** Random digits are drawn for many ids at once: a call for each would cost more than everything else here. */
const IDS_AT_ONCE = 512
let pool = ''
let used = 0

/** The part of the millisecond that the last id was made in, which at a high rate is the next one's too. */
let lastMs = -1
let lastPrefix = ''

export function newRequestId(nowMs: number): string {
  if (used === pool.length) {
    pool = randomBytes((IDS_AT_ONCE * DIGITS) / 2).toString('hex')
    used = 0
  }
  const at = used
  used += DIGITS
  const variant = '89ab'[Number.parseInt(pool.charAt(at + 3), 16) & 3]
  return `${prefixOf(Math.floor(nowMs))}${pool.slice(at, at + 3)}-${variant}${pool.slice(at + 4, at + 7)}-${pool.slice(at + 7, at + 19)}`
}

function prefixOf(ms: number): string {
  if (ms === lastMs) return lastPrefix
  const time = ms.toString(16).padStart(12, '0')
  lastMs = ms
  lastPrefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
  return lastPrefix
}

/** UUIDv7 (RFC 9562): sortable by time, random beyond the millisecond. */
import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn for many ids at once: a call for each would cost more than everything else here. */
const pool = Buffer.alloc(10 * 512)
let used = pool.length

export function newRequestId(nowMs: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  const random = pool.toString('hex', used, used + 10)
  used += 10
  const variant = '89ab'[Number.parseInt(random[3] ?? '0', 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

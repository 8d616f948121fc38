/** Reads an organization's audit stream from the oldest record on, page by page. */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { RedisUnavailableError } from '../redis/redis-errors.ts'
import { auditStreamKey, RECORD_FIELD } from './audit-stream-key.ts'

/** About half a megabyte: Redis serves requests in between. */
const PAGE = '500'
/** A tool may wait longer than a request. */
const CALL = { timeoutMs: 5_000 }

/**
 * The records as JSON text.
 * @param sinceMs records that Redis took before are skipped; a record is taken after its request came
 * @throws {RedisUnavailableError}
 */
export async function* readAuditStream(
  redis: RedisConnection,
  organization: string,
  sinceMs: Milliseconds,
): AsyncGenerator<string> {
  const key = auditStreamKey(organization)
  let start = String(Math.max(0, Math.floor(sinceMs)))
  for (;;) {
    const page: unknown = await redis.send(key, ['XRANGE', key, start, '+', 'COUNT', PAGE], CALL)
    if (!Array.isArray(page)) throw new RedisUnavailableError('Redis gave no stream entries', true)
    for (const entry of page) {
      const [id, fields]: unknown[] = Array.isArray(entry) ? entry : []
      start = `(${String(id)}`
      const record = recordOf(fields)
      if (record !== undefined) yield record
    }
    if (page.length < Number(PAGE)) return
  }
}

/** Names and values in turn. */
function recordOf(fields: unknown): string | undefined {
  if (!Array.isArray(fields)) return undefined
  const index = fields.indexOf(RECORD_FIELD)
  return index === -1 ? undefined : String(fields[index + 1])
}

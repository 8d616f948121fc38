/**
 * What has been purged, by counters in one small hash an organization. An entry carries the counts of when it was asked
 * for and is valid while they are the current ones: so a purge is one increment however many entries there are, and it
 * also catches the answer that is still on its way. A process reads the hash at most every `REFRESH_MS`.
 *
 * Known limit: the hash has no time to live and must not be evicted (Redis with `noeviction` or a `volatile-` policy,
 * which the quotas in the same Redis need as well). While Redis cannot be asked, the last counts known are used.
 */
import { LRUCache } from 'lru-cache'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { PurgeCounts } from '../../../domain/caching/stored-answer.ts'
import type { PurgeMarks } from '../../pipeline/cache-port.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { PURGED_ORGANIZATION, purgedKey, purgedProject, purgedVirtualKey } from './keys.ts'

/** How long a purge may go unnoticed in a process. */
export const REFRESH_MS: Milliseconds = 2_000
/** Organizations whose counts are kept; a gateway serves few, a sidecar one. */
const MAX_ORGANIZATIONS = 1_000

interface Board {
  marks: PurgeMarks
  readAtMs: Milliseconds
  reading: Promise<void> | undefined
}

export class PurgeBoard {
  readonly #redis: RedisConnection | undefined
  readonly #now: Now
  readonly #boards = new LRUCache<string, Board>({ max: MAX_ORGANIZATIONS })

  /** Without Redis there is nothing to purge but this process's own minute. */
  constructor(redis: RedisConnection | undefined, now: Now) {
    this.#redis = redis
    this.#now = now
  }

  /** The current counts of an organization, where they need not be read. */
  known(organization: string): PurgeMarks | undefined {
    const board = this.#boardOf(organization)
    return this.#redis === undefined || this.#now() - board.readAtMs < REFRESH_MS ? board.marks : undefined
  }

  /** The current counts of an organization. Never throws. */
  async marks(organization: string): Promise<PurgeMarks> {
    const board = this.#boardOf(organization)
    if (this.#redis !== undefined && this.known(organization) === undefined) {
      board.reading ??= this.#read(organization, board, this.#redis)
      await board.reading
    }
    return board.marks
  }

  async #read(organization: string, board: Board, redis: RedisConnection): Promise<void> {
    const key = purgedKey(organization)
    try {
      board.marks = marksOf(countsOf(await redis.send(key, ['HGETALL', key])))
    } catch {
      // The old counts stay. The next request after the pause asks again.
    } finally {
      board.readAtMs = this.#now()
      board.reading = undefined
    }
  }

  #boardOf(organization: string): Board {
    let board = this.#boards.get(organization)
    if (board === undefined) {
      board = { marks: NONE, readAtMs: -Infinity, reading: undefined }
      this.#boards.set(organization, board)
    }
    return board
  }
}

const NEVER: PurgeCounts = [0, 0, 0]
/** Of an organization in which nothing was ever purged, as it mostly is. */
const NONE: PurgeMarks = { countsFor: () => NEVER }

function marksOf(counts: ReadonlyMap<string, number>): PurgeMarks {
  if (counts.size === 0) return NONE
  const of = (field: string) => counts.get(field) ?? 0
  return {
    countsFor: (project, virtualKey) => [
      of(PURGED_ORGANIZATION),
      of(purgedProject(project)),
      of(purgedVirtualKey(virtualKey)),
    ],
  }
}

/** Names and values in turn (RESP 2), or a map (RESP 3). */
function countsOf(reply: unknown): Map<string, number> {
  const flat: readonly unknown[] = Array.isArray(reply) ? reply : Object.entries(asRecord(reply)).flat()
  const counts = new Map<string, number>()
  for (let index = 0; index + 1 < flat.length; index += 2) counts.set(String(flat[index]), Number(flat[index + 1]))
  return counts
}

function asRecord(value: unknown): object {
  if (value instanceof Map) return Object.fromEntries(value)
  return typeof value === 'object' && value !== null ? value : {}
}

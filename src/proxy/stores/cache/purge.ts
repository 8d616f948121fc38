/**
 * Purging: a counter is raised, after which no process serves what was kept before (within the pause at which processes
 * read the counters, see purge-board.ts). Entries of an organization or project are then deleted as well; those of one
 * virtual key are shared with the other keys of its project under names that do not tell, so they end by their time.
 */
import type { RedisConnection } from '../redis/redis-client.ts'
import { RedisUnavailableError } from '../redis/redis-errors.ts'
import {
  changedGroupsPattern,
  entriesPattern,
  PURGED_ORGANIZATION,
  purgedKey,
  purgedProject,
  purgedVirtualKey,
} from './keys.ts'

export interface PurgeTarget {
  readonly organization: string
  /** Undefined: all of the organization. */
  readonly project: string | undefined
  /** `owner/name`; only what was made for this key. */
  readonly virtualKey: string | undefined
}

/** A tool may wait longer than a request. */
const CALL = { timeoutMs: 5_000 }
/** Keys that one step of the scan looks at: some milliseconds of the server's time. */
const SCAN_COUNT = '1000'

export interface Purged {
  /** How many answers were deleted at once. */
  readonly deleted: number
  /**
   * Whether there were answers of the organization or project; for a virtual key, of its organization. Where there were
   * none, nobody can tell one that has never asked anything from one whose answers have ended by their time.
   */
  readonly found: boolean
}

/** Purges also what is not there: an answer may be on its way. @throws {RedisUnavailableError} where the purge is not certain. */
export async function purgeCache(redis: RedisConnection, target: PurgeTarget): Promise<Purged> {
  const { organization, project, virtualKey } = target
  const key = purgedKey(organization)
  await redis.send(key, ['HINCRBY', key, fieldOf(target), '1'], CALL)
  const answers = entriesPattern('a', organization, project)
  if (virtualKey !== undefined) return { deleted: 0, found: await holdsMatching(redis, key, answers) }
  const deleted = await deleteMatching(redis, key, answers)
  await deleteMatching(redis, key, entriesPattern('s', organization, project))
  await deleteMatching(redis, key, changedGroupsPattern(organization, project))
  return { deleted, found: deleted > 0 }
}

function fieldOf({ project, virtualKey }: PurgeTarget): string {
  if (virtualKey !== undefined) return purgedVirtualKey(virtualKey)
  return project === undefined ? PURGED_ORGANIZATION : purgedProject(project)
}

async function holdsMatching(redis: RedisConnection, slotKey: string, pattern: string): Promise<boolean> {
  for await (const keys of scan(redis, slotKey, pattern)) if (keys.length > 0) return true
  return false
}

async function deleteMatching(redis: RedisConnection, slotKey: string, pattern: string): Promise<number> {
  let deleted = 0
  for await (const keys of scan(redis, slotKey, pattern)) {
    if (keys.length > 0) deleted += Number(await redis.send(slotKey, ['UNLINK', ...keys], CALL))
  }
  return deleted
}

/** All keys of an organization are on the node of `slotKey`. */
async function* scan(redis: RedisConnection, slotKey: string, pattern: string): AsyncGenerator<string[]> {
  let cursor = '0'
  do {
    const reply = await redis.send(slotKey, ['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT], CALL)
    const [next, keys] = scanReply(reply)
    yield keys
    cursor = next
  } while (cursor !== '0')
}

function scanReply(reply: unknown): [cursor: string, keys: string[]] {
  const [cursor, keys]: unknown[] = Array.isArray(reply) ? reply : []
  if (cursor === undefined || !Array.isArray(keys)) throw new RedisUnavailableError('Redis gave no scan reply', true)
  return [String(cursor), keys.map(String)]
}

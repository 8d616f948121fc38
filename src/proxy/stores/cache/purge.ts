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

/** @returns how many answers were deleted. @throws {RedisUnavailableError} where the purge is not certain. */
export async function purgeCache(redis: RedisConnection, target: PurgeTarget): Promise<number> {
  const key = purgedKey(target.organization)
  await redis.send(key, ['HINCRBY', key, fieldOf(target), '1'], CALL)
  if (target.virtualKey !== undefined) return 0
  const { organization, project } = target
  const deleted = await deleteMatching(redis, key, entriesPattern('a', organization, project))
  await deleteMatching(redis, key, entriesPattern('s', organization, project))
  await deleteMatching(redis, key, changedGroupsPattern(organization, project))
  return deleted
}

function fieldOf({ project, virtualKey }: PurgeTarget): string {
  if (virtualKey !== undefined) return purgedVirtualKey(virtualKey)
  return project === undefined ? PURGED_ORGANIZATION : purgedProject(project)
}

/** All keys of an organization are on the node of `slotKey`. */
async function deleteMatching(redis: RedisConnection, slotKey: string, pattern: string): Promise<number> {
  let cursor = '0'
  let deleted = 0
  do {
    const reply = await redis.send(slotKey, ['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT], CALL)
    const [next, keys] = scanReply(reply)
    if (keys.length > 0) deleted += Number(await redis.send(slotKey, ['UNLINK', ...keys], CALL))
    cursor = next
  } while (cursor !== '0')
  return deleted
}

function scanReply(reply: unknown): [cursor: string, keys: string[]] {
  const [cursor, keys]: unknown[] = Array.isArray(reply) ? reply : []
  if (cursor === undefined || !Array.isArray(keys)) throw new RedisUnavailableError('Redis gave no scan reply', true)
  return [String(cursor), keys.map(String)]
}

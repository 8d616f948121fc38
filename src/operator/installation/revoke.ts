/** Takes from Redis what the operator has put there, so that no key of the installation is accepted any more. */
import { INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import { ownerOfShard } from '../../domain/snapshot/shards.ts'
import { hashReply, isRefusedCommand } from '../publish/redis-port.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import { removeTenantUser } from '../publish/redis-users.ts'

const CALL = { timeoutMs: 5_000 }

/**
 * Removes the login of each namespace, which ends the connections of its sidecars, and the published configuration. The
 * highest epoch stays: a former leader that lives on must not write. Counters of quotas stay as well.
 * @returns how many logins were removed. @throws where Redis does not answer.
 */
export async function revokePublished(redis: PublishRedis): Promise<number> {
  // Not HKEYS, which the operator's login may lack.
  const shards = [...hashReply((await redis.send(INDEX_KEY, ['HGETALL', INDEX_KEY], CALL)) ?? []).keys()]
  const owners = shards.map(ownerOfShard).filter((owner) => owner !== undefined)
  let removed = 0
  for (const owner of owners) if (await hasRemoved(redis, owner)) removed++
  for (const shard of shards) await redis.send(shard, ['DEL', shard], CALL)
  await redis.send(INDEX_KEY, ['DEL', INDEX_KEY], CALL)
  return removed
}

/** False where Redis lets nobody keep users: then there are none. */
async function hasRemoved(redis: PublishRedis, owner: string): Promise<boolean> {
  try {
    await removeTenantUser(redis, owner)
    return true
  } catch (error) {
    if (!isRefusedCommand(error)) throw error
    return false
  }
}

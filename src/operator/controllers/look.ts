/** A cheap look whether Redis still holds what was published: bounded, however many shards there are. */
import { EPOCH_KEY, INDEX_KEY } from '../../domain/snapshot/shard-store.ts'
import { SHARD_HEAD_LENGTH } from '../../domain/snapshot/shards.ts'
import type { ShardContent } from '../../domain/snapshot/shards.ts'
import type { PublishRedis } from '../publish/redis-port.ts'

const TIMEOUT_MS = 2_000
/** Shards of one look; the next look goes on where this one ended. */
const SHARDS_A_LOOK = 32

/**
 * A look that remembers where it was. It compares the number of shards and the heads of some of them; what a head does
 * not show is found by the full comparison (and refused by readers, whom the signature tells).
 */
export function createLook(redis: PublishRedis, epoch: number): (shards: readonly ShardContent[]) => Promise<boolean> {
  let at = 0
  const ask = (key: string, ...args: string[]) => redis.send(key, args, { timeoutMs: TIMEOUT_MS })
  return async (shards) => {
    const [writer, count] = await Promise.all([ask(EPOCH_KEY, 'GET', EPOCH_KEY), ask(INDEX_KEY, 'HLEN', INDEX_KEY)])
    if (Number(writer ?? 0) !== epoch || Number(count) !== shards.length) return false
    const some = Array.from(
      { length: Math.min(SHARDS_A_LOOK, shards.length) },
      (_unused, offset) => shards[(at + offset) % shards.length],
    ).filter((shard) => shard !== undefined)
    at = shards.length === 0 ? 0 : (at + some.length) % shards.length
    const last = String(SHARD_HEAD_LENGTH - 1)
    const heads = await Promise.all(some.map(({ name }) => ask(name, 'GETRANGE', name, '0', last)))
    return some.every(({ revision }, index) => String(heads[index]).includes(`"revision":"${revision}"`))
  }
}

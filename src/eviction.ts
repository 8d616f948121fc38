/**
 * Tells where Redis throws keys away once its memory is used up: an evicted counter is a budget spent twice, and nothing
 * else would show it.
 */
import type { Logger } from './proxy/pipeline/services.ts'
import type { RedisConnection } from './proxy/stores/redis/redis-client.ts'

/** Redis may be busy with its own start; nobody waits for this. */
const ASK_TIMEOUT_MS = 1_000

/** To be called whenever the connection is ready. Says the same once. Never rejects. */
export function evictionWatch(redis: Pick<RedisConnection, 'sendToAll'>, log: Logger): () => Promise<void> {
  let told: string | undefined
  return async () => {
    const policy = await evictionPolicyOf(redis)
    if (policy === told) return
    told = policy
    if (policy === undefined) return
    log.warn(
      { policy },
      'Redis evicts keys when its memory is used up, counters of budgets among them: set maxmemory-policy noeviction',
    )
  }
}

/** Of the first server that would evict; undefined: none does, or they do not say. */
async function evictionPolicyOf(redis: Pick<RedisConnection, 'sendToAll'>): Promise<string | undefined> {
  try {
    const replies = await redis.sendToAll(['INFO', 'memory'], { timeoutMs: ASK_TIMEOUT_MS })
    return replies.map(policyIn).find((policy) => policy !== undefined)
  } catch {
    // A login may do without INFO, and whether Redis answers shows elsewhere.
    return undefined
  }
}

/** Without a bound of its memory nothing is evicted, whatever the policy. */
function policyIn(info: unknown): string | undefined {
  const text = String(info)
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(text) ?? []
  return policy === 'noeviction' || /^maxmemory:0\b/m.test(text) ? undefined : policy
}

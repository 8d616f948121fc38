/** The stores of a process: in Redis where an address is given, in memory otherwise. Wiring only. */
import { UsageError } from './command-line.ts'
import type { AnswerCache } from './proxy/pipeline/cache-port.ts'
import type { QuotaStore } from './proxy/pipeline/quota-port.ts'
import type { Logger } from './proxy/pipeline/services.ts'
import { TwoLevelCache } from './proxy/stores/cache/two-level-cache.ts'
import { MemoryQuotaStore } from './proxy/stores/memory/memory-quota-store.ts'

export interface Stores {
  readonly quotas: QuotaStore
  readonly cache: AnswerCache
  /** Writes out what is queued, within a bound, and closes connections. */
  close(): Promise<void>
}

/** @throws {UsageError} where the address is malformed. An unreachable Redis is no error here: it is tried until it answers. */
export async function openStores(redisUrl: string | undefined, log: Logger, now: () => number): Promise<Stores> {
  if (redisUrl === undefined) {
    const quotas = new MemoryQuotaStore(now)
    return { quotas, cache: new TwoLevelCache({ redis: undefined, now }), close: () => quotas.close() }
  }
  const { connectRedis, RedisQuotaStore, createResilientQuotaStore } = await loadRedis()
  const redis = connect(() =>
    connectRedis(redisUrl, {
      onChange: (ready, cause) =>
        ready ? log.info({}, 'redis connected') : log.warn({ reason: cause?.message }, 'redis lost'),
    }),
  )
  const quotas = createResilientQuotaStore(new RedisQuotaStore(redis), {
    now,
    onChange: (organization, up, cause) =>
      up
        ? log.info({ organization }, 'quota store is back')
        : log.warn({ organization, reason: cause instanceof Error ? cause.message : undefined }, 'quota store lost'),
    onDropped: ({ id }) => log.warn({ requestId: id }, 'settlement dropped, charged at its bound'),
  })
  return {
    quotas,
    cache: new TwoLevelCache({ redis, now }),
    async close() {
      await quotas.close()
      await redis.close()
    },
  }
}

/** Loaded only where it is used: a gateway without Redis does not hold its client. */
async function loadRedis() {
  const [{ connectRedis }, { RedisQuotaStore }, { createResilientQuotaStore }] = await Promise.all([
    import('./proxy/stores/redis/redis-client.ts'),
    import('./proxy/stores/redis/redis-quota-store.ts'),
    import('./proxy/stores/quota-grace.ts'),
  ])
  return { connectRedis, RedisQuotaStore, createResilientQuotaStore }
}

function connect<Connection>(open: () => Connection): Connection {
  try {
    return open()
  } catch (error) {
    throw new UsageError(`--redis: ${error instanceof Error ? error.message : 'not an address'}`)
  }
}

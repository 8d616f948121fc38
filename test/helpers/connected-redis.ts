import type { Test } from 'tap'
import { connectRedis, type RedisConnection } from '../../src/proxy/stores/redis/redis-client.ts'

/** So long that a busy machine is no outage. */
const PATIENCE_MS = 20_000

/** A connection to a server or cluster that the test has started; both end with the test. */
export async function connectedRedis(
  t: Test,
  server: { readonly url: string; stop(): Promise<void> },
): Promise<RedisConnection> {
  const redis = connectRedis(server.url, { callTimeoutMs: PATIENCE_MS })
  t.teardown(async () => {
    await redis.close()
    await server.stop()
  })
  await redis.waitUntilReady(PATIENCE_MS)
  return redis
}

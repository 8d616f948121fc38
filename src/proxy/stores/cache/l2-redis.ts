/**
 * The second level: sealed answers in Redis, shared by all processes. Redis gone, slow or frozen is a miss; writes go
 * in the background, are bounded in number and bytes, and are dropped beyond that.
 */
import { decodeStoredAnswer, encodeStoredAnswer, type StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Secret } from '../../../domain/secret.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { BreakingReads } from './read-breaker.ts'
import { open, seal } from './sealing.ts'

/** Largest sealed entry: Redis is shared with the quotas, whose calls must not wait behind megabytes. */
const MAX_SEALED_BYTES = 512 * 1024
/** Largest answer that is sealed at all. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const MAX_PENDING_WRITES = 64
const MAX_PENDING_BYTES = 8 * 1024 * 1024

export class RedisAnswerStore {
  /** Of answers, with how many were skipped. */
  readonly reads: BreakingReads
  readonly #redis: RedisConnection
  #pendingWrites = 0
  #pendingBytes = 0
  #dropped = 0

  constructor(redis: RedisConnection, now: Now) {
    this.#redis = redis
    this.reads = new BreakingReads(redis, now)
  }

  /** Answers that were not written because too many were on their way, or because Redis did not take them. */
  get dropped(): number {
    return this.#dropped
  }

  async read(key: string, secret: Secret): Promise<StoredAnswer | undefined> {
    try {
      const sealed = await this.reads.send(key, ['GET', key], { returnBuffers: true })
      const bytes = Buffer.isBuffer(sealed) ? await open(sealed, key, secret) : undefined
      return bytes && decodeStoredAnswer(bytes)
    } catch {
      // Whatever it was: without the cache the request is still answered.
      return undefined
    }
  }

  /** Returns at once; the promise is for tests. Never rejects. */
  async write(key: string, answer: StoredAnswer, ttlMs: Milliseconds, secret: Secret): Promise<void> {
    const bytes = answer.document.length
    if (!this.#mayWrite(bytes)) {
      this.#dropped++
      return
    }
    this.#pendingWrites++
    this.#pendingBytes += bytes
    try {
      const sealed = await seal(encodeStoredAnswer(answer), key, secret)
      if (sealed.length > MAX_SEALED_BYTES) return
      await this.#redis.send(key, ['SET', key, sealed, 'PX', String(Math.ceil(ttlMs))])
    } catch {
      this.#dropped++
    } finally {
      this.#pendingWrites--
      this.#pendingBytes -= bytes
    }
  }

  #mayWrite(bytes: number): boolean {
    if (!this.#redis.ready || bytes > MAX_ANSWER_BYTES) return false
    return this.#pendingWrites < MAX_PENDING_WRITES && this.#pendingBytes + bytes <= MAX_PENDING_BYTES
  }
}

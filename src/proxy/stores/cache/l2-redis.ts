/**
 * The second level: sealed answers in Redis, shared by all processes. Redis gone, slow or frozen is a miss; writes go
 * in the background, are bounded in number and bytes, and are dropped beyond that.
 */
import { decodeStoredAnswer, storedHead, type StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Secret } from '../../../domain/secret.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { BreakingReads } from './read-breaker.ts'
import { open, seal } from './sealing.ts'

/** Largest sealed entry: Redis is shared with the quotas, whose calls must not wait behind megabytes. */
const MAX_SEALED_BYTES = 512 * 1024
/** Number of the last byte that is read: one more than an entry has. */
const LAST_READ = String(MAX_SEALED_BYTES)
/** Largest answer that is sealed at all. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const MAX_PENDING_WRITES = 64
const MAX_PENDING_BYTES = 8 * 1024 * 1024

const AS_BYTES = { returnBuffers: true }

export class RedisAnswerStore {
  /** Of answers, with how many were skipped. */
  readonly reads: BreakingReads
  readonly #redis: RedisConnection
  /** Sent and not answered. */
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

  /** Never rejects: without the cache the request is still answered. */
  read(key: string, secret: Secret): Promise<StoredAnswer | undefined> {
    // Not GET: whoever may write to the cache must not make this process read hundreds of megabytes.
    return this.reads.send(key, ['GETRANGE', key, '0', LAST_READ], AS_BYTES).then(
      // Of a key that is not there it is empty, as it mostly is.
      (sealed) => (Buffer.isBuffer(sealed) && sealed.length > 0 ? opened(sealed, key, secret) : undefined),
      () => undefined,
    )
  }

  /** Returns at once. */
  write(key: string, answer: StoredAnswer, ttlMs: Milliseconds, secret: Secret): void {
    const bytes = answer.document.length
    if (!this.#mayWrite(bytes)) {
      this.#dropped++
      return
    }
    this.#pendingWrites++
    this.#pendingBytes += bytes
    void this.#send(key, answer, ttlMs, secret)
  }

  async #send(key: string, answer: StoredAnswer, ttlMs: Milliseconds, secret: Secret): Promise<void> {
    try {
      const sealing = seal(encoded(answer), key, secret)
      const sealed = sealing instanceof Promise ? await sealing : sealing
      if (sealed.length > MAX_SEALED_BYTES) return
      await this.#redis.send(key, ['SET', key, sealed, 'PX', String(Math.ceil(ttlMs))])
    } catch {
      this.#dropped++
    } finally {
      this.#pendingWrites--
      this.#pendingBytes -= answer.document.length
    }
  }

  #mayWrite(bytes: number): boolean {
    if (!this.#redis.ready || bytes > MAX_ANSWER_BYTES) return false
    return this.#pendingWrites < MAX_PENDING_WRITES && this.#pendingBytes + bytes <= MAX_PENDING_BYTES
  }
}

async function opened(sealed: Buffer, key: string, secret: Secret): Promise<StoredAnswer | undefined> {
  if (sealed.length > MAX_SEALED_BYTES) return undefined
  try {
    const bytes = await open(sealed, key, secret)
    return bytes && decodeStoredAnswer(bytes)
  } catch {
    // Whatever it was.
    return undefined
  }
}

/** As `decodeStoredAnswer` reads it. */
function encoded(answer: StoredAnswer): Buffer {
  const head = storedHead(answer)
  const headBytes = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafe(headBytes + answer.document.length)
  bytes.write(head)
  bytes.set(answer.document, headBytes)
  return bytes
}

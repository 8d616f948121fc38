/**
 * Keeps a slow or frozen Redis from costing every request the bound of a read.
 *
 *   closed --MAX_TIMEOUTS in a row--> open --OPEN_MS--> one call probes --in time--> closed
 *                                      ^                      `--late--> open
 *                                      `--- all other calls are skipped meanwhile
 *
 * A refusal at once (not connected, too many calls) costs nothing and counts as nothing.
 */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { CallOptions, RedisConnection } from '../redis/redis-client.ts'
import { RedisUnavailableError } from '../redis/redis-errors.ts'
import type { RedisArgument } from '../redis/redis-wire.ts'

const MAX_TIMEOUTS = 3
/** A look-up costs at most one bound in so long while Redis is slow. */
const OPEN_MS: Milliseconds = 2_000

/** Made once: an error is dear to make, and these are what each request gets while Redis is away. Their stacks say nothing. */
const NOT_CONNECTED = new RedisUnavailableError('not connected to Redis', false)
const TOO_SLOW = new RedisUnavailableError('Redis was too slow for the cache', false)

/** Reads of one store, behind one breaker. */
export class BreakingReads {
  readonly #redis: RedisConnection
  readonly #now: Now
  #timeouts = 0
  /** When the next probe may go out; meaningful while open. */
  #probeAtMs: Milliseconds = 0
  #skipped = 0

  constructor(redis: RedisConnection, now: Now) {
    this.#redis = redis
    this.#now = now
  }

  /** Reads that were not sent because the ones before were too slow. */
  get skipped(): number {
    return this.#skipped
  }

  get isOpen(): boolean {
    return this.#timeouts >= MAX_TIMEOUTS
  }

  /** @throws as `RedisConnection.send`; at once where there is no connection or the breaker is open */
  send(key: string, args: readonly RedisArgument[], options?: CallOptions): Promise<unknown> {
    const refusal = this.#refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    return this.#redis.send(key, args, options).then(this.#answered, this.#failed)
  }

  #refusal(): RedisUnavailableError | undefined {
    if (!this.#redis.ready) return NOT_CONNECTED
    if (!this.isOpen) return undefined
    const nowMs = this.#now()
    if (nowMs < this.#probeAtMs) {
      this.#skipped++
      return TOO_SLOW
    }
    this.#probeAtMs = nowMs + OPEN_MS
    return undefined
  }

  // Both made once, and no async function: this stands in the way of every request.
  readonly #answered = (reply: unknown): unknown => {
    this.#timeouts = 0
    return reply
  }

  readonly #failed = (error: unknown): never => {
    if (!(error instanceof RedisUnavailableError)) {
      this.#timeouts = 0
    } else if (error.maybeExecuted) {
      this.#timeouts++
      this.#probeAtMs = this.#now() + OPEN_MS
    }
    throw error
  }
}

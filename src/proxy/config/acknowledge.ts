/** Tells the operator which revision runs here: when it changes, and seldom otherwise, so that an idle cluster is idle. */
import { vitalScript, type RedisScript } from '../../crypto/redis-script.ts'
import { acknowledgementKey, acknowledgersKey, type Acknowledgement } from '../../domain/snapshot/shard-store.ts'
import type { ShardRedis } from './shard-reader.ts'

const HEARTBEAT_MS = 60_000
/** Two heartbeats may be lost. */
const LIFETIME_MS = 200_000
/** The list of instances outlives each of them; the operator takes out those that have gone. */
const LIST_LIFETIME_MS = 24 * 60 * 60 * 1_000
const TIMEOUT_MS = 500

/**
 * KEYS[1] entry of the instance; ARGV[1] what it runs, [2] milliseconds until that expires. A script, as that a key was
 * taken back must also be said where the memory of Redis is used up: whoever has said nothing counts as not running.
 */
const TELL = vitalScript("return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])")
/** KEYS[1] list of instances; ARGV[1] one of them, [2] milliseconds until the list expires. Each key may be on another node. */
const ENLIST = vitalScript(`
redis.call('SADD', KEYS[1], ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/** What telling needs of a Redis connection. */
export interface AcknowledgingRedis extends ShardRedis {
  /** @throws where Redis does not answer in time. */
  run(
    script: RedisScript,
    keys: readonly [string],
    args: readonly string[],
    options?: { readonly timeoutMs?: number },
  ): Promise<unknown>
}

export class Acknowledger {
  readonly #owner: string
  readonly #instance: string
  readonly #now: () => number
  #told: string | undefined
  #toldAtMs = 0

  /** @param now monotonic milliseconds */
  constructor(owner: string, instance: string, now: () => number) {
    this.#owner = owner
    this.#instance = instance
    this.#now = now
  }

  /** Writes where it is due. @throws where Redis does not answer; the next call tries again. */
  async tell(redis: AcknowledgingRedis, running: Acknowledgement): Promise<void> {
    const text = JSON.stringify(running)
    if (this.#told === text && this.#now() - this.#toldAtMs < HEARTBEAT_MS) return
    const key = acknowledgementKey(this.#owner, this.#instance)
    const list = acknowledgersKey(this.#owner)
    await Promise.all([
      redis.run(TELL, [key], [text, String(LIFETIME_MS)], { timeoutMs: TIMEOUT_MS }),
      redis.run(ENLIST, [list], [this.#instance, String(LIST_LIFETIME_MS)], { timeoutMs: TIMEOUT_MS }),
    ])
    this.#told = text
    this.#toldAtMs = this.#now()
  }

  /** Nothing runs here any more: whoever waits for all instances need not wait for this one. @throws where Redis does not answer. */
  async withdraw(redis: ShardRedis): Promise<void> {
    if (this.#told === undefined) return
    const key = acknowledgementKey(this.#owner, this.#instance)
    const list = acknowledgersKey(this.#owner)
    await Promise.all([
      redis.send(key, ['DEL', key], { timeoutMs: TIMEOUT_MS }),
      redis.send(list, ['SREM', list, this.#instance], { timeoutMs: TIMEOUT_MS }),
    ])
    this.#told = undefined
  }
}

/** Tells the operator which revision runs here: when it changes, and seldom otherwise, so that an idle cluster is idle. */
import { acknowledgementKey, acknowledgersKey, type Acknowledgement } from '../../domain/snapshot/shard-store.ts'
import type { ShardRedis } from './shard-reader.ts'

const HEARTBEAT_MS = 60_000
/** Two heartbeats may be lost. */
const LIFETIME_MS = 200_000
/** The list of instances outlives each of them; the operator takes out those that have gone. */
const LIST_LIFETIME_MS = 24 * 60 * 60 * 1_000
const TIMEOUT_MS = 500

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
  async tell(redis: ShardRedis, running: Acknowledgement): Promise<void> {
    const text = JSON.stringify(running)
    if (this.#told === text && this.#now() - this.#toldAtMs < HEARTBEAT_MS) return
    const key = acknowledgementKey(this.#owner, this.#instance)
    const list = acknowledgersKey(this.#owner)
    await Promise.all([
      redis.send(key, ['SET', key, text, 'PX', String(LIFETIME_MS)], { timeoutMs: TIMEOUT_MS }),
      redis.send(list, ['SADD', list, this.#instance], { timeoutMs: TIMEOUT_MS }),
      redis.send(list, ['PEXPIRE', list, String(LIST_LIFETIME_MS)], { timeoutMs: TIMEOUT_MS }),
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

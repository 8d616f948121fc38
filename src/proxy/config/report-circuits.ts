/**
 * Tells the operator which providers this process has given up on for now: when that changes, and seldom while any is.
 * A process that has nothing to tell writes nothing.
 */
import { circuitsKey } from '../../domain/snapshot/shard-store.ts'
import type { ShardRedis } from './shard-reader.ts'

const LOOK_MS = 1_000
const HEARTBEAT_MS = 60_000
/** Of all reports of an owner; each that is written prolongs it. */
const LIFETIME_MS = 200_000
const TIMEOUT_MS = 500

export interface CircuitReporterOptions {
  readonly owner: string
  readonly instance: string
  readonly redis: ShardRedis
  /** Names of the providers whose breakers are open. */
  readonly open: () => readonly string[]
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

export class CircuitReporter {
  readonly #options: CircuitReporterOptions
  #told = ''
  #toldAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: CircuitReporterOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.start()), LOOK_MS)
    this.#timer.unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Never rejects: where Redis does not answer, the next look tries again. */
  async #look(): Promise<void> {
    const { owner, instance, redis, open, now } = this.#options
    const text = open().toSorted().join(' ')
    if (text === this.#told && (text === '' || now() - this.#toldAtMs < HEARTBEAT_MS)) return
    const key = circuitsKey(owner)
    const command = text === '' ? ['HDEL', key, instance] : ['HSET', key, instance, text]
    try {
      await redis.send(key, command, { timeoutMs: TIMEOUT_MS })
      if (text !== '') await redis.send(key, ['PEXPIRE', key, String(LIFETIME_MS)], { timeoutMs: TIMEOUT_MS })
      this.#told = text
      this.#toldAtMs = now()
    } catch {
      // Not told: asked again in a second. Whether Redis answers is said elsewhere.
    }
  }
}

/**
 * Audit records to a Redis stream, one an organization, beside stdout: what `tollgate audit` reads. It never makes a
 * request wait or fail. Records wait in a bounded queue while Redis is away, frozen or slower than the requests; what
 * does not fit is counted as dropped (it still stands on stdout). Where it is not known whether Redis took a record, it
 * is sent again: the reader knows a record by its request.
 */
import type { AuditRecord } from '../../../domain/audit/audit-record.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { AuditSink } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { refusalOf, RedisUnavailableError } from '../redis/redis-errors.ts'
import { redisScript } from '../../../crypto/redis-script.ts'
import { auditStreamKey, RECORD_FIELD } from './audit-stream-key.ts'

/** Records kept for an organization, about (Redis trims whole nodes of its list): some 20 MB. */
export const DEFAULT_STREAM_LENGTH = 20_000
const MAX_WAITING = 10_000
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024
/** Sixteen tags of the largest size and long attempts fit well; what is larger is no record of ours. */
const MAX_RECORD_CHARACTERS = 32 * 1024
/** Longest time that a record waits for others, to leave with them in one call. */
const GATHER_MS = 20
/** Redis appends so many in half a millisecond, for which the calls of the quotas wait. */
const BATCH = 64
/** What is written behind them on the same connection waits no longer than for a large request. */
const BATCH_CHARACTERS = 64 * 1024
/** Nobody waits for it, so Redis may take its time. */
const CALL = { timeoutMs: 1_000 }
const RETRY_MS = 500
const CLOSE_MS = 2_000

/** ARGV: records kept about, then the records as JSON. All or, where the first is refused, none. */
const APPEND = redisScript(`
for i = 2, #ARGV do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', '${RECORD_FIELD}', ARGV[i])
end
return #ARGV - 1`)

export interface AuditStreamOptions {
  /** Records kept for an organization, about. */
  readonly streamLength?: number
  readonly maxWaiting?: number
  readonly retryMs?: Milliseconds
  /** Bound of flushing on close. */
  readonly closeMs?: Milliseconds
  /** Told of each call that Redis answered by a refusal (its memory is full, a right is missing), in its own words. */
  readonly onRefused?: (organization: string, reason: string) => void
}

interface Waiting {
  readonly organization: string
  readonly json: string
}

export class RedisAuditStream implements AuditSink {
  readonly #redis: RedisConnection
  readonly #options: Required<AuditStreamOptions>
  #queue: Waiting[] = []
  #characters = 0
  #dropped = 0
  #delivering: Promise<void> | undefined
  #retry: { readonly timer: NodeJS.Timeout; readonly resume: () => void } | undefined
  #closed = false

  constructor(redis: RedisConnection, options: AuditStreamOptions = {}) {
    this.#redis = redis
    this.#options = {
      streamLength: DEFAULT_STREAM_LENGTH,
      maxWaiting: MAX_WAITING,
      retryMs: RETRY_MS,
      closeMs: CLOSE_MS,
      onRefused: () => undefined,
      ...options,
    }
  }

  /** Records that were not written to Redis and will not be. */
  get dropped(): number {
    return this.#dropped
  }

  /** Records that Redis has not confirmed yet. */
  get waiting(): number {
    return this.#queue.length
  }

  /** A request of nobody (no valid key, or one out of force) has no organization: it stands on stdout only. */
  write({ organization }: AuditRecord, json: string): void {
    if (organization === undefined) return
    if (!this.#hasRoomFor(json)) {
      this.#dropped++
      return
    }
    this.#queue.push({ organization, json })
    this.#characters += json.length
    this.#delivering ??= this.#deliver().finally(() => {
      this.#delivering = undefined
    })
  }

  /** Gives what waits a bounded time; the rest is dropped. The connection is its owner's. */
  async close(): Promise<void> {
    this.#closed = true
    this.#resume()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.closeMs)
    })
    await Promise.race([this.#delivering, late])
    clearTimeout(timer)
    this.#dropped += this.#queue.length
    this.#queue = []
  }

  #hasRoomFor(json: string): boolean {
    if (this.#closed || json.length > MAX_RECORD_CHARACTERS) return false
    if (this.#queue.length >= this.#options.maxWaiting) return false
    return this.#characters + json.length <= MAX_WAITING_CHARACTERS
  }

  /** Until nothing waits. When closing, a batch of which nothing was taken ends it: there is no time for another try. */
  async #deliver(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#queue.length < BATCH && !this.#closed) await this.#pause(GATHER_MS)
      const batch = nextBatch(this.#queue)
      const left = await this.#append(batch)
      // Others have come meanwhile.
      this.#queue = othersFirst(left, this.#queue.slice(batch.length))
      this.#characters += charactersOf(left) - charactersOf(batch)
      if (left.length < batch.length) continue
      if (this.#closed) return
      await this.#pause(this.#options.retryMs)
    }
  }

  /** One call for the records of each organization; what Redis did not take comes back. */
  async #append(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const groups = Map.groupBy(batch, ({ organization }) => organization)
    const left = await Promise.all(Array.from(groups, ([organization, records]) => this.#send(organization, records)))
    return left.flat()
  }

  async #send(organization: string, records: readonly Waiting[]): Promise<readonly Waiting[]> {
    const args = [String(this.#options.streamLength), ...records.map(({ json }) => json)]
    try {
      await this.#redis.run(APPEND, [auditStreamKey(organization)], args, CALL)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal !== undefined) this.#options.onRefused(organization, refusal)
      if (error instanceof RedisUnavailableError) return records
      // A reply that says nothing about Redis's health (the key is no stream) would come again.
      this.#dropped += records.length
    }
    return []
  }

  #pause(ms: Milliseconds): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resume(), ms)
      timer.unref()
      this.#retry = { timer, resume: resolve }
    })
  }

  #resume(): void {
    clearTimeout(this.#retry?.timer)
    this.#retry?.resume()
    this.#retry = undefined
  }
}

/** As many of the first as leave together: at least one. */
function nextBatch(queue: readonly Waiting[]): readonly Waiting[] {
  let count = 0
  let characters = 0
  for (const { json } of queue) {
    characters += json.length
    if (count === BATCH || (count > 0 && characters > BATCH_CHARACTERS)) break
    count++
  }
  return queue.slice(0, count)
}

/** What was not taken and what waits behind it; an organization that Redis refuses for now does not hold up the others. */
function othersFirst(left: readonly Waiting[], behind: readonly Waiting[]): Waiting[] {
  if (left.length === 0) return [...behind]
  const refused = new Set(left.map(({ organization }) => organization))
  const isRefused = ({ organization }: Waiting) => refused.has(organization)
  return [...behind.filter((record) => !isRefused(record)), ...left, ...behind.filter(isRefused)]
}

function charactersOf(records: readonly Waiting[]): number {
  return records.reduce((sum, { json }) => sum + json.length, 0)
}

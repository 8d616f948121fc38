/** The stores of a process: in Redis where an address is given, in memory otherwise. Wiring only. */
import { parseRedis } from './command-line.ts'
import type { Milliseconds } from './domain/snapshot/snapshot.ts'
import type { AfterAnswer } from './proxy/pipeline/after-answer.ts'
import type { AnswerCache, QuestionIndex } from './proxy/pipeline/cache-port.ts'
import type { QuotaStore } from './proxy/pipeline/quota-port.ts'
import type { AuditSink, Now } from './proxy/pipeline/ports.ts'
import type { Logger, Services } from './proxy/pipeline/services.ts'
import type { AuditStreamOptions } from './proxy/stores/audit/redis-audit-stream.ts'
import { StoredQuestions } from './proxy/stores/cache/stored-questions.ts'
import { TwoLevelCache } from './proxy/stores/cache/two-level-cache.ts'
import { MemoryQuotaStore } from './proxy/stores/memory/memory-quota-store.ts'
import { evictionWatch } from './eviction.ts'
import type { RedisConnection, RedisOptions } from './proxy/stores/redis/redis-client.ts'
import type { Undelivered } from './proxy/stores/settlement-queue.ts'
import type { StoreFigures } from './proxy/telemetry/metrics.ts'

const NOTHING_WAITS: StoreFigures = {
  pendingSettlements: 0,
  settlementLagMs: 0,
  droppedSettlements: 0,
  quotaStoresUnavailable: 0,
  pendingAuditRecords: 0,
  droppedAuditRecords: 0,
  cacheReadsSkipped: 0,
  cacheStoreSlow: false,
}

/** Between two lines that say the same. */
const REPEAT_MS = 60_000
/** Each record that Redis does not take is tried again and again. */
const AUDIT_REPEAT_MS = 600_000
/** That are kept apart: the servers of a cluster may each have their own, and are tried in turn. */
const MAX_REASONS = 16

/** How long a start waits for the first connection to Redis before the gateway calls itself ready without it. */
const FIRST_CONNECTION_MS = 5_000

export interface Stores {
  readonly quotas: QuotaStore
  readonly cache: AnswerCache
  readonly questions: QuestionIndex
  /** Where audit records go beside stdout; undefined without Redis. */
  readonly audit: AuditSink | undefined
  /** Whether the stores can be asked, or need not be waited for any longer. Once true, always true. */
  ready(): boolean
  figures(): StoreFigures
  /** Writes out what is queued, within a bound, and closes connections. */
  close(): Promise<void>
}

/** @throws {UsageError} where the address is malformed. An unreachable Redis is no error here: it is tried until it answers. */
export async function openStores(
  redisUrl: string | undefined,
  log: Logger,
  { now, wallNow }: Pick<Services, 'now' | 'wallNow'>,
): Promise<Stores> {
  if (redisUrl === undefined) {
    const quotas = new MemoryQuotaStore(wallNow)
    return {
      quotas,
      ...openCache(undefined, now),
      audit: undefined,
      ready: () => true,
      figures: () => NOTHING_WAITS,
      close: () => quotas.close(),
    }
  }
  parseRedis('redis', redisUrl)
  const { connectRedis } = await import('./proxy/stores/redis/redis-client.ts')
  const tell = redisChanges(log, now)
  const redis = connectRedis(redisUrl, {
    onChange(ready, cause) {
      tell(ready, cause)
      if (ready) void tellEviction()
    },
  })
  const tellEviction = evictionWatch(redis, log)
  return openRedisStores(redis, log, now)
}

/**
 * Tells the log when Redis is found and lost, and why it is not found. Each try to reach it that fails is another loss, and where it became
 * a replica each that succeeds is followed by one: the same reason is told once a minute.
 */
export function redisChanges(log: Logger, now: Now): NonNullable<RedisOptions['onChange']> {
  const told = new Map<string | undefined, Milliseconds>()
  let lastReason: string | undefined
  let isToldReady = false
  let wasReady = false
  return (ready, cause) => {
    const message = wasReady ? 'redis lost' : 'redis not reached'
    wasReady = ready
    if (ready) {
      if (isToldReady) return
      isToldReady = true
      for (const reason of told.keys()) if (reason !== lastReason) told.delete(reason)
      return log.info({}, 'redis connected')
    }
    const reason = cause?.message
    const nowMs = now()
    const toldMs = told.get(reason)
    if (toldMs !== undefined && nowMs - toldMs < REPEAT_MS) return
    if (told.size === MAX_REASONS) told.clear()
    told.set(reason, nowMs)
    lastReason = reason
    isToldReady = false
    log.warn({ reason }, message)
  }
}

/** Tells the log that Redis, which is there, takes no audit records, and why: once in ten minutes, whosever they are. */
export function auditRefusals(log: Logger, now: Now): NonNullable<AuditStreamOptions['onRefused']> {
  let toldMs = Number.NEGATIVE_INFINITY
  return (organization, reason) => {
    const nowMs = now()
    if (nowMs - toldMs < AUDIT_REPEAT_MS) return
    toldMs = nowMs
    log.warn({ organization, reason }, 'audit records refused by redis')
  }
}

/**
 * The stores over a connection, which they close in the end.
 * @param onlyWhole an operator restores counters that Redis has lost: until then they admit nothing
 */
export async function openRedisStores(
  redis: RedisConnection,
  log: Logger,
  now: Now,
  onlyWhole = false,
): Promise<Stores> {
  const { RedisQuotaStore, RedisAuditStream, createResilientQuotaStore } = await loadRedisStores()
  let isReady = false
  void redis.waitUntilReady(FIRST_CONNECTION_MS).then(() => (isReady = true))
  let droppedSettlements = 0
  const audit = new RedisAuditStream(redis, { onRefused: auditRefusals(log, now) })
  const quotas = createResilientQuotaStore(new RedisQuotaStore(redis, { onlyWhole }), {
    now,
    onChange: (organization, up, cause) =>
      up
        ? log.info({ organization }, 'quota store is back')
        : log.warn({ organization, reason: cause instanceof Error ? cause.message : undefined }, 'quota store lost'),
    onDropped: ({ id }) => {
      droppedSettlements++
      log.warn({ requestId: id }, 'settlement dropped, charged at its bound')
    },
  })
  const { cache, questions } = openCache(redis, now)
  return {
    quotas,
    cache,
    questions,
    audit,
    ready: () => isReady,
    figures() {
      const { unavailable, pendingSettlements, settlementLagMs } = quotas.health()
      return {
        pendingSettlements,
        settlementLagMs,
        droppedSettlements,
        quotaStoresUnavailable: unavailable,
        pendingAuditRecords: audit.waiting,
        droppedAuditRecords: audit.dropped,
        cacheReadsSkipped: (cache.reads?.skipped ?? 0) + (questions.reads?.skipped ?? 0),
        cacheStoreSlow: cache.reads?.isOpen === true || questions.reads?.isOpen === true,
      }
    },
    async close() {
      const { dropped } = audit
      await Promise.all([quotas.close(), audit.close()])
      tellUndelivered(log, quotas.undelivered(), audit.dropped - dropped)
      await redis.close()
    },
  }
}

/** The last word of a process that ends while Redis is away: the figures end with it. */
function tellUndelivered(log: Logger, { atBound, uncharged }: Undelivered, auditRecords: number): void {
  if (atBound + uncharged + auditRecords === 0) return
  const fields = { chargedAtBound: atBound, uncharged, auditRecordsOnStdoutOnly: auditRecords }
  log.warn(fields, 'settlements and audit records did not reach redis before the end')
}

/** Every record to both. */
export function auditTo(first: AuditSink, second: AuditSink | undefined): AuditSink {
  if (second === undefined) return first
  return {
    write(record, json) {
      first.write(record, json)
      second.write(record, json)
    },
  }
}

/** The stores' figures with what has not reached them yet. */
export function figuresOf(stores: Stores, afterAnswer: AfterAnswer): StoreFigures {
  const figures = stores.figures()
  return {
    ...figures,
    pendingSettlements: figures.pendingSettlements + afterAnswer.waiting,
    settlementLagMs: Math.max(figures.settlementLagMs, afterAnswer.lagMs),
  }
}

function openCache(redis: RedisConnection | undefined, now: Now) {
  return { cache: new TwoLevelCache({ redis, now }), questions: new StoredQuestions({ redis, now }) }
}

/** Loaded only where it is used: a gateway without Redis does not hold its client. */
async function loadRedisStores() {
  const [{ RedisQuotaStore }, { RedisAuditStream }, { createResilientQuotaStore }] = await Promise.all([
    import('./proxy/stores/redis/redis-quota-store.ts'),
    import('./proxy/stores/audit/redis-audit-stream.ts'),
    import('./proxy/stores/quota-grace.ts'),
  ])
  return { RedisQuotaStore, RedisAuditStream, createResilientQuotaStore }
}

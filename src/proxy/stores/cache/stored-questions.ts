/**
 * Known questions in groups: the requests of one project that are equal but for their last question. A group is a list
 * in Redis, newest first, cut at `MAX_GROUP`, each element sealed; a process holds those that it was asked for or that
 * it has hydrated, and reads of one that has changed (`question-feed.ts` tells) what is new.
 *
 * A group is searched by comparing with each of its vectors: 128 of 1,536 bytes take some 0.2 ms, so an index structure
 * would cost memory and exactness and save nothing. All groups together are bounded by bytes (about 10,000 vectors).
 *
 * A question that outlives its answer is harmless: it names the address of an answer, where there is none any more or
 * a newer one to the same question. What was held when its scope was purged is dropped all the same.
 */
import { LRUCache } from 'lru-cache'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { CacheAddress, CacheScope, KnownQuestion, PurgeMarks, QuestionIndex } from '../../pipeline/cache-port.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { changedGroupsKey, entryKey } from './keys.ts'
import { MAX_CHANGED_GROUPS, QuestionFeed } from './question-feed.ts'
import { decodeQuestion, encodeQuestion } from './question-codec.ts'
import { BreakingReads } from './read-breaker.ts'
import { HEAD_BYTES, open, seal } from './sealing.ts'

/** Questions of one group. What is older is asked anew. */
export const MAX_GROUP = 128
/** Read first of a group that has changed: most changes are one question. */
const NEWEST = 8
/** For what the feed cannot tell (its list was cut, Redis was flushed): a group that is older is read again. */
const REFRESH_MS: Milliseconds = 60_000
export const MAX_INDEX_BYTES = 16 * 1024 * 1024
/** Groups of a scope that are read before anybody asks, the last changed first. */
const HYDRATED_GROUPS = 256
/** How long a start waits for Redis before it leaves the reading to the questions. */
const MAX_WAIT_MS: Milliseconds = 60_000
const MAX_PENDING_WRITES = 32
const QUESTION_OVERHEAD_BYTES = 256

/**
 * Puts a question first, cuts the list, and lets it live as long as its newest question; notes the group as changed now
 * in the project's list of changes, which lives as long as its longest-lived group.
 */
const PUSH = `
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local time = redis.call('TIME')
redis.call('ZADD', KEYS[2], time[1] * 1000000 + time[2], ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[5] - 1)
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return 1`

interface Group {
  readonly questions: readonly KnownQuestion[]
  readonly readAtMs: Milliseconds
  /** What tells the newest element read from Redis from all others; undefined: none was read. */
  readonly newest: string | undefined
  /** How often its organization and project had been purged. */
  readonly purges: string
}

export interface StoredQuestionsOptions {
  /** Undefined: this process's memory only. */
  readonly redis: RedisConnection | undefined
  readonly now: Now
  readonly maxBytes?: number
}

export class StoredQuestions implements QuestionIndex {
  readonly reads: BreakingReads | undefined
  readonly #redis: RedisConnection | undefined
  readonly #now: Now
  readonly #maxBytes: number
  readonly #groups: LRUCache<string, Group>
  readonly #feed: QuestionFeed | undefined
  readonly #reading = new Map<string, Promise<readonly KnownQuestion[]>>()
  #pendingWrites = 0

  constructor({ redis, now, maxBytes = MAX_INDEX_BYTES }: StoredQuestionsOptions) {
    this.#redis = redis
    this.#now = now
    this.#maxBytes = maxBytes
    this.reads = redis && new BreakingReads(redis, now)
    this.#feed = this.reads && new QuestionFeed(this.reads, now)
    this.#groups = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ questions }, key) => sizeOf(questions) + key.length + 1,
    })
  }

  /** Bytes held, overhead included. */
  get bytes(): number {
    return this.#groups.calculatedSize
  }

  async questions(group: CacheAddress, marks: PurgeMarks): Promise<readonly KnownQuestion[]> {
    const { scope } = group
    const key = keyOf(group)
    const purges = purgesOf(scope, marks)
    if (this.#held(key, purges) === undefined) this.#groups.delete(key)
    await this.#followChanges(scope)
    const held = this.#held(key, purges)
    if (this.reads === undefined) return held?.questions ?? []
    if (held !== undefined && this.#now() - held.readAtMs < REFRESH_MS) return held.questions
    return this.#readOnce(key, group, purges, this.reads)
  }

  add(group: CacheAddress, question: KnownQuestion, ttlMs: Milliseconds, marks: PurgeMarks): void {
    const key = keyOf(group)
    const purges = purgesOf(group.scope, marks)
    const held = this.#held(key, purges)
    const { readAtMs = -Infinity, newest, questions = [] } = held ?? {}
    this.#groups.set(key, { questions: joined([question], questions), readAtMs, newest, purges })
    void this.#write(key, group, question, ttlMs)
  }

  /** Half of the memory at most, so that what is asked for keeps its place. */
  async hydrate(scope: CacheScope, marks: () => Promise<PurgeMarks>): Promise<void> {
    const { reads } = this
    if (reads === undefined || this.#feed === undefined || this.bytes > this.#maxBytes / 2) return
    if ((await this.#redis?.waitUntilReady(MAX_WAIT_MS)) !== true) return
    const purges = purgesOf(scope, await marks())
    await this.#followChanges(scope)
    for (const digest of await this.#feed.lastChanged(scope, HYDRATED_GROUPS)) {
      if (this.bytes > this.#maxBytes / 2) return
      const group = { scope, digest }
      const key = keyOf(group)
      if (!this.#groups.has(key)) await this.#readOnce(key, group, purges, reads)
    }
  }

  #held(key: string, purges: string): Group | undefined {
    const group = this.#groups.get(key)
    return group?.purges === purges ? group : undefined
  }

  /** Marks what has changed as not read. */
  async #followChanges(scope: CacheScope): Promise<void> {
    const changes = await this.#feed?.changes(scope)
    if (changes === undefined) return
    const prefix = entryKey('s', scope.organization, scope.project, '')
    const keys =
      changes === 'many'
        ? [...this.#groups.keys()].filter((key) => key.startsWith(prefix))
        : changes.map((digest) => prefix + digest)
    for (const key of keys) {
      const group = this.#groups.peek(key)
      if (group !== undefined) this.#groups.set(key, { ...group, readAtMs: -Infinity })
    }
  }

  #readOnce(key: string, group: CacheAddress, purges: string, reads: BreakingReads): Promise<readonly KnownQuestion[]> {
    const underway = this.#reading.get(key)
    if (underway !== undefined) return underway
    const reading = this.#read(key, group, purges, reads).finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  /** Without Redis the questions are those that this process knows of itself. */
  async #read(
    key: string,
    { scope }: CacheAddress,
    purges: string,
    reads: BreakingReads,
  ): Promise<readonly KnownQuestion[]> {
    const readAtMs = this.#now()
    try {
      const sealed = await newerThan(this.#held(key, purges)?.newest, key, reads)
      const opened = await Promise.all(sealed.map((element) => open(element, key, scope.secret)))
      const read = opened.flatMap((bytes) => (bytes && decodeQuestion(bytes)) ?? [])
      // What was added meanwhile stays.
      const held = this.#held(key, purges)
      const questions = joined(read, held?.questions ?? [])
      const newest = sealed[0] === undefined ? held?.newest : markOf(sealed[0])
      this.#groups.set(key, { questions, readAtMs, newest, purges })
      return questions
    } catch {
      return this.#held(key, purges)?.questions ?? []
    }
  }

  async #write(key: string, group: CacheAddress, question: KnownQuestion, ttlMs: Milliseconds): Promise<void> {
    const redis = this.#redis
    if (redis === undefined || !redis.ready || this.#pendingWrites >= MAX_PENDING_WRITES) return
    this.#pendingWrites++
    const { scope, digest } = group
    try {
      const sealed = await seal(encodeQuestion(question), key, scope.secret)
      const bounds = [String(MAX_GROUP), String(Math.ceil(ttlMs)), digest, String(MAX_CHANGED_GROUPS)]
      const changed = changedGroupsKey(scope.organization, scope.project)
      await redis.send(key, ['EVAL', PUSH, '2', key, changed, sealed, ...bounds])
    } catch {
      // Kept in this process only.
    } finally {
      this.#pendingWrites--
    }
  }
}

/** The elements before the one with the mark, newest first; all where it is not among the newest. */
async function newerThan(mark: string | undefined, key: string, reads: BreakingReads): Promise<readonly Buffer[]> {
  if (mark !== undefined) {
    const newest = await range(key, NEWEST, reads)
    const at = newest.findIndex((element) => markOf(element) === mark)
    if (at !== -1) return newest.slice(0, at)
  }
  return range(key, MAX_GROUP, reads)
}

async function range(key: string, count: number, reads: BreakingReads): Promise<readonly Buffer[]> {
  const reply = await reads.send(key, ['LRANGE', key, '0', String(count - 1)], { returnBuffers: true })
  return Array.isArray(reply) ? reply.filter((element) => Buffer.isBuffer(element)) : []
}

/** The head of a sealed element is its own. */
function markOf(sealed: Buffer): string {
  return sealed.toString('latin1', 0, HEAD_BYTES)
}

/** Each answer's question once. */
function joined(newer: readonly KnownQuestion[], older: readonly KnownQuestion[]): readonly KnownQuestion[] {
  const questions = new Map<string, KnownQuestion>()
  for (const question of [...newer, ...older]) {
    if (!questions.has(question.answer)) questions.set(question.answer, question)
  }
  return [...questions.values()].slice(0, MAX_GROUP)
}

function keyOf({ scope, digest }: CacheAddress): string {
  return entryKey('s', scope.organization, scope.project, digest)
}

/** What was purged for one key alone does not count: its answers are told by themselves. */
function purgesOf({ project }: CacheScope, marks: PurgeMarks): string {
  const [organization, ofProject] = marks.countsFor(project, '')
  return `${organization} ${ofProject}`
}

function sizeOf(questions: readonly KnownQuestion[]): number {
  return questions.reduce(
    (sum, { wording, vector }) => sum + QUESTION_OVERHEAD_BYTES + wording.length * 2 + vector.components.length,
    QUESTION_OVERHEAD_BYTES,
  )
}

/**
 * Known questions in groups: the requests of one project that are equal but for their last question. A group is a list
 * in Redis, newest first, cut at `MAX_GROUP`, each element sealed; a process holds the groups it was asked for and reads
 * them again after `REFRESH_MS`.
 *
 * A group is searched by comparing with each of its vectors: 128 of 1,536 bytes take some 0.2 ms, so an index structure
 * would cost memory and exactness and save nothing. All groups together are bounded by bytes (about 10,000 vectors).
 */
import { LRUCache } from 'lru-cache'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { CacheAddress, KnownQuestion, QuestionIndex } from '../../pipeline/cache-port.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { entryKey } from './keys.ts'
import { decodeQuestion, encodeQuestion } from './question-codec.ts'
import { open, seal } from './sealing.ts'

/** Questions of one group. What is older is asked anew. */
export const MAX_GROUP = 128
/** How long a question that another process has answered may stay unknown here. */
const REFRESH_MS: Milliseconds = 10_000
export const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_PENDING_WRITES = 32
const QUESTION_OVERHEAD_BYTES = 256

/** Puts a question first, cuts the list, and lets it live as long as its newest question. */
const PUSH = `
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1)
return redis.call('PEXPIRE', KEYS[1], ARGV[3])`

interface Group {
  readonly questions: readonly KnownQuestion[]
  readonly readAtMs: Milliseconds
}

export interface StoredQuestionsOptions {
  /** Undefined: this process's memory only. */
  readonly redis: RedisConnection | undefined
  readonly now: Now
  readonly maxBytes?: number
}

export class StoredQuestions implements QuestionIndex {
  readonly #redis: RedisConnection | undefined
  readonly #now: Now
  readonly #groups: LRUCache<string, Group>
  #pendingWrites = 0

  constructor({ redis, now, maxBytes = MAX_INDEX_BYTES }: StoredQuestionsOptions) {
    this.#redis = redis
    this.#now = now
    this.#groups = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ questions }, key) => sizeOf(questions) + key.length + 1,
    })
  }

  /** Bytes held, overhead included. */
  get bytes(): number {
    return this.#groups.calculatedSize
  }

  async questions(group: CacheAddress): Promise<readonly KnownQuestion[]> {
    const key = keyOf(group)
    const known = this.#groups.get(key)
    if (this.#redis === undefined) return known?.questions ?? []
    if (known !== undefined && this.#now() - known.readAtMs < REFRESH_MS) return known.questions
    const questions = (await this.#read(key, group, this.#redis)) ?? known?.questions ?? []
    this.#groups.set(key, { questions, readAtMs: this.#now() })
    return questions
  }

  add(group: CacheAddress, question: KnownQuestion, ttlMs: Milliseconds): void {
    const key = keyOf(group)
    const known = this.#groups.get(key)
    const others = (known?.questions ?? []).filter(({ answer }) => answer !== question.answer)
    const questions = [question, ...others].slice(0, MAX_GROUP)
    this.#groups.set(key, { questions, readAtMs: known?.readAtMs ?? -Infinity })
    void this.#write(key, group, question, ttlMs)
  }

  async #read(key: string, group: CacheAddress, redis: RedisConnection): Promise<KnownQuestion[] | undefined> {
    if (!redis.ready) return undefined
    try {
      const reply = await redis.send(key, ['LRANGE', key, '0', String(MAX_GROUP - 1)], { returnBuffers: true })
      const sealed = Array.isArray(reply) ? reply.filter((element) => Buffer.isBuffer(element)) : []
      const opened = await Promise.all(sealed.map((element) => open(element, key, group.scope.secret)))
      return opened.flatMap((bytes) => (bytes && decodeQuestion(bytes)) ?? [])
    } catch {
      // Without the index the question is one that nobody has asked.
      return undefined
    }
  }

  async #write(key: string, group: CacheAddress, question: KnownQuestion, ttlMs: Milliseconds): Promise<void> {
    const redis = this.#redis
    if (redis === undefined || !redis.ready || this.#pendingWrites >= MAX_PENDING_WRITES) return
    this.#pendingWrites++
    try {
      const sealed = await seal(encodeQuestion(question), key, group.scope.secret)
      await redis.send(key, ['EVAL', PUSH, '1', key, sealed, String(MAX_GROUP), String(Math.ceil(ttlMs))])
    } catch {
      // Kept in this process only.
    } finally {
      this.#pendingWrites--
    }
  }
}

function keyOf({ scope, digest }: CacheAddress): string {
  return entryKey('s', scope.organization, scope.project, digest)
}

function sizeOf(questions: readonly KnownQuestion[]): number {
  return questions.reduce(
    (sum, { wording, vector }) => sum + QUESTION_OVERHEAD_BYTES + wording.length * 2 + vector.components.length,
    QUESTION_OVERHEAD_BYTES,
  )
}

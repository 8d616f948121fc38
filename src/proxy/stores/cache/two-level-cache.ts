/** Both levels behind one port: near first, then far; what is found far is kept near. @see AnswerCache */
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { isPurged } from '../../pipeline/cache-port.ts'
import type { AnswerCache, CacheAddress, CacheScope, PurgeMarks } from '../../pipeline/cache-port.ts'
import type { Now } from '../../pipeline/ports.ts'
import type { RedisConnection } from '../redis/redis-client.ts'
import { entryKey } from './keys.ts'
import { L1_TTL_MS, NearCache } from './l1.ts'
import { RedisAnswerStore } from './l2-redis.ts'
import type { BreakingReads } from './read-breaker.ts'
import { PurgeBoard } from './purge-board.ts'

export interface TwoLevelCacheOptions {
  /** Undefined: this process's memory only. */
  readonly redis: RedisConnection | undefined
  readonly now: Now
  /** Bound of the first level. */
  readonly maxBytes?: number
}

export class TwoLevelCache implements AnswerCache {
  readonly near: NearCache
  readonly #far: RedisAnswerStore | undefined
  readonly #purges: PurgeBoard

  constructor({ redis, now, maxBytes }: TwoLevelCacheOptions) {
    this.near = new NearCache(now, maxBytes)
    this.#far = redis && new RedisAnswerStore(redis, now)
    this.#purges = new PurgeBoard(redis, now)
  }

  /** Those of the second level; undefined without one. */
  get reads(): BreakingReads | undefined {
    return this.#far?.reads
  }

  purgeMarks(scope: CacheScope): Promise<PurgeMarks> {
    return this.#purges.marks(scope.organization)
  }

  knownPurgeMarks(scope: CacheScope): PurgeMarks | undefined {
    return this.#purges.known(scope.organization)
  }

  nearBytes({ digest }: CacheAddress): number {
    return this.near.bytesOf(digest)
  }

  readNear(address: CacheAddress, marks: PurgeMarks): StoredAnswer | undefined {
    const answer = this.near.get(address.digest)
    if (answer === undefined || !isPurged(answer, address.scope, marks)) return answer
    this.near.delete(address.digest)
    return undefined
  }

  readFar(address: CacheAddress, marks: PurgeMarks): Promise<StoredAnswer | undefined> {
    if (this.#far === undefined) return NOTHING
    return this.#far.read(keyOf(address), address.scope.secret).then((answer) => {
      if (answer === undefined || isPurged(answer, address.scope, marks)) return undefined
      this.near.set(address.digest, answer, L1_TTL_MS)
      return answer
    })
  }

  writeNear({ digest }: CacheAddress, answer: StoredAnswer, ttlMs: Milliseconds): void {
    this.near.set(digest, answer, ttlMs)
  }

  writeFar(address: CacheAddress, answer: StoredAnswer, ttlMs: Milliseconds): void {
    this.#far?.write(keyOf(address), answer, ttlMs, address.scope.secret)
  }
}

/** The second level's. The first level goes by the digest alone, which is of its scope as well. */
function keyOf({ scope, digest }: CacheAddress): string {
  return entryKey('a', scope.organization, scope.project, digest)
}

const NOTHING = Promise.resolve(undefined)

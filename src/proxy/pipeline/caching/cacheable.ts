/** What the way through the cache (`through-cache.ts`) must know of a kind of answer. */
import type { CachedFormat } from '../../../domain/caching/request-text.ts'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { CacheAddress, CacheScope, PurgeMarks } from '../cache-port.ts'
import type { LiveAnswer, Reading } from './single-flight.ts'

/** One kind of answer in the cache. */
export interface Cacheable<Answer> {
  readonly plan: RoutePlan
  /** The answer as this client gets it; undefined where it does not fit after all. */
  revive(document: Uint8Array, format: CachedFormat, deployment: Deployment): Answer | undefined
  /**
   * The answer to send on, which calls `keeper` when it is known whether and what to keep: at once, or when its stream
   * has ended.
   */
  keep(answer: Answer, keeper: Keeper): Answer
  /** Another request's answer from its beginning, as it arrives; undefined where that is not for this client. */
  readonly follow?: ((live: LiveAnswer, deployment: Deployment) => Answer | undefined) | undefined
  /** Whether an answer of this deployment is what was asked for. */
  answers(deployment: Deployment): boolean
  /** A second look, by meaning, before the provider is asked. */
  readonly similar?: SimilarAnswers | undefined
}

export interface Keeper {
  keep(document: Uint8Array, format: CachedFormat, deployment: Deployment): void
  /** Not worth keeping. */
  drop(): void
  /** The client has gone before it was known. */
  leave(): void
  /** The answer has begun as this stream: who waits for its end must not wait for a client that reads no more. */
  reads(stream: Reading): void
  /** The answer has begun and others may follow it. */
  share(live: Omit<LiveAnswer, 'entry'>): void
}

export interface SimilarAnswers {
  readonly minSimilarity: number
  find(scope: CacheScope, marks: PurgeMarks): Promise<SimilarAnswer | undefined>
  /** The question's answer has been kept under `address`. */
  kept(address: CacheAddress): void
}

export interface SimilarAnswer {
  readonly answer: StoredAnswer
  readonly similarity: number
}

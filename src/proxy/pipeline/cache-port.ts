/** The cache of answers as the pipeline sees it. No call ever throws or waits longer than a store's bound. */
import type { PurgeCounts, StoredAnswer } from '../../domain/caching/stored-answer.ts'
import type { PackedVector } from '../../domain/caching/semantic/vector.ts'
import type { Secret } from '../../domain/secret.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'

/** Whose entries: nothing is ever shared between two scopes. */
export interface CacheScope {
  readonly organization: string
  /** Undefined: the organization's keys without a project. */
  readonly project: string | undefined
  /** The organization's own; entries outside the process are sealed with it. */
  readonly secret: Secret
}

export interface CacheAddress {
  readonly scope: CacheScope
  /** Keyed digest of the request's text, base64url. */
  readonly digest: string
}

/** What has been purged in an organization, as far as this process knows. */
export interface PurgeMarks {
  /** For an entry that is asked for now. */
  countsFor(project: string | undefined, virtualKey: string): PurgeCounts
}

/** Whether an entry is of before a purge of its organization, its project or the key that asked for it. */
export function isPurged(
  { virtualKey, purges }: Pick<StoredAnswer, 'virtualKey' | 'purges'>,
  scope: CacheScope,
  marks: PurgeMarks,
): boolean {
  const counts = marks.countsFor(scope.project, virtualKey)
  return purges[0] !== counts[0] || purges[1] !== counts[1] || purges[2] !== counts[2]
}

export interface AnswerCache {
  /** Asked before a request's first look-up; what it says goes into the entry that the request may leave. */
  purgeMarks(scope: CacheScope): Promise<PurgeMarks>
  /** The same at once; undefined where the shared store must be asked. */
  knownPurgeMarks(scope: CacheScope): PurgeMarks | undefined
  /** Bytes of the document that this process holds, be it purged meanwhile; 0: none. */
  nearBytes(address: CacheAddress): number
  /** What this process holds. */
  readNear(address: CacheAddress, marks: PurgeMarks): StoredAnswer | undefined
  /** What the shared store holds. Gone, slow or full: undefined. */
  readFar(address: CacheAddress, marks: PurgeMarks): Promise<StoredAnswer | undefined>
  /** Keeps an answer in this process. */
  writeNear(address: CacheAddress, answer: StoredAnswer, ttlMs: Milliseconds): void
  /** Keeps an answer in the shared store, in the background. Sealing it takes as long as all else that the cache does. */
  writeFar(address: CacheAddress, answer: StoredAnswer, ttlMs: Milliseconds): void
}

/** A question that has been answered, by what it means. */
export interface KnownQuestion {
  /** `wordingOf` the question. */
  readonly wording: string
  readonly vector: PackedVector
  /** Digest of the answer's address in the same scope. */
  readonly answer: string
  readonly askedAtMs: Milliseconds
}

/** Questions whose rest of the request is equal, newest first. Bounded; no call throws or waits longer than a bound. */
export interface QuestionIndex {
  questions(group: CacheAddress, marks: PurgeMarks): Promise<readonly KnownQuestion[]>
  /** Kept for `ttlMs`; the shared store is written in the background. */
  add(group: CacheAddress, question: KnownQuestion, ttlMs: Milliseconds, marks: PurgeMarks): void
  /**
   * Reads what the shared store has of a scope before anybody asks, within a part of the memory. Waits for the store,
   * within a bound, and then for `marks`.
   */
  hydrate(scope: CacheScope, marks: () => Promise<PurgeMarks>): Promise<void>
}

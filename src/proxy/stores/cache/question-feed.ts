/**
 * Which groups of questions other processes have changed: a sorted set for each project in Redis, group by time of its
 * last change on the server's clock, cut at `MAX_CHANGED_GROUPS`. A process reads what has come since its last look
 * when a question is asked, at most every `PAUSE_MS`, in the time that the question's embedding takes anyway: so what
 * one gateway has learnt another one knows at its next question, and who asks nothing reads nothing.
 */
import { LRUCache } from 'lru-cache'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { CacheScope } from '../../pipeline/cache-port.ts'
import type { Now } from '../../pipeline/ports.ts'
import { changedGroupsKey } from './keys.ts'
import type { BreakingReads } from './read-breaker.ts'

export const MAX_CHANGED_GROUPS = 4_096
/** How long a change elsewhere may stay unknown to a question. */
const PAUSE_MS: Milliseconds = 250
/** Changes read at once; where there are more, all groups count as changed. */
const MAX_READ = 512
/** Microseconds that are read again: the clock of a new master may be behind that of the old one. */
const OVERLAP = 2_000_000
/** Projects that are followed; a sidecar has few. */
const MAX_SCOPES = 1_000

interface Position {
  /** Time of the last change read; undefined: nothing has been read. */
  lastChange: number | undefined
  readAtMs: Milliseconds
  /** Groups in the overlap, by the time of the change that has been told. */
  told: ReadonlyMap<string, number>
  reading: Promise<readonly string[] | 'many'> | undefined
}

export class QuestionFeed {
  readonly #reads: BreakingReads
  readonly #now: Now
  readonly #positions = new LRUCache<string, Position>({ max: MAX_SCOPES })

  constructor(reads: BreakingReads, now: Now) {
    this.#reads = reads
    this.#now = now
  }

  /** Digests of the groups that have changed since the last call; `many`: any may have. Never throws. */
  async changes({ organization, project }: CacheScope): Promise<readonly string[] | 'many'> {
    const key = changedGroupsKey(organization, project)
    const position = this.#positionOf(key)
    // Who comes while it is read waits as well: what was read is told once.
    if (position.reading !== undefined) {
      await position.reading
      return []
    }
    if (this.#now() - position.readAtMs < PAUSE_MS) return []
    position.reading = this.#read(key, position)
    try {
      return await position.reading
    } finally {
      position.readAtMs = this.#now()
      position.reading = undefined
    }
  }

  /** Digests of the groups that have changed last, the latest first. Never throws. */
  async lastChanged({ organization, project }: CacheScope, count: number): Promise<readonly string[]> {
    const key = changedGroupsKey(organization, project)
    try {
      const reply = await this.#reads.send(key, ['ZRANGE', key, '0', String(count - 1), 'REV'])
      return Array.isArray(reply) ? reply.map(String) : []
    } catch {
      return []
    }
  }

  async #read(key: string, position: Position): Promise<readonly string[] | 'many'> {
    try {
      const { lastChange } = position
      const changes = pairsOf(await this.#reads.send(key, changesSince(key, lastChange)))
      const fresh = changes.filter(([digest, at]) => position.told.get(digest) !== at)
      position.lastChange = Math.max(lastChange ?? 0, ...changes.map(([, at]) => at))
      const overlap = position.lastChange - OVERLAP
      position.told = new Map(changes.filter(([, at]) => at >= overlap))
      return changes.length === MAX_READ ? 'many' : fresh.map(([digest]) => digest)
    } catch {
      // Unknown for now; the next question asks again from the same place.
      return []
    }
  }

  #positionOf(key: string): Position {
    let position = this.#positions.get(key)
    if (position === undefined) {
      position = { lastChange: undefined, readAtMs: -Infinity, told: new Map(), reading: undefined }
      this.#positions.set(key, position)
    }
    return position
  }
}

/** At first the last one only: what was held before it is read anew in any case. */
function changesSince(key: string, lastChange: number | undefined): string[] {
  if (lastChange === undefined) return ['ZRANGE', key, '0', '0', 'REV', 'WITHSCORES']
  const from = String(lastChange - OVERLAP)
  return ['ZRANGE', key, from, '+inf', 'BYSCORE', 'LIMIT', '0', String(MAX_READ), 'WITHSCORES']
}

/** Members and scores in turn (RESP 2), or in pairs (RESP 3). */
function pairsOf(reply: unknown): [digest: string, at: number][] {
  const flat: unknown[] = Array.isArray(reply) ? reply.flat() : []
  const pairs: [string, number][] = []
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([String(flat[index]), Number(flat[index + 1])])
  return pairs
}

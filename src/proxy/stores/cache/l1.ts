/** The first level: answers in this process, least recently used out, bounded by bytes. */
import { LRUCache } from 'lru-cache'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'

/** What a sidecar can spare; an answer is some two kilobytes. @see DESIGN section 7 */
export const L1_BYTES = 16 * 1024 * 1024
/** Short, because a purge or a new answer elsewhere is not told to this process. */
export const L1_TTL_MS = 60_000
/** Objects, map slots and links of one entry, measured generously. */
const ENTRY_OVERHEAD_BYTES = 512

export class NearCache {
  readonly #entries: LRUCache<string, StoredAnswer>

  constructor(now: Now, maxBytes: number = L1_BYTES) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      // One answer never pushes out more than a sixteenth of the others.
      maxEntrySize: Math.ceil(maxBytes / 16),
      sizeCalculation: (answer, key) => answer.document.length + key.length + ENTRY_OVERHEAD_BYTES,
      ttl: L1_TTL_MS,
      perf: { now },
      ttlResolution: 0,
    })
  }

  /** Bytes held, overhead included. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): StoredAnswer | undefined {
    return this.#entries.get(key)
  }

  /** Too large an answer is not kept. */
  set(key: string, answer: StoredAnswer, ttlMs: Milliseconds): void {
    this.#entries.set(key, ownBytes(answer), { ttl: Math.max(1, Math.min(ttlMs, L1_TTL_MS)) })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}

/** A view on a larger buffer (a socket read) would keep all of it alive. */
function ownBytes(answer: StoredAnswer): StoredAnswer {
  const { document } = answer
  return document.byteLength === document.buffer.byteLength ? answer : { ...answer, document: document.slice() }
}

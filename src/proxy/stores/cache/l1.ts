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

const PIECE_BYTES = 1_024

export class NearCache {
  readonly #entries: LRUCache<string, StoredAnswer>

  constructor(now: Now, maxBytes: number = L1_BYTES) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      // One answer never pushes out more than a sixteenth of the others.
      maxEntrySize: Math.ceil(maxBytes / 16),
      sizeCalculation: (answer, key) => answer.document.buffer.byteLength + key.length + ENTRY_OVERHEAD_BYTES,
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

/**
 * A copy in a piece of memory of its own: a view on a larger buffer (a socket read) would keep all of it alive. Pieces
 * come in few sizes, so that the C heap can use again what an answer leaves; of all sizes they leave holes that grow
 * the process by tens of megabytes in a million answers.
 */
function ownBytes(answer: StoredAnswer): StoredAnswer {
  const { length } = answer.document
  const piece = Buffer.allocUnsafeSlow(Math.ceil(length / PIECE_BYTES) * PIECE_BYTES)
  piece.set(answer.document)
  return { ...answer, document: piece.subarray(0, length) }
}

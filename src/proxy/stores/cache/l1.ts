/** The first level: answers in this process, least recently used out, bounded by bytes. */
import { LRUCache } from 'lru-cache'
import type { StoredAnswer } from '../../../domain/caching/stored-answer.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { Now } from '../../pipeline/ports.ts'
import { BytePages, sizeInPages, type StoredBytes } from './byte-pages.ts'

/** What a sidecar can spare; an answer is some two kilobytes. @see DESIGN section 7 */
export const L1_BYTES = 16 * 1024 * 1024
/** Short, because a purge or a new answer elsewhere is not told to this process. */
export const L1_TTL_MS = 60_000
/** Objects, map slots and links of one entry, measured generously. */
const ENTRY_OVERHEAD_BYTES = 512

const LONGEST = { ttl: L1_TTL_MS }

interface Entry extends Omit<StoredAnswer, 'document'> {
  readonly stored: StoredBytes
}

export class NearCache {
  readonly #entries: LRUCache<string, Entry>
  readonly #pages = new BytePages()
  readonly #maxEntryBytes: number

  constructor(now: Now, maxBytes: number = L1_BYTES) {
    // One answer never pushes out more than a sixteenth of the others.
    this.#maxEntryBytes = Math.ceil(maxBytes / 16)
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ stored }, key) => sizeOf(key, stored.length),
      dispose: ({ stored }) => this.#pages.release(stored),
      ttl: L1_TTL_MS,
      perf: { now },
      ttlResolution: 0,
    })
  }

  /** Bytes held, overhead included. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  /** Memory taken for documents, in use or not. */
  get pageBytes(): number {
    return this.#pages.bytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** Of the document under `key`; 0: there is none. */
  bytesOf(key: string): number {
    return this.#entries.peek(key)?.stored.length ?? 0
  }

  get(key: string): StoredAnswer | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const { format, deployment, virtualKey, storedAtMs, purges, stored } = entry
    return { format, document: this.#pages.read(stored), deployment, virtualKey, storedAtMs, purges }
  }

  /** Too large an answer is not kept. */
  set(key: string, answer: StoredAnswer, ttlMs: Milliseconds): void {
    const { format, document, deployment, virtualKey, storedAtMs, purges } = answer
    if (sizeOf(key, document.length) > this.#maxEntryBytes) {
      // Nor is the one before given for it.
      this.#entries.delete(key)
      return
    }
    const entry = { format, deployment, virtualKey, storedAtMs, purges, stored: this.#pages.store(document) }
    this.#entries.set(key, entry, ttlMs >= L1_TTL_MS ? LONGEST : { ttl: Math.max(1, ttlMs) })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}

function sizeOf(key: string, documentBytes: number): number {
  return sizeInPages(documentBytes) + key.length + ENTRY_OVERHEAD_BYTES
}

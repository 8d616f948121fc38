/**
 * Memory for many byte strings of all sizes that come and go: pages that are taken once and never given back, cut into
 * pieces of one size. A buffer for each string would be freed only by the collector's next full turn, and of all sizes
 * they leave holes in the C heap: a cache of 16 MiB then holds the process at five times as much.
 */

const PIECE_BYTES = 1_024
const PIECES_PER_PAGE = 1_024

/** Where a byte string is. Valid until it is released. */
export interface StoredBytes {
  readonly pieces: readonly number[]
  readonly length: number
}

export class BytePages {
  readonly #pages: Buffer[] = []
  readonly #free: number[] = []

  /** Memory taken so far. */
  get bytes(): number {
    return this.#pages.length * PIECES_PER_PAGE * PIECE_BYTES
  }

  /** Copies bytes in. */
  store(bytes: Uint8Array): StoredBytes {
    const { length } = bytes
    // The list lives as long as what is stored, and one that grows takes room for seventeen; its copy, for what it holds.
    if (length <= PIECE_BYTES) return { pieces: [this.#put(bytes)], length }
    const pieces: number[] = []
    for (let at = 0; at < length; at += PIECE_BYTES) pieces.push(this.#put(bytes.subarray(at, at + PIECE_BYTES)))
    return { pieces: pieces.slice(), length }
  }

  /** A copy: what is stored may be released at any time. */
  read({ pieces, length }: StoredBytes): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let at = 0
    for (const piece of pieces) {
      const start = startOf(piece)
      this.#pageOf(piece).copy(bytes, at, start, start + Math.min(PIECE_BYTES, length - at))
      at += PIECE_BYTES
    }
    return bytes
  }

  /** To be called once. */
  release({ pieces }: StoredBytes): void {
    for (const piece of pieces) this.#free.push(piece)
  }

  #put(part: Uint8Array): number {
    const piece = this.#take()
    this.#pageOf(piece).set(part, startOf(piece))
    return piece
  }

  #take(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    const first = this.#pages.push(Buffer.allocUnsafeSlow(PIECES_PER_PAGE * PIECE_BYTES)) * PIECES_PER_PAGE
    for (let piece = first - 1; piece > first - PIECES_PER_PAGE; piece--) this.#free.push(piece)
    return first - PIECES_PER_PAGE
  }

  #pageOf(piece: number): Buffer {
    const page = this.#pages[Math.floor(piece / PIECES_PER_PAGE)]
    if (page === undefined) throw new RangeError('no such piece')
    return page
  }
}

/** Where in its page. */
function startOf(piece: number): number {
  return (piece % PIECES_PER_PAGE) * PIECE_BYTES
}

/** What a byte string of a length takes. */
export function sizeInPages(length: number): number {
  return Math.max(1, Math.ceil(length / PIECE_BYTES)) * PIECE_BYTES
}

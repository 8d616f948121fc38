/** How many streams there may be and how often one peer may try: an attacker's cost, not a sidecar's. */

/** Memory bound: a stream is some ten kilobytes. */
const MAX_STREAMS = 20_000
/** A restarted container overlaps with the connection that it left behind. */
const MAX_STREAMS_PER_PEER = 4
/** A sidecar with backoff tries less often than this. */
const MAX_ATTEMPTS = 30
const WINDOW_MS = 60_000
const MAX_PEERS = 50_000

interface Peer {
  streams: number
  attempts: number
  windowEndsMs: number
}

export class AdmissionLimits {
  readonly #now: () => number
  readonly #peers = new Map<string, Peer>()
  #streams = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes a place; undefined: there is none. Call what is returned once, when the stream has ended. */
  enter(address: string): (() => void) | undefined {
    const peer = this.#peer(address)
    if (peer === undefined) return undefined
    peer.attempts++
    if (this.#streams >= MAX_STREAMS || peer.streams >= MAX_STREAMS_PER_PEER || peer.attempts > MAX_ATTEMPTS)
      return undefined
    peer.streams++
    this.#streams++
    return () => {
      peer.streams--
      this.#streams--
    }
  }

  #peer(address: string): Peer | undefined {
    const now = this.#now()
    let peer = this.#peers.get(address)
    if (peer === undefined) {
      if (this.#peers.size >= MAX_PEERS) this.#forget(now)
      if (this.#peers.size >= MAX_PEERS) return undefined
      peer = { streams: 0, attempts: 0, windowEndsMs: now + WINDOW_MS }
      this.#peers.set(address, peer)
    } else if (peer.windowEndsMs <= now) {
      peer.attempts = 0
      peer.windowEndsMs = now + WINDOW_MS
    }
    return peer
  }

  #forget(now: number): void {
    for (const [address, peer] of this.#peers)
      if (peer.streams === 0 && peer.windowEndsMs <= now) this.#peers.delete(address)
  }
}

/**
 * How many connections there may be, judged before a byte of TLS is read: each costs some 80 kB, and any pod can open
 * them. A sidecar has one, and a second while the first is given up.
 */
import type { Socket } from 'node:net'

/** As many as there may be streams. */
const MAX_CONNECTIONS = 20_000
const MAX_CONNECTIONS_PER_PEER = 8

export class ConnectionLimits {
  readonly #byPeer = new Map<string, number>()
  readonly #sockets = new Set<Socket>()

  /** Whether the connection may stay; otherwise it has been cut. */
  admit(socket: Socket): boolean {
    const peer = socket.remoteAddress
    const count = this.#byPeer.get(peer ?? '') ?? 0
    if (peer === undefined || count >= MAX_CONNECTIONS_PER_PEER || this.#sockets.size >= MAX_CONNECTIONS) {
      socket.destroy()
      return false
    }
    this.#byPeer.set(peer, count + 1)
    this.#sockets.add(socket)
    socket.once('close', () => this.#leave(socket, peer))
    return true
  }

  /** Cuts all that are left. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #leave(socket: Socket, peer: string): void {
    this.#sockets.delete(socket)
    const count = this.#byPeer.get(peer) ?? 0
    if (count > 1) this.#byPeer.set(peer, count - 1)
    else this.#byPeer.delete(peer)
  }
}

/** Leaving without breaking an answer: take what has come, stop accepting, let what runs finish up to a limit, then go. */
import type { Server, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LinkedList, type Linked } from '../../domain/linked-list.ts'

/** Below Kubernetes' default grace period of 30 s, which applications of the pod share. */
export const DRAIN_LIMIT_MS = 25_000

/**
 * Turns of the event loop without a new connection, after which none is waiting: the first may end without looking at sockets,
 * one accepts a connection (no more than one, since libuv 1.45), one reads what its client has sent.
 */
const QUIET_TURNS = 3

/** The system holds no more connections for a server, Node's `backlog`. */
const MOST_TURNS = 512

/** For what is said of the end, which clients that read have at once. */
const LAST_WORDS_MS = 500

/** Within this those that were cut have heard of it. */
const CUT_LIMIT_MS = 1_000

interface Running extends Linked<Running> {
  readonly response: ServerResponse
}

export class Drain {
  #draining = false
  readonly #running = new LinkedList<Running>()
  #idle: (() => void) | undefined

  get draining(): boolean {
    return this.#draining
  }

  /** Counts the server's requests in progress. Call it before the server listens. */
  watch(server: Server): void {
    server.prependListener('request', (_request, response) => {
      const running: Running = { response, previous: undefined, next: undefined }
      this.#running.add(running)
      if (this.#draining) response.shouldKeepAlive = false
      // Not by `once`, which makes two objects more: a response closes once.
      response.on('close', () => this.#ended(running))
    })
  }

  /**
   * Resolves when the last request has ended, or after `limitMs` when the rest has been cut: true where nothing was left
   * unfinished. Whoever acts on the end of its connection has done so by then, as far as that needs no waiting.
   * @param onLimit called before the cut: who can, says to its client that its answer ends here
   */
  async start(server: Server, limitMs: number, onLimit: () => void = () => {}): Promise<boolean> {
    this.#draining = true
    for (const response of lastOfEachConnection(this.#running)) response.shouldKeepAlive = false
    await takeWhatHasCome(server)
    server.close()
    server.closeIdleConnections()
    const finished = await this.#untilIdle(limitMs)
    if (!finished) {
      onLimit()
      await this.#untilIdle(LAST_WORDS_MS)
    }
    server.closeAllConnections()
    if (!finished) await this.#untilIdle(CUT_LIMIT_MS)
    await nextTurn()
    return finished
  }

  #ended(running: Running): void {
    this.#running.remove(running)
    if (this.#running.size === 0) this.#idle?.()
  }

  #untilIdle(limitMs: number): Promise<boolean> {
    if (this.#running.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs)
      this.#idle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }
}

/** Closed at once, connections that wait to be accepted would be lost, with requests that were sent before the end was near. */
async function takeWhatHasCome(server: Server): Promise<void> {
  let quiet = 0
  const accepted = (): void => {
    quiet = 0
  }
  server.on('connection', accepted)
  for (let turn = 0; quiet < QUIET_TURNS && turn < MOST_TURNS; turn++) {
    quiet += 1
    await nextTurn()
  }
  server.off('connection', accepted)
}

/**
 * Told that its connection lives on, a client would send its next request into the end of it; told so by an earlier one
 * of pipelined answers, it would not get the later ones.
 */
function lastOfEachConnection(running: Iterable<Running>): Iterable<ServerResponse> {
  return new Map(Array.from(running, ({ response }) => [response.req.socket, response])).values()
}

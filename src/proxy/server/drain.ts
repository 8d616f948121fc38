/** Leaving without breaking an answer: take what has come, stop accepting, let what runs finish up to a limit, then go. */
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunningAnswers } from './running-answers.ts'

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

export class Drain {
  #draining = false
  readonly #running: RunningAnswers

  constructor(running: RunningAnswers) {
    this.#running = running
  }

  get draining(): boolean {
    return this.#draining
  }

  /**
   * Resolves when the last request has ended, or after `limitMs` when the rest has been cut: true where nothing was left
   * unfinished. Whoever acts on the end of its connection has done so by then, as far as that needs no waiting.
   * @param onLimit called before the cut: who can, says to its client that its answer ends here
   */
  async start(server: Server, limitMs: number, onLimit: () => void = () => {}): Promise<boolean> {
    this.#draining = true
    // Told that its connection lives on, a client would send its next request into the end of it; told so by an earlier
    // one of pipelined answers, it would not get the later ones.
    for (const response of this.#running.lastOfEachConnection()) response.shouldKeepAlive = false
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
    await takeWhatHasCome(server)
    server.close()
    server.closeIdleConnections()
    const finished = await this.#running.untilIdle(limitMs)
    if (!finished) {
      onLimit()
      await this.#running.untilIdle(LAST_WORDS_MS)
    }
    server.closeAllConnections()
    if (!finished) await this.#running.untilIdle(CUT_LIMIT_MS)
    await nextTurn()
    return finished
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

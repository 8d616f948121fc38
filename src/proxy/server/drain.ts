/** Leaving without breaking an answer: stop accepting, let what runs finish up to a limit, then go. */
import type { Server, ServerResponse } from 'node:http'

/** Below Kubernetes' default grace period of 30 s, which applications of the pod share. */
export const DRAIN_LIMIT_MS = 25_000

/** Within this those that were cut have heard of it. */
const CUT_LIMIT_MS = 1_000

export class Drain {
  #draining = false
  readonly #running = new Set<ServerResponse>()
  #idle: (() => void) | undefined

  get draining(): boolean {
    return this.#draining
  }

  /** Counts the server's requests in progress. Call it before the server listens. */
  watch(server: Server): void {
    // One for all responses, and not by `once`, which makes two objects: a response closes once.
    const running = this.#running
    const idle = () => this.#idle?.()
    function ended(this: ServerResponse): void {
      running.delete(this)
      if (running.size === 0) idle()
    }
    server.prependListener('request', (_request, response) => {
      running.add(response)
      if (this.#draining) response.shouldKeepAlive = false
      response.on('close', ended)
    })
  }

  /**
   * Resolves when the last request has ended, or after `limitMs` when the rest has been cut: true where nothing was left
   * unfinished. Whoever acts on the end of its connection has done so by then, as far as that needs no waiting.
   */
  async start(server: Server, limitMs: number): Promise<boolean> {
    this.#draining = true
    for (const response of lastOfEachConnection(this.#running)) response.shouldKeepAlive = false
    server.close()
    server.closeIdleConnections()
    const finished = await this.#untilIdle(limitMs)
    server.closeAllConnections()
    if (!finished) await this.#untilIdle(CUT_LIMIT_MS)
    await new Promise((resolve) => setImmediate(resolve))
    return finished
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

/**
 * Told that its connection lives on, a client would send its next request into the end of it; told so by an earlier one
 * of pipelined answers, it would not get the later ones.
 */
function lastOfEachConnection(running: Iterable<ServerResponse>): Iterable<ServerResponse> {
  return new Map(Array.from(running, (response) => [response.req.socket, response])).values()
}

/** The answers that a server owes, in the order of their requests. */
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { LinkedList, type Linked } from '../../domain/linked-list.ts'

interface Running extends Linked<Running> {
  readonly response: ServerResponse
}

export class RunningAnswers {
  readonly #running = new LinkedList<Running>()
  #idle: (() => void) | undefined

  /** From now on the server's requests count. Call it before the server listens. */
  watch(server: Server): void {
    server.prependListener('request', (_request, response) => {
      const running: Running = { response, previous: undefined, next: undefined }
      this.#running.add(running)
      // Not by `once`, which makes two objects more: a response closes once.
      response.on('close', () => this.#ended(running))
    })
  }

  get size(): number {
    return this.#running.size
  }

  /** Of each connection the one that began last. */
  lastOfEachConnection(): Iterable<ServerResponse> {
    return new Map(Array.from(this.#running, ({ response }) => [response.req.socket, response])).values()
  }

  /** The last one on a connection whose request has come whole. */
  lastRequested(socket: Duplex): ServerResponse | undefined {
    return this.#lastOf(({ req }) => req.socket === socket && req.complete)
  }

  /** The one on a connection whose request has come in part. */
  incomplete(socket: Duplex): ServerResponse | undefined {
    return this.#lastOf(({ req }) => req.socket === socket && !req.complete)
  }

  /** Resolves when none is left, or after `limitMs`: whether none was. */
  untilIdle(limitMs: number): Promise<boolean> {
    if (this.#running.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs)
      this.#idle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  #lastOf(isMeant: (response: ServerResponse) => boolean): ServerResponse | undefined {
    return Array.from(this.#running, ({ response }) => response).findLast(isMeant)
  }

  #ended(running: Running): void {
    this.#running.remove(running)
    if (this.#running.size === 0) this.#idle?.()
  }
}

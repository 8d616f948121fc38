/**
 * Lets go of a client that takes nothing of its answer: nginx's `send_timeout`, Envoy's `stream_flush_timeout`.
 *
 * The clock is Node's own of a connection (`setTimeout`): when it runs out, Node looks whether the kernel has taken
 * anything since it looked last, also of a write that is not done. So a client that reads slowly is not cut off; one that
 * does not read is, between one and two times the timeout. It runs while bytes wait, and no longer: a small answer, which
 * the kernel takes at once, never starts it. Behind an earlier answer on its connection it starts when that has gone.
 *
 * Known limits: the kernel says that it takes more when a third of its buffer is free, not with each byte that is read
 * (measured over loopback: who reads 5 KB a second is let go after 120 s, who reads 40 KB is not); and what the client
 * sends starts the clock anew, which it can do no longer than one request may take to arrive: while bytes wait, Node does
 * not read on behind it.
 */
import type { ServerResponse } from 'node:http'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'

/** As nginx has it. @see https://nginx.org/en/docs/http/ngx_http_core_module.html#send_timeout */
const SEND_TIMEOUT_MS: Milliseconds = 60_000

export interface SendOptions {
  /** How long a client may take nothing of what waits for it. */
  readonly timeoutMs?: Milliseconds | undefined
  /** A client is let go with so many bytes waiting in the process. */
  readonly onStalled?: (waitingBytes: number) => void
}

/** Of one answer whose bytes wait, or have waited. */
export class SendClock {
  readonly #response: ServerResponse
  readonly #timeoutMs: Milliseconds

  constructor(response: ServerResponse, { timeoutMs = SEND_TIMEOUT_MS, onStalled }: SendOptions) {
    this.#response = response
    this.#timeoutMs = timeoutMs
    // Before Node's own listener, after which the connection is the next answer's, or idle.
    response.prependListener('finish', () => this.stop())
    response.on('timeout', () => {
      onStalled?.(response.writableLength)
      response.destroy()
    })
  }

  start(): void {
    this.#response.setTimeout(this.#timeoutMs)
  }

  stop(): void {
    this.#response.setTimeout(0)
  }
}

/**
 * When a request is sent a second time, because its connection had been kept and the server closed it just then.
 *
 * A closing and a request can cross on their way. The client then sees a connection that breaks before the first byte of
 * an answer; so it does where the server took the request and died over it, and there a model may have been paid for. HTTP
 * cannot tell the two apart, the clock mostly can: a closing that was under way when the request was sent arrives within
 * one round trip. RFC 9110 section 9.2.2 asks that a client knows a repeated request to do no harm: a call of a model
 * changes nothing, it only costs, and what a server can do within a round trip costs little. Go, and nginx for a POST,
 * send only what was not written at all, and lose the rest.
 */
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import { isBrokenConnection } from './attempt-error.ts'

/** A round trip between neighbouring continents; most providers are within 30 ms. */
export const CROSSING_MS: Milliseconds = 100

/** Of one exchange: whether its request may still be sent a second time. */
export class SecondSending {
  readonly #crossingMs: Milliseconds
  /**
   * As long as nothing of the request was sent, a broken connection says nothing, however late: a kept one whose reset
   * undici sees just before it writes, or a TLS handshake, which is not told apart.
   */
  #untilMs: Milliseconds = Infinity

  constructor(crossingMs: Milliseconds) {
    this.#crossingMs = crossingMs
  }

  /** The request is being written, at `nowMs` of `performance.now`. */
  written(nowMs: Milliseconds, isNewConnection: boolean): void {
    this.#untilMs = isNewConnection ? -Infinity : Math.min(this.#untilMs, nowMs + this.#crossingMs)
  }

  ruleOut(): void {
    this.#untilMs = -Infinity
  }

  /** Whether the error that ended the exchange calls for it: once at most. */
  isDue(error: unknown): boolean {
    const isDue = isBrokenConnection(error) && performance.now() <= this.#untilMs
    this.ruleOut()
    return isDue
  }
}

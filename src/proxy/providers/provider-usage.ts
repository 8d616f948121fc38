/** How much of a provider's own limits this process has in use. */
import {
  addToWindow,
  EMPTY_WINDOW,
  takeFromWindow,
  untilUsedAtMost,
  usedInWindow,
  type MinuteWindow,
} from '../../domain/routing/minute-window.ts'
import type { Milliseconds, ProviderEntry } from '../../domain/snapshot/snapshot.ts'

type Limits = ProviderEntry['limits']

export class ProviderUsage {
  #inFlight = 0
  #requests: MinuteWindow = EMPTY_WINDOW
  #tokens: MinuteWindow = EMPTY_WINDOW

  isFull({ maxConcurrent, requestsPerMinute, tokensPerMinute }: Limits, nowMs: Milliseconds): boolean {
    if (maxConcurrent !== undefined && this.#inFlight >= maxConcurrent) return true
    if (requestsPerMinute !== undefined && usedInWindow(this.#requests, nowMs) + 1 > requestsPerMinute) return true
    return tokensPerMinute !== undefined && usedInWindow(this.#tokens, nowMs) >= tokensPerMinute
  }

  /** Until the limits of a minute let another request through; 0: they do. */
  fullForMs({ requestsPerMinute, tokensPerMinute }: Limits, nowMs: Milliseconds): Milliseconds {
    return Math.max(
      requestsPerMinute === undefined ? 0 : untilUsedAtMost(this.#requests, requestsPerMinute - 1, nowMs),
      tokensPerMinute === undefined ? 0 : untilUsedAtMost(this.#tokens, tokensPerMinute - 1, nowMs),
    )
  }

  /** A request begins. @returns what ends it, to be called once: one that was not sent takes nothing of the minute's */
  enter({ requestsPerMinute }: Limits, nowMs: Milliseconds): (wasSent: boolean) => void {
    // One that began before there was a limit takes none of those away that count.
    const counted = requestsPerMinute === undefined ? 0 : 1
    if (counted > 0) this.#requests = addToWindow(this.#requests, counted, nowMs)
    this.#inFlight += 1
    return (wasSent) => {
      this.#inFlight -= 1
      if (!wasSent) this.#requests = takeFromWindow(this.#requests, counted, nowMs)
    }
  }

  addTokens(tokens: number, nowMs: Milliseconds): void {
    this.#tokens = addToWindow(this.#tokens, tokens, nowMs)
  }
}

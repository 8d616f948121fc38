/** Rate levels and open requests of one scope, in memory. */
import { requestRate, refill, tokenRate } from '../../../domain/quota/rate.ts'
import type { RateLevel } from '../../../domain/quota/rate.ts'
import type { Milliseconds, RateLimits } from '../../../domain/snapshot/snapshot.ts'

export class RateCounter {
  #requests: RateLevel | undefined
  #tokens: RateLevel | undefined
  #open = 0
  touchedMs: Milliseconds = 0

  /** Requests in flight. */
  get open(): number {
    return this.#open
  }

  requestLevel(limits: RateLimits, nowMs: Milliseconds): number {
    const rate = requestRate(limits)
    return rate === undefined ? 0 : refill(rate, this.#requests, nowMs)
  }

  tokenLevel(limits: RateLimits, nowMs: Milliseconds): number {
    const rate = tokenRate(limits)
    return rate === undefined ? 0 : refill(rate, this.#tokens, nowMs)
  }

  setRequests(level: number, atMs: Milliseconds): void {
    this.#requests = { level, atMs }
  }

  setTokens(level: number, atMs: Milliseconds): void {
    this.#tokens = { level, atMs }
  }

  enter(): void {
    this.#open++
  }

  /** Never below zero: the request may be older than this counter. */
  leave(): void {
    this.#open = Math.max(0, this.#open - 1)
  }
}

/** What is spent and reserved in one window of one scope, in memory. */
import { addCharges, amountIn, NOTHING_USED, subtractCharges } from '../../../domain/quota/amounts.ts'
import type { Charge } from '../../../domain/quota/amounts.ts'
import type { WindowState } from '../../../domain/quota/decide.ts'
import type { PlannedLimit } from '../../../domain/quota/limits.ts'
import { ROLLING_BUCKETS } from '../../../domain/quota/windows.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'

/** A counter of a calendar window, or of a rolling one where it has a bucket length. */
export class WindowCounter implements WindowState {
  /** End of a calendar window; undefined for `Total` and rolling windows. */
  readonly endMs: Milliseconds | undefined
  readonly #bucketMs: Milliseconds | undefined
  /** Spent amounts of a rolling window by bucket number, oldest first unless the clock went back. */
  readonly #buckets = new Map<number, Charge>()
  #spent: Charge = NOTHING_USED
  #reserved: Charge = NOTHING_USED
  #touchedMs: Milliseconds = 0

  constructor(endMs: Milliseconds | undefined, bucketMs: Milliseconds | undefined) {
    this.endMs = endMs
    this.#bucketMs = bucketMs
  }

  get spent(): Charge {
    return this.#spent
  }

  get reserved(): Charge {
    return this.#reserved
  }

  get touchedMs(): Milliseconds {
    return this.#touchedMs
  }

  /** Drops the buckets that are older than the window. */
  advance(nowMs: Milliseconds): void {
    this.#touchedMs = nowMs
    if (this.#bucketMs === undefined) return
    const oldest = Math.floor(nowMs / this.#bucketMs) - ROLLING_BUCKETS
    for (const [bucket, charge] of this.#buckets) {
      if (bucket >= oldest) continue
      this.#buckets.delete(bucket)
      this.#spent = floorAtZero(subtractCharges(this.#spent, charge))
    }
  }

  reserve(bound: Charge): void {
    this.#reserved = addCharges(this.#reserved, bound)
  }

  /** Never below zero: the reservation may be older than this counter. */
  release(bound: Charge): void {
    this.#reserved = floorAtZero(subtractCharges(this.#reserved, bound))
  }

  /** Counts a charge, in a rolling window into the bucket of `atMs` unless that has already dropped out. */
  spend(charge: Charge, atMs: Milliseconds, nowMs: Milliseconds): void {
    if (this.#bucketMs !== undefined) {
      const bucket = Math.floor(atMs / this.#bucketMs)
      if (bucket < Math.floor(nowMs / this.#bucketMs) - ROLLING_BUCKETS) return
      this.#buckets.set(bucket, addCharges(this.#buckets.get(bucket) ?? NOTHING_USED, charge))
    }
    this.#spent = floorAtZero(addCharges(this.#spent, charge))
  }

  resetAtMs(limit: PlannedLimit, excess: number): Milliseconds | undefined {
    if (this.#bucketMs === undefined) return this.endMs
    let freed = 0
    for (const [bucket, charge] of [...this.#buckets].toSorted(([left], [right]) => left - right)) {
      freed += amountIn(limit.unit, charge)
      if (freed >= excess) return (bucket + ROLLING_BUCKETS + 1) * this.#bucketMs
    }
    return undefined
  }

  /** When the oldest amount drops out of a rolling window, the end of a calendar one. */
  nextResetMs(): Milliseconds | undefined {
    if (this.#bucketMs === undefined) return this.endMs
    const oldest = Math.min(...this.#buckets.keys())
    return Number.isFinite(oldest) ? (oldest + ROLLING_BUCKETS + 1) * this.#bucketMs : undefined
  }
}

function floorAtZero(charge: Charge): Charge {
  const { costMicroUsd, inputTokens, outputTokens } = charge
  if (costMicroUsd >= 0 && inputTokens >= 0 && outputTokens >= 0) return charge
  return {
    costMicroUsd: Math.max(0, costMicroUsd),
    inputTokens: Math.max(0, inputTokens),
    outputTokens: Math.max(0, outputTokens),
  }
}

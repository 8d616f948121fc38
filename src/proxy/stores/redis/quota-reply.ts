/** Parses what the quota scripts return. */
import type { RateState, RateStates } from '../../../domain/quota/decide-rate.ts'
import type { WindowState, WindowStates } from '../../../domain/quota/decide.ts'
import type { PlannedScope, PlannedWindow, QuotaPlan } from '../../../domain/quota/limits.ts'
import type { RefusalReason } from '../../../domain/quota/outcome.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'

/** A reply list; a position that does not hold what it should is an error of the script. */
export class QuotaReply {
  readonly #items: readonly unknown[]

  /** @throws {TypeError} where it is no list */
  constructor(reply: unknown) {
    if (!Array.isArray(reply)) throw new TypeError('a quota script did not return a list')
    this.#items = reply
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  integer(index: number): number {
    return asInteger(this.#items[index])
  }

  /** -1 means absent. */
  optional(index: number): number | undefined {
    const value = this.integer(index)
    return value < 0 ? undefined : value
  }

  reason(index: number): RefusalReason {
    const reason = REASONS.find((known) => known === this.#items[index])
    if (reason === undefined) throw new TypeError('a quota script returned an unknown reason')
    return reason
  }

  /** Six figures a window: spent and reserved cost, input and output. */
  windowStates(plan: QuotaPlan, index: number): WindowStates {
    const figures = this.#integers(index)
    const states = new Map<PlannedWindow, WindowState>()
    let at = 0
    const next = () => figures[at++] ?? 0
    const amounts = () => ({ costMicroUsd: next(), inputTokens: next(), outputTokens: next() })
    for (const window of windowsOf(plan)) {
      states.set(window, { spent: amounts(), reserved: amounts(), resetAtMs: unknownReset })
    }
    return (_scope, window) => found(states.get(window))
  }

  /** Start and next reset of each window. */
  windowSpans(
    plan: QuotaPlan,
    index: number,
  ): Map<PlannedWindow, { startMs: Milliseconds; resetAtMs: Milliseconds | undefined }> {
    const figures = this.#integers(index)
    return new Map(
      windowsOf(plan).map((window, position) => {
        const [startMs = 0, reset = -1] = figures.slice(position * 2, position * 2 + 2)
        return [window, { startMs, resetAtMs: reset < 0 ? undefined : reset }]
      }),
    )
  }

  /** Three figures a scope: level of requests, of tokens, open requests. */
  rateStates(plan: QuotaPlan, index: number): RateStates {
    const figures = this.#integers(index)
    const states = new Map<PlannedScope, RateState>()
    let at = 0
    const next = () => figures[at++] ?? 0
    for (const scope of plan.scopes) states.set(scope, { requestLevel: next(), tokenLevel: next(), open: next() })
    return (scope) => found(states.get(scope))
  }

  #integers(index: number): number[] {
    const list = this.#items[index]
    if (!Array.isArray(list)) throw new TypeError('a quota script did not return its figures')
    return list.map(asInteger)
  }
}

const REASONS: readonly RefusalReason[] = ['rate-limit', 'concurrency', 'budget', 'token-quota', 'reserved']

function asInteger(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('a quota script did not return a number')
  return value
}

function unknownReset(): undefined {
  return undefined
}

function windowsOf(plan: QuotaPlan): PlannedWindow[] {
  return plan.scopes.flatMap((scope) => [...scope.windows])
}

function found<T>(state: T | undefined): T {
  if (state === undefined) throw new TypeError('the figures of another plan were asked for')
  return state
}

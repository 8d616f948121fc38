/** Parses what the quota scripts return: integers with a space between them, because a text is read in one piece. */
import type { RateState } from '../../../domain/quota/decide-rate.ts'
import type { Charge } from '../../../domain/quota/amounts.ts'
import type { RefusalReason } from '../../../domain/quota/outcome.ts'

/** Figures of one window: spent cost, input and output tokens, and the same reserved. */
const WINDOW_FIGURES = 6
/** Levels of one scope: requests, tokens, open requests. */
const SCOPE_LEVELS = 3

/** A position that does not hold what it should is an error of the script. */
export class QuotaReply {
  readonly #figures: readonly number[]

  /** @throws {TypeError} where it is not a text of integers */
  constructor(reply: unknown) {
    if (typeof reply !== 'string') throw new TypeError('a quota script did not return a text')
    this.#figures = parseIntegers(reply)
  }

  integer(index: number): number {
    const figure = this.#figures[index]
    if (figure === undefined) throw new TypeError('a quota script returned too few figures')
    return figure
  }

  /** -1 means absent. */
  optional(index: number): number | undefined {
    const value = this.integer(index)
    return value < 0 ? undefined : value
  }

  reason(index: number): RefusalReason {
    const reason = REASONS[this.integer(index)]
    if (reason === undefined) throw new TypeError('a quota script returned an unknown reason')
    return reason
  }

  /** Of the window at `position`, where the figures of the first one begin at `index`. */
  spent(index: number, position: number): Charge {
    return this.#charge(index + position * WINDOW_FIGURES)
  }

  reserved(index: number, position: number): Charge {
    return this.#charge(index + position * WINDOW_FIGURES + 3)
  }

  /** Of the scope at `position` among those with rates, where the levels of the first one begin at `index`. */
  rateState(index: number, position: number): RateState {
    const at = index + position * SCOPE_LEVELS
    return { requestLevel: this.integer(at), tokenLevel: this.integer(at + 1), open: this.integer(at + 2) }
  }

  #charge(at: number): Charge {
    return { costMicroUsd: this.integer(at), inputTokens: this.integer(at + 1), outputTokens: this.integer(at + 2) }
  }
}

/** Where the levels begin, after the figures of so many windows that begin at `index`. */
export function afterWindows(index: number, windows: number): number {
  return index + windows * WINDOW_FIGURES
}

/** In the order of the numbers in `quota-rates.lua` and `quota-decide.lua`. */
const REASONS: readonly RefusalReason[] = ['rate-limit', 'concurrency', 'budget', 'token-quota', 'reserved']

const SPACE = 0x20
const MINUS = 0x2d
const ZERO = 0x30

/** One pass, and no piece of text for each number. */
function parseIntegers(text: string): number[] {
  const integers: number[] = []
  let value = 0
  let sign = 1
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const digit = unit - ZERO
    if (digit >= 0 && digit <= 9) value = value * 10 + digit
    else if (unit === MINUS) sign = -1
    else if (unit === SPACE) {
      integers.push(sign * value)
      value = 0
      sign = 1
    } else return parseOddNumbers(text)
  }
  integers.push(sign * value)
  return integers
}

/** Somebody else wrote a counter: Redis and Lua take `1e3` for a number. @throws {TypeError} */
function parseOddNumbers(text: string): number[] {
  return text.split(' ').map((part) => {
    const value = Math.trunc(Number(part))
    if (!Number.isFinite(value)) throw new TypeError('a quota script did not return a number')
    return value
  })
}

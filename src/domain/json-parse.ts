/**
 * Reading JSON without losing digits. A number that a double would write otherwise (ids beyond 2^53, `1e400`, more digits
 * than a double keeps) stays as its text, a `RawNumber`, which `JSON.stringify` writes as it came.
 *
 * 1. `JSON.parse` reads every text (json-value.ts). Few hold a number that could be concerned, which a regular expression
 *    sees: for all others that is the end.
 * 2. The text is walked over with the names and indices that lead to each place; strings are passed over by the engine.
 * 3. What stands there in the value, and is the double of that number, is replaced. A reviver would do the same at two
 *    to seven times the cost: a second for the largest request, in which nothing else runs.
 *
 * Limits: numbers that a double writes as another text of the same value (`1.0`, `-0`, `1e2`) may be written so.
 */
import { isContainer, numberOf, putField, type Container, type JsonValue } from './json.ts'
import { followsGrammar } from './json-grammar.ts'
import { endOfString, holdsAtMost, isModest, SMALL_TEXT, stringAt } from './json-text.ts'
import { jsonValue } from './json-value.ts'

/**
 * Fewer than 16 digits, and exponents of two, are always safe. Also seen in base64 and in ids, at no more than the walk's cost.
 * Spelled out, since the engine skips through a text by what it knows of the next characters: counted, it takes ten times as long.
 */
const MAY_LOSE = new RegExp(`\\d${'[\\d.]'.repeat(15)}|\\d[eE][+-]?\\d\\d\\d`)

/** Of `1e400`: no shorter number loses anything. */
const MIN_CHARACTERS = 5

/** `JSON.stringify` recurses from the first number that is kept as text: at some 5,000 levels it would leave the stack. */
const MAX_RAW_DEPTH = 1_000

/** The value of a JSON text, with the digits of all its numbers. @throws {SyntaxError} as `JSON.parse` does */
export function parseJson(text: string): JsonValue {
  const value = jsonValue(text)
  if (isContainer(value)) keepDigits(value, text)
  return value
}

/** The same of a text inside a string; undefined where it is no JSON, or too much. @see isModest */
export function parseInnerJson(text: string): JsonValue | undefined {
  if (!isModest(text)) return undefined
  if (MAY_LOSE.test(text) && !holdsAtMost(text, Infinity, MAX_RAW_DEPTH)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Whether a text inside a string is a JSON document, of whatever kind. @see isModest */
export function isJson(text: string): boolean {
  if (!isModest(text)) return false
  // The engine is faster; what it builds must not be much.
  if (text.length > SMALL_TEXT) return followsGrammar(text)
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Puts the digits back that `value` has lost of `text`, whose value it is. */
export function keepDigits(value: Container, text: string): void {
  if (MAY_LOSE.test(text)) new DigitKeeper(value, text).walk()
}

/** An open object or array of the text. */
interface Level {
  readonly isArray: boolean
  /** The item that is being read. */
  index: number
  /** Where the last string inside begins and ends: before a value it is the value's name. */
  open: number
  close: number
  /** What it was parsed to: undefined where it was not looked up yet, null where the value has another in its place. */
  container: Container | null | undefined
}

const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39]

class DigitKeeper {
  readonly #root: Container
  readonly #text: string
  readonly #levels: Level[] = []

  constructor(root: Container, text: string) {
    this.#root = root
    this.#text = text
  }

  walk(): void {
    for (let at = 0; at < this.#text.length; at++) {
      switch (this.#text.charCodeAt(at)) {
        case 0x22: // "
          at = this.#passString(at)
          break
        case 0x7b: // {
          this.#enter(false)
          break
        case 0x5b: // [
          this.#enter(true)
          break
        case 0x7d: // }
        case 0x5d: // ]
          this.#levels.pop()
          break
        case 0x2c: // ,
          this.#nextItem()
          break
        default:
          if (beginsNumber(this.#text.charCodeAt(at))) at = this.#passNumber(at)
      }
    }
  }

  /** @returns where it ends */
  #passString(open: number): number {
    const close = endOfString(this.#text, open)
    const level = this.#levels.at(-1)
    if (level !== undefined) {
      level.open = open
      level.close = close
    }
    return close
  }

  #enter(isArray: boolean): void {
    const container = this.#levels.length === 0 ? this.#root : undefined
    this.#levels.push({ isArray, index: 0, open: 0, close: 0, container })
  }

  #nextItem(): void {
    const level = this.#levels.at(-1)
    if (level !== undefined) level.index += 1
  }

  /** @returns where it ends */
  #passNumber(start: number): number {
    let end = start + 1
    while (isInNumber(this.#text.charCodeAt(end))) end++
    if (end - start >= MIN_CHARACTERS) {
      const number = this.#text.slice(start, end)
      if (MAY_LOSE.test(number) && String(Number(number)) !== number) this.#keep(number)
    }
    return end - 1
  }

  /** Of fields with one name the value has the last: only what is the double of this number is replaced by it. */
  #keep(number: string): void {
    const level = this.#levels.at(-1)
    const container = this.#innermost()
    if (level === undefined || container === undefined) return
    if (numberOf(this.#itemOf(container, level)) === Number(number)) this.#put(container, level, JSON.rawJSON(number))
  }

  /** What the innermost level was parsed to: each is looked up once. Undefined where the value has another in its place. */
  #innermost(): Container | undefined {
    let known = this.#levels.length - 1
    while (known > 0 && this.#levels[known]?.container === undefined) known--
    let outer = this.#levels[known]
    for (const inner of this.#levels.slice(known + 1)) {
      const item = outer?.container ? this.#itemOf(outer.container, outer) : undefined
      inner.container = isContainer(item) && Array.isArray(item) === inner.isArray ? item : null
      outer = inner
    }
    return outer?.container ?? undefined
  }

  #itemOf(container: Container, level: Level): JsonValue | undefined {
    if (Array.isArray(container)) return container[level.index]
    const name = this.#nameAt(level)
    return Object.hasOwn(container, name) ? container[name] : undefined
  }

  #put(container: Container, level: Level, value: JsonValue): void {
    if (Array.isArray(container)) container[level.index] = value
    else putField(container, this.#nameAt(level), value)
  }

  #nameAt({ open, close }: Level): string {
    return stringAt(this.#text, open, close)
  }
}

function beginsNumber(code: number): boolean {
  return code === MINUS || (code >= ZERO && code <= NINE)
}

/** The text has been parsed before: what stands there is a number. */
function isInNumber(code: number): boolean {
  return beginsNumber(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b // . e E +
}

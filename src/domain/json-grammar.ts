/** Whether a text follows the grammar of JSON, told without building its values: those of a body may be ten times its size. */

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
/** All below are control characters. */
const SPACE = 0x20

const BLANKS = /[ \t\r\n]*/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** No text of a tool is nested deeper: what is open is remembered. */
const MAX_DEPTH = 100_000

/** Takes what `JSON.parse` takes, but for what is nested deeper than 100,000 levels. @see https://www.rfc-editor.org/rfc/rfc8259#section-2 */
export function followsGrammar(text: string): boolean {
  return new GrammarCheck(text).holds()
}

/** Where a text stops to follow the grammar, as an index, its length where it ends too early; undefined where it follows it. */
export function grammarFault(text: string): number | undefined {
  const check = new GrammarCheck(text)
  return check.holds() ? undefined : check.position
}

/** One reading of one text; what it stands at is no blank. */
class GrammarCheck {
  readonly #text: string
  #at = 0
  /** What closes the open objects and arrays. */
  readonly #closers: number[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Up to where the text has been read. */
  get position(): number {
    return this.#at
  }

  holds(): boolean {
    this.#skipBlanks()
    do {
      if (!this.#begin()) return false
      this.#close()
    } while (this.#closers.length > 0 && this.#take(COMMA))
    return this.#closers.length === 0 && this.#at === this.#text.length
  }

  /** Reads a value: all of it, or up to the end of the first one without values inside it. */
  #begin(): boolean {
    for (;;) {
      if (this.#closers.at(-1) === CLOSE_OBJECT && !this.#name()) return false
      if (this.#take(OPEN_OBJECT)) this.#closers.push(CLOSE_OBJECT)
      else if (this.#take(OPEN_ARRAY)) this.#closers.push(CLOSE_ARRAY)
      else return this.#plainValue()
      if (this.#closers.length > MAX_DEPTH) return false
      if (this.#unit() === this.#closers.at(-1)) return true
    }
  }

  /** Closes all that ends here. */
  #close(): void {
    for (let closer = this.#closers.at(-1); closer !== undefined && this.#take(closer); closer = this.#closers.at(-1))
      this.#closers.pop()
  }

  #name(): boolean {
    return this.#string() && this.#take(COLON)
  }

  #plainValue(): boolean {
    return this.#unit() === QUOTE ? this.#string() : this.#match(SCALAR) && this.#skipBlanks()
  }

  #string(): boolean {
    if (this.#unit() !== QUOTE) return false
    for (this.#at++; ;) {
      const unit = this.#unit()
      if (unit === QUOTE) return this.#take(QUOTE)
      if (unit === BACKSLASH) {
        if (!this.#match(ESCAPE)) return false
      } else if (unit >= SPACE) this.#at++
      else return false // NaN at the text's end, too
    }
  }

  #take(unit: number): boolean {
    if (this.#unit() !== unit) return false
    this.#at++
    return this.#skipBlanks()
  }

  #skipBlanks(): true {
    if (this.#unit() <= SPACE) this.#match(BLANKS)
    return true
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  #unit(): number {
    return this.#text.charCodeAt(this.#at)
  }
}

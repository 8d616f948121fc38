/** Watches JSON text that arrives in pieces for the end of its first object or array. */

const QUOTE = 34
const BACKSLASH = 92
const OPENING = new Set([91, 123]) // [ {
const CLOSING = new Set([93, 125]) // ] }

/** Counts brackets outside strings. Does not check the text. */
export class JsonBalance {
  #depth = 0
  #inString = false
  #escaped = false
  #closed = false

  /** Whether an object or array has been opened and closed again. */
  get closed(): boolean {
    return this.#closed
  }

  push(piece: string): void {
    for (let index = 0; index < piece.length; index++) this.#character(piece.charCodeAt(index))
  }

  #character(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (code === BACKSLASH) this.#escaped = true
      else if (code === QUOTE) this.#inString = false
    } else if (code === QUOTE) this.#inString = true
    else if (OPENING.has(code)) this.#depth += 1
    else if (CLOSING.has(code)) {
      this.#depth -= 1
      if (this.#depth === 0) this.#closed = true
    }
  }
}

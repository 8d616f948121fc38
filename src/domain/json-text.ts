/** Walking over the text of a JSON document before anything is built of it. */

/** Deeper documents are no requests or answers; recursive code (JSON.stringify too) must not meet them. */
export const MAX_JSON_DEPTH = 128

/** A text up to this length holds nothing that could matter. */
export const SMALL_TEXT = 64 * 1024
/** As many as a body may hold. */
const MAX_INNER_VALUES = 500_000
const MAX_INNER_DEPTH = 100_000

const QUOTE = '"'
const BACKSLASH = 0x5c
const [SPACE, TAB, LINE_FEED, RETURN, COLON] = [0x20, 0x09, 0x0a, 0x0d, 0x3a]

/**
 * Where the string ends that begins at `start`; the text's end where it does not. The engine looks for the quotes; the
 * backslashes before one are looked at once, so that this stays linear.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf(QUOTE, start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1)
  return end === -1 ? text.length : end
}

/** Whether the string that ends at `close` is the name of a field. */
export function isFieldName(text: string, close: number): boolean {
  let next = close + 1
  while (isBlank(text.charCodeAt(next))) next++
  return text.charCodeAt(next) === COLON
}

function isBlank(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB
}

/** What the string says whose quotes are at `open` and `close`. @throws {SyntaxError} where it is none */
export function stringAt(text: string, open: number, close: number): string {
  const literal = text.slice(open, close + 1)
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}

/** Whether an odd number of backslashes stands before. A quote does, where none does, so the walk is bounded. */
function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (index - first) % 2 === 1
}

/**
 * Whether a JSON text inside a string, which no bound of the document sees, may be parsed: to the engine each open bracket is
 * some hundred bytes, and so is each empty object. What tools read and write has far fewer.
 */
export function isModest(text: string): boolean {
  return text.length <= SMALL_TEXT || holdsAtMost(text, MAX_INNER_VALUES, MAX_INNER_DEPTH)
}

/** How many brackets open in a JSON text, and how many commas and colons stand between its values. Builds nothing. */
export function countStructure(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x7b: // {
      case 0x5b: // [
      case 0x2c: // ,
      case 0x3a: // :
        count++
    }
  }
  return count
}

/** Whether a JSON text has no more values (objects, arrays and what is in them) and is nested no deeper. Builds nothing. */
export function holdsAtMost(text: string, maxValues: number, maxDepth: number): boolean {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x7b: // {
      case 0x5b: // [
        depth++
        values++
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth--
        break
      case 0x2c: // ,
        values++
    }
    if (depth > maxDepth || values > maxValues) return false
  }
  return true
}

/**
 * Passes over what no rule looks at: words that begin no key and tell of no secret, and the signs between them. In most texts that is
 * nearly all, so it is one loop with one branch that is nearly never taken.
 *
 * It stops at more than the rules of scan.ts find, and never passes over anything that one of them begins at.
 */
import { classOf, DIGIT, DISGUISE, FOREIGN_LETTER, LETTER, SPACE, UNDERSCORE } from './character-classes.ts'
import { KEY_BEGINNINGS } from './secrets/prefixed-key.ts'
import { LOGIN_ENDS } from './secrets/session-cookie.ts'
import { SHORTEST_SHAPED } from './secrets/shaped-key.ts'
import { IDEOGRAPHIC_ENDS, TELLING_STEMS, TELLING_WORDS } from './telling/telling-name.ts'
import { BORDER, buildAutomaton, ROW_BITS, type WordPattern } from './word-automaton.ts'

/** Units that are read at once. */
export const PIECE_UNITS = 32_768

const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Beyond ASCII, those of words that rules ask for. */
const FOREIGN_LETTERS = new Set([...TELLING_WORDS, ...TELLING_STEMS, 'ä'].join('').replace(/[a-z]/g, ''))
const LETTERS = [...SMALL_LETTERS, ...FOREIGN_LETTERS]
const OTHER_LETTER = LETTERS.length
/** Of scripts beyond Greek and Cyrillic, some of which write without blanks: however long, their words are no keys. */
const FAR_LETTER = OTHER_LETTER + 1
const FIRST_FAR_LETTER = 0x590
const FIRST_SIGN = FAR_LETTER + 1
const OTHER_SIGN = FIRST_SIGN
/** A rule begins at each of them: digits, underscores, escapes, disguise. */
const REMARKABLE = FIRST_SIGN + 1
const BLANK = FIRST_SIGN + 2
const BRACKET = FIRST_SIGN + 3
/** Signs that patterns tell apart. */
const SIGNS = '-.:/+@'
const COLUMN_OF_SIGN: ReadonlyMap<string, number> = new Map(
  Array.from(SIGNS, (sign, index) => [sign, BRACKET + 1 + index]),
)

const COLUMNS = columnsOfUnits()
const NEXT = buildAutomaton(patterns(), FIRST_SIGN)
const BYTES = Buffer.alloc(PIECE_UNITS * Uint16Array.BYTES_PER_ELEMENT)
const UNITS = new Uint16Array(BYTES.buffer, BYTES.byteOffset, PIECE_UNITS)
const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0

/** Those of one text, read from its beginning to its end, a piece at a time. */
export class PlainStretches {
  readonly #text: string
  /** Of the piece that is read. */
  #pieceStart = 0
  #pieceEnd = 0
  /** Where the stretch began that goes on at `#end`; -1: none does. */
  #start = 0
  #end = -1
  #state = BORDER
  /** Letters in a row before `#end` that a key may have. */
  #letters = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Takes the units `[start, end)`, PIECE_UNITS at most, for what is asked next. Another text's may have been taken since. */
  take(start: number, end: number): void {
    this.#pieceStart = start
    this.#pieceEnd = end
    const isWhole = start === 0 && end === this.#text.length
    BYTES.write(isWhole ? this.#text : this.#text.slice(start, end), 'utf16le')
    if (IS_BIG_ENDIAN) BYTES.swap16()
  }

  /**
   * The first word or sign from `at` on that a rule may begin at, or the end of the piece. A word counts from its beginning, which
   * may stand in the piece before.
   * @param at behind a sign, at the beginning, or what this answered last
   */
  endFrom(at: number): number {
    if (at !== this.#end) {
      this.#start = at
      this.#state = BORDER
      this.#letters = 0
    }
    const length = this.#pieceEnd - this.#pieceStart
    let state = this.#state
    let letters = this.#letters
    let index = at - this.#pieceStart
    for (; index < length; index++) {
      const column = COLUMNS[UNITS[index] ?? 0] ?? 0
      state = NEXT[(state << ROW_BITS) | column] ?? 0
      letters = (letters + 1) & ((column - FAR_LETTER) >> 31)
      if (((state - BORDER) | (SHORTEST_SHAPED - 1 - letters)) < 0) break
    }
    const end = this.#pieceStart + index
    if (index === length && end === this.#text.length) {
      const last = NEXT[(state << ROW_BITS) | OTHER_SIGN] ?? 0
      return last < BORDER ? this.#lookFrom(end) : end
    }
    if (index < length) return this.#lookFrom(state < BORDER ? end - state : end)
    this.#end = end
    this.#state = state
    this.#letters = letters
    return end
  }

  /** The beginning of the word that ends or goes on at `at`. */
  #lookFrom(at: number): number {
    this.#end = -1
    let start = at
    while (start > this.#start && isLetter(this.#text.charCodeAt(start - 1))) start--
    return start
  }
}

function isLetter(unit: number): boolean {
  return (COLUMNS[unit] ?? 0) < FIRST_SIGN
}

function columnsOfUnits(): Uint8Array {
  const columns = new Uint8Array(0x10000)
  for (let unit = 0; unit < columns.length; unit++) columns[unit] = columnOfClass(classOf(unit), unit)
  for (const [column, letter] of LETTERS.entries())
    for (const written of [letter, letter.toLowerCase(), letter.toUpperCase()])
      if (written.length === 1) columns[written.charCodeAt(0)] = column
  // No large letter of `i`'s but Turkish's.
  columns[0x130] = columns[0x69] ?? OTHER_LETTER
  for (const [sign, column] of COLUMN_OF_SIGN) columns[sign.charCodeAt(0)] = column
  for (const sign of '[({') columns[sign.charCodeAt(0)] = BRACKET
  for (const sign of '%\\&~\x1b') columns[sign.charCodeAt(0)] = REMARKABLE
  for (const unit of IDEOGRAPHIC_ENDS) columns[unit] = REMARKABLE
  return columns
}

function columnOfClass(bits: number, unit: number): number {
  if ((bits & (DIGIT | UNDERSCORE | DISGUISE)) !== 0) return REMARKABLE
  if ((bits & (LETTER | FOREIGN_LETTER)) !== 0) return unit < FIRST_FAR_LETTER ? OTHER_LETTER : FAR_LETTER
  return (bits & SPACE) === 0 ? OTHER_SIGN : BLANK
}

/** What each rule begins at. */
function patterns(): WordPattern[] {
  const isTold = (word: string) => TELLING_STEMS.some((stem) => word.includes(stem))
  return [
    { columns: [REMARKABLE], back: 0 },
    ...TELLING_STEMS.map((stem) => ({ columns: columnsOf(stem), back: 0 })),
    ...[...TELLING_WORDS.filter((word) => !isTold(word)), ...LOGIN_ENDS].map((word) => ({
      columns: columnsOf(word),
      endsWord: true,
      back: 0,
    })),
    ...KEY_BEGINNINGS.map((beginning) => ({ columns: columnsOf(beginning), beginsWord: true, back: 0 })),
    // Addresses, and those that are spelled: `name (at) host`, `name at host dot com`.
    { columns: columnsOf('@'), back: 0 },
    ...['@', 'at', 'arr', 'ä'].flatMap((at) => [
      { columns: [BRACKET, ...columnsOf(at)], back: at.length },
      { columns: [BRACKET, BLANK, ...columnsOf(at)], back: at.length + 1 },
    ]),
    { columns: columnsOf('dot'), beginsWord: true, endsWord: true, back: 0 },
    // Logins of addresses, data, a vendor's token, private keys, options of commands, `.pgpass`.
    { columns: columnsOf('://'), back: 2 },
    { columns: columnsOf('data:'), back: 0 },
    { columns: columnsOf('/p:'), back: 0 },
    { columns: columnsOf(':*:'), back: 2 },
    { columns: columnsOf('.atlas'), back: 5 },
    { columns: columnsOf('---'), back: 2 },
    ...[...SMALL_LETTERS, '-'].map((next) => ({ columns: columnsOf(`-${next}`), beginsWord: true, back: 1 })),
  ]
}

/** Letters in any case, and signs. */
function columnsOf(text: string): number[] {
  return Array.from(text, (sign) => COLUMNS[sign.charCodeAt(0)] ?? OTHER_SIGN)
}

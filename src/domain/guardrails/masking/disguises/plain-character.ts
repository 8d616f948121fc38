/** One character of a text in disguise, read as what it stands for. */
import {
  ANY_HEX,
  classAt,
  classOf,
  DISGUISE,
  isSecondHalf,
  skipForward,
  TRIGGER,
  unitAt,
} from '../character-classes.ts'
import { letterlike, MATHEMATICAL_BEGINNING, mathematicalLetter, mathematicalLetterAt } from './mathematical-letters.ts'
import { writtenAt } from './written-character.ts'

const PERCENT = 0x25
const AMPERSAND = 0x26
const BACKSLASH = 0x5c
/** `\uff20`. */
const ESCAPE_LENGTH = 6
/** First half of tags and selectors (U+E0000 to U+E03FF). */
const TAG_BEGINNING = 0xdb40
const FIRST_TAG = 0xe0000
const LAST_TAG = 0xe03ff
const LAST_UNIT = 0xffff
/** From a character of full width to its ASCII. */
const FULL_WIDTH_OFFSET = 0xfee0
const NO_BREAK_SPACE = 0xa0
const BLANK = 0x20
/** All between the blank that does not break and these stand for themselves. */
const FIRST_LETTERLIKE = 0x2100
const FIRST_SIGN = 0x3000
/** Signs that stand in addresses, keys and between the groups of cards; a blank of full width is one, too. */
const SIGNS: ReadonlyMap<number, number> = new Map([
  [0xfe6b, 0x40],
  [0xff0e, 0x2e],
  [0xff0d, 0x2d],
  [0xff3f, 0x5f],
  [0xff0b, 0x2b],
  [0x3000, BLANK],
])

/** The plain unit of what stands at an offset, and how many units of the text it takes. */
export interface Reading {
  /** NOTHING where it is invisible. */
  unit: number
  length: number
}

export const NOTHING = -1

/** Reads what stands at an offset into `reading`. */
export function readPlain(text: string, at: number, reading: Reading): void {
  const unit = text.charCodeAt(at)
  if (unit < NO_BREAK_SPACE) {
    readAscii(text, at, unit, reading)
    return
  }
  reading.unit = plainUnit(unit)
  reading.length = 1
  if (unit === TAG_BEGINNING && isTagEnd(text, at + 1)) reading.length = 2
  else if (unit === MATHEMATICAL_BEGINNING) {
    const letter = mathematicalLetterAt(text, at)
    if (letter === 0) return
    reading.unit = letter
    reading.length = 2
  }
}

/** Whether a letter's escape, at its backslash, is one of a disguise. */
export function isDisguiseEscape(text: string, at: number): boolean {
  if (unitAt(text, at + 1) !== 0x75) return false
  const unit = escapedUnit(text, at)
  return unit !== TAG_BEGINNING && unit !== MATHEMATICAL_BEGINNING && (classOf(unit) & DISGUISE) !== 0
}

/** Where the row of invisible characters ends that `at` is in; behind the character for a visible one. */
export function hiddenEnd(text: string, at: number): number {
  let end = at + 1
  if (unitAt(text, at) === MATHEMATICAL_BEGINNING && isSecondHalf(unitAt(text, end))) end++
  while ((classAt(text, end) & (DISGUISE | TRIGGER)) === DISGUISE || isTagEnd(text, end)) end++
  return end
}

/** A sign that stands for nothing else is what nearly every one is. */
function readAscii(text: string, at: number, unit: number, reading: Reading): void {
  reading.unit = unit
  reading.length = 1
  if (unit !== BACKSLASH && unit !== AMPERSAND && unit !== PERCENT) return
  if (unit === BACKSLASH) {
    if (!isDisguiseEscape(text, at)) return
    reading.unit = plainUnit(escapedUnit(text, at))
    reading.length = ESCAPE_LENGTH
    return
  }
  const written = writtenAt(text, at)
  const plain = written === undefined ? undefined : plainOf(written.codePoint)
  if (written === undefined || plain === undefined) return
  reading.unit = plain
  reading.length = written.length
}

/** The plain unit of a character; undefined where it takes two. */
function plainOf(codePoint: number): number | undefined {
  if (codePoint <= LAST_UNIT) return plainUnit(codePoint)
  if (codePoint >= FIRST_TAG && codePoint <= LAST_TAG) return NOTHING
  return mathematicalLetter(codePoint) || undefined
}

function plainUnit(unit: number): number {
  if (unit === NO_BREAK_SPACE) return BLANK
  const bits = classOf(unit) & (DISGUISE | TRIGGER)
  if (bits === DISGUISE) return NOTHING
  if (unit < FIRST_LETTERLIKE) return unit
  if (unit < FIRST_SIGN) return letterlike(unit) || unit
  if (unit === MATHEMATICAL_BEGINNING) return unit
  return SIGNS.get(unit) ?? (bits === (DISGUISE | TRIGGER) ? unit - FULL_WIDTH_OFFSET : unit)
}

/** The unit that `\uXXXX` at an offset stands for; 0 where there is none. */
function escapedUnit(text: string, at: number): number {
  const from = at + 2
  const isEscape = skipForward(text, from, from + 4, ANY_HEX) === from + 4
  return isEscape ? Number.parseInt(text.slice(from, from + 4), 16) : 0
}

/** Whether this is the second half of a tag or selector. */
function isTagEnd(text: string, at: number): boolean {
  return isSecondHalf(unitAt(text, at)) && unitAt(text, at - 1) === TAG_BEGINNING
}

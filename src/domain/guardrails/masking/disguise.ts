/**
 * Values in disguise: `alice＠example.com`, letters and digits of full width, soft hyphens and zero-width characters inside a
 * word, and these as JSON writes them (`\uff20`), where a tool has put JSON into its result.
 *
 * The scanner tells whether a text has such characters where they could disguise something; nearly none has. Then the text is read a
 * second time without disguise, by all rules, and what is found is brought back to its place: from the first character that counts to
 * the last, with everything hidden between. So a finding covers the value as it is written, its token stands for that writing, and
 * restoring gives it back.
 *
 * 1. `undisguise` gives the plain text: full width becomes ASCII, unit for unit, and what is invisible goes.
 * 2. `broughtBack` counts along the original to the places of the findings, once for all of them.
 *
 * Known limits: other letters that look alike (Greek, Cyrillic, mathematical ones), and entities of HTML.
 */
import type { Steps } from '../../steps.ts'
import { ANY_HEX, classAt, classOf, DISGUISE, isSecondHalf, skipForward, TRIGGER, unitAt } from './character-classes.ts'
import type { Finding } from './finding.ts'

/** Units that are read in one step, few enough to be arguments of one call. */
const STEP_UNITS = 8192

const BACKSLASH = 0x5c
/** `\uff20`. */
const ESCAPE_LENGTH = 6
const LINE_END = 0x0d
/** First half of tags and selectors (U+E0000 to U+E03FF). */
const TAG_BEGINNING = 0xdb40
/** From a character of full width to its ASCII. */
const FULL_WIDTH_OFFSET = 0xfee0
/** All before it stand for themselves. */
const FIRST_SIGN = 0x3000
/** Signs that stand in addresses, keys and between the groups of cards; a blank of full width is one, too. */
const SIGNS: ReadonlyMap<number, number> = new Map([
  [0xfe6b, 0x40],
  [0xff0e, 0x2e],
  [0xff0d, 0x2d],
  [0xff3f, 0x5f],
  [0xff0b, 0x2b],
  [0x3000, 0x20],
])

/** The plain unit of what stands at an offset, and how many units of the text it takes. */
interface Reading {
  /** NOTHING where it is invisible. */
  unit: number
  length: number
}

const NOTHING = -1

/** Whether the scanner shall have the text read again, for what stands at `at`. */
export type Hiding = 'yes' | 'no' | 'beside-an-address'

/**
 * What characters from `at` to `end` hide. Invisible ones do between plain ones; between letters of other scripts (joiners of Persian,
 * hyphens of German) only where there is an address.
 */
export function hidingAt(text: string, at: number, end: number): Hiding {
  if ((classAt(text, at) & TRIGGER) !== 0) return 'yes'
  const [before, after] = [unitAt(text, at - 1), unitAt(text, end)]
  if (before <= LINE_END || after <= LINE_END) return 'no'
  return isPlain(before) || isPlain(after) ? 'yes' : 'beside-an-address'
}

/** Where the row of invisible characters ends that `at` is in; `at + 1` for a character of full width. */
export function hiddenEnd(text: string, at: number): number {
  let end = at + 1
  while ((classAt(text, end) & (DISGUISE | TRIGGER)) === DISGUISE || isTagEnd(text, end)) end++
  return end
}

/** Whether a letter's escape, at its backslash, is one of a disguise. */
export function isDisguiseEscape(text: string, at: number): boolean {
  if (unitAt(text, at + 1) !== 0x75) return false
  const unit = escapedUnit(text, at)
  return unit !== TAG_BEGINNING && (classOf(unit) & DISGUISE) !== 0
}

/** The text without disguise. */
export function* undisguise(text: string): Steps<string> {
  const units = new Uint16Array(STEP_UNITS)
  const reading: Reading = { unit: 0, length: 1 }
  let plain = ''
  for (let at = 0; at < text.length;) {
    let count = 0
    for (const limit = at + STEP_UNITS; at < limit && at < text.length; at += reading.length) {
      readAt(text, at, reading)
      if (reading.unit !== NOTHING) units[count++] = reading.unit
    }
    plain += String.fromCharCode(...units.subarray(0, count))
    yield
  }
  return plain
}

/** Findings of the plain text, which do not overlap, at their places in the text that it was made of. */
export function* broughtBack(text: string, findings: readonly Finding[]): Steps<Finding[]> {
  const walk = new Walk(text)
  const back: Finding[] = []
  for (const { kind, rule, start, end } of findings) {
    yield* walk.goTo(start)
    const from = walk.start
    yield* walk.goTo(end - 1)
    back.push({ kind, rule, start: from, end: walk.end })
  }
  return back
}

/** Along a text, counting what its plain text has of it. */
class Walk {
  readonly #text: string
  readonly #reading: Reading = { unit: 0, length: 1 }
  #at = 0
  #count = 0
  #stepEnd = STEP_UNITS
  /** Of what the last plain unit that was counted stands for. */
  start = 0
  end = 0

  constructor(text: string) {
    this.#text = text
  }

  /** On to a plain unit. */
  *goTo(offset: number): Steps<void> {
    while (this.#count <= offset) {
      readAt(this.#text, this.#at, this.#reading)
      const end = this.#at + this.#reading.length
      if (this.#reading.unit !== NOTHING) {
        this.start = this.#at
        this.end = end
        this.#count++
      }
      this.#at = end
      if (end < this.#stepEnd) continue
      this.#stepEnd = end + STEP_UNITS
      yield
    }
  }
}

function readAt(text: string, at: number, reading: Reading): void {
  const unit = text.charCodeAt(at)
  if (unit === BACKSLASH && isDisguiseEscape(text, at)) {
    reading.unit = plainUnit(escapedUnit(text, at))
    reading.length = ESCAPE_LENGTH
    return
  }
  reading.unit = plainUnit(unit)
  reading.length = unit === TAG_BEGINNING && isTagEnd(text, at + 1) ? 2 : 1
}

function plainUnit(unit: number): number {
  const bits = classOf(unit) & (DISGUISE | TRIGGER)
  if (bits === DISGUISE) return NOTHING
  if (unit < FIRST_SIGN) return unit
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

function isPlain(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (classOf(unit) & (DISGUISE | TRIGGER)) === (DISGUISE | TRIGGER)
}

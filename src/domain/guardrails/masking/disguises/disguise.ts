/**
 * Values in disguise: `alice＠example.com`, letters and digits of full width and mathematical ones, soft hyphens and zero-width
 * characters inside a word, these as JSON writes them (`\uff20`), where a tool has put JSON into its result, entities of HTML and
 * percent-encoded characters.
 *
 * The scanner tells whether a text has such characters where they could disguise something; nearly none has. Then the text is read a
 * second time without disguise, by all rules, and what is found is brought back to its place: from the first character that counts to
 * the last, with everything hidden between. So a finding covers the value as it is written, its token stands for that writing, and
 * restoring gives it back.
 *
 * 1. `undisguise` gives the plain text: what stands for an ASCII character becomes it, and what is invisible goes, but for borders.
 * 2. `broughtBack` counts along the original to the places of the findings, once for all of them.
 *
 * Known limits: other letters that look alike (Greek, Cyrillic).
 */
import type { Steps } from '../../../steps.ts'
import { classAt, classOf, DISGUISE, TRIGGER, unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import type { Borders } from './hidden-borders.ts'
import { NOTHING, readPlain, type Reading } from './plain-character.ts'

/** Units that are read in one step, few enough to be arguments of one call. */
const STEP_UNITS = 8192

const LINE_END = 0x0d
const BLANK = 0x20

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

export interface Undisguised {
  readonly plain: string
  /** Whether anything invisible was taken away. */
  readonly hasHidden: boolean
}

/** The text without disguise, with a blank for each of the borders. */
export function* undisguise(text: string, borders: Borders): Steps<Undisguised> {
  const units = new Uint16Array(STEP_UNITS)
  const reader = new PlainReader(text, borders)
  let plain = ''
  let hasHidden = false
  while (reader.end < text.length) {
    let count = 0
    for (const limit = Math.min(reader.end + STEP_UNITS, text.length); reader.end < limit;) {
      reader.next()
      if (reader.unit === NOTHING) hasHidden = true
      else units[count++] = reader.unit
    }
    plain += Reflect.apply(String.fromCharCode, undefined, units.subarray(0, count))
    yield
  }
  return { plain, hasHidden }
}

/** Findings of the plain text, which do not overlap, at their places in the text that it was made of. */
export function* broughtBack(text: string, borders: Borders, findings: readonly Finding[]): Steps<Finding[]> {
  const walk = new Walk(text, borders)
  const back: Finding[] = []
  for (const { kind, rule, start, end } of findings) {
    yield* walk.goTo(start)
    const from = walk.start
    yield* walk.goTo(end - 1)
    back.push({ kind, rule, start: from, end: walk.end })
  }
  return back
}

/** Reads a text one character after the other. */
class PlainReader {
  readonly #text: string
  readonly #borders: Borders
  readonly #reading: Reading = { unit: 0, length: 0 }
  #nextBorder = 0
  /** Place of what was read last. */
  start = 0
  end = 0

  constructor(text: string, borders: Borders) {
    this.#text = text
    this.#borders = borders
  }

  /** What was read last; NOTHING where it is invisible. */
  get unit(): number {
    return this.#reading.unit
  }

  next(): void {
    this.start = this.end
    readPlain(this.#text, this.start, this.#reading)
    this.end += this.#reading.length
    if (this.#borders[this.#nextBorder] !== this.start) return
    this.#nextBorder++
    this.#reading.unit = BLANK
  }
}

/** Along a text, counting what its plain text has of it. */
class Walk {
  readonly #reader: PlainReader
  #count = 0
  #stepEnd = STEP_UNITS
  /** Of what the last plain unit that was counted stands for. */
  start = 0
  end = 0

  constructor(text: string, borders: Borders) {
    this.#reader = new PlainReader(text, borders)
  }

  /** On to a plain unit. */
  *goTo(offset: number): Steps<void> {
    const reader = this.#reader
    while (this.#count <= offset) {
      reader.next()
      if (reader.unit !== NOTHING) {
        this.start = reader.start
        this.end = reader.end
        this.#count++
      }
      if (reader.end < this.#stepEnd) continue
      this.#stepEnd = reader.end + STEP_UNITS
      yield
    }
  }
}

function isPlain(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (classOf(unit) & (DISGUISE | TRIGGER)) === (DISGUISE | TRIGGER)
}

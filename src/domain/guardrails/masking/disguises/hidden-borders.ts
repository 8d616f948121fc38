/**
 * Invisible characters between a value in disguise and the words beside it: `my\u200b4111\u200b1111\u200b1111\u200b1111\u200bplease`.
 * Taken away like all others they make one word of value and neighbour, in which no rule finds the value. So such a text is read a few
 * times more: with a blank for the first invisible character inside each word, for the last, and for both; those between two digits
 * do not count.
 *
 * Known limit: two words on one side of a value that are joined like this.
 */
import type { Steps } from '../../../steps.ts'
import { classOf, DIGIT, SPACE } from '../character-classes.ts'
import { NOTHING, readPlain, type Reading } from './plain-character.ts'

/** Units of a text that are read in one step. */
const STEP_UNITS = 8192
const AT_SIGN = 0x40

/** Offsets, in order, of the invisible characters that are read as a blank. */
export type Borders = readonly number[]

/** The further ways to read a text in which a value may be joined to its neighbours; most often none. */
export function* hiddenBorders(text: string): Steps<readonly Borders[]> {
  const words = new Words()
  const reading: Reading = { unit: 0, length: 1 }
  for (let at = 0, stepEnd = STEP_UNITS; at < text.length; at += reading.length) {
    readPlain(text, at, reading)
    words.add(at, reading.unit)
    if (at < stepEnd) continue
    stepEnd = at + STEP_UNITS
    yield
  }
  words.end()
  return words.ways()
}

/** The invisible characters inside words that may have a value. */
class Words {
  readonly #first: number[] = []
  readonly #last: number[] = []
  readonly #both: number[] = []
  /** Of the word that is read: the first and the last character inside it, and the one that may turn out to stand at its end. */
  #from = NOTHING
  #to = NOTHING
  #open = NOTHING
  #hasBegun = false
  #mayBeValue = false
  #endsInDigit = false

  add(at: number, unit: number): void {
    if (unit === NOTHING) {
      if (this.#hasBegun && this.#open === NOTHING) this.#open = at
      return
    }
    const bits = classOf(unit)
    if ((bits & SPACE) !== 0) {
      this.end()
      return
    }
    const isDigit = (bits & DIGIT) !== 0
    if (isDigit || unit === AT_SIGN) this.#mayBeValue = true
    if (this.#open !== NOTHING && !(isDigit && this.#endsInDigit)) {
      if (this.#from === NOTHING) this.#from = this.#open
      this.#to = this.#open
    }
    this.#open = NOTHING
    this.#hasBegun = true
    this.#endsInDigit = isDigit
  }

  /** Of a word. */
  end(): void {
    if (this.#mayBeValue && this.#from !== NOTHING) {
      this.#first.push(this.#from)
      this.#last.push(this.#to)
      this.#both.push(this.#from)
      if (this.#to !== this.#from) this.#both.push(this.#to)
    }
    this.#from = this.#to = this.#open = NOTHING
    this.#hasBegun = this.#mayBeValue = this.#endsInDigit = false
  }

  ways(): readonly Borders[] {
    if (this.#first.length === 0) return []
    return this.#both.length === this.#first.length ? [this.#first] : [this.#first, this.#last, this.#both]
  }
}

/**
 * Values that a word told of in one text of a request ("my password is hK9#xyz12"), found again where none does.
 *
 * Only such as chance or a program does not write a second time: long, with digits among letters, no name or word with a number. A
 * text is searched once for each, of which there is a bounded number, so the whole stays linear.
 */
import {
  classAt,
  DIGIT,
  escapeLengthAt,
  FOREIGN_LETTER,
  isFirstHalf,
  isSecondHalf,
  LETTER,
  unitAt,
  WORD,
} from '../character-classes.ts'
import type { Steps } from '../../../steps.ts'
import { ValueCount, type ExpectValues, type Finding } from '../finding.ts'
import { isNamed } from '../secrets/made-up-value.ts'
import { countKinds, isNameOfCode, kindsOfCharacters, OTHER } from '../secrets/randomness.ts'
import { isAfterTerminalEscape } from '../disguises/terminal-colours.ts'

/** Each costs a search of every text. */
const MOST_VALUES = 32
const LONGEST_VALUE = 512
/** A shorter one is searched for all values in one step. */
const LONG_TEXT = 65_536

/** Values that are found by what stands beside them: others show themselves wherever they are. */
const TOLD_RULES: ReadonlySet<string> = new Set([
  'password-value',
  'secret-value',
  'weak-value',
  'table-column',
  'uri-credential',
  'shell-credential',
  'handed-secret',
  'sql-credential',
  'router-credential',
  'call-credential',
  'wifi-code',
  'oracle-login',
  'basic-credential',
  'pgpass',
  'aws-secret-key',
  'twilio-token',
  'phone',
  'ssn',
])

/** Of undivided digits those alone: an order's number may be anybody's password. */
const NUMBER_RULES: ReadonlySet<string> = new Set(['phone', 'ssn'])

export class KnownValues {
  /** By value. Made for the first: of most requests there is none. */
  #kinds: Map<string, string> | undefined

  get size(): number {
    return this.#kinds?.size ?? 0
  }

  /** Keeps what was found, where it is to be found again. */
  add({ kind, rule }: Finding, value: string): void {
    if (this.size >= MOST_VALUES || !TOLD_RULES.has(rule) || this.#kinds?.has(value) === true) return
    if (DIGITS.test(value) && !NUMBER_RULES.has(rule)) return
    if (isUnmistakable(value)) (this.#kinds ??= new Map()).set(value, kind)
  }

  /** Where they stand in the text, between two words' borders; in no order, and they may overlap. */
  *findIn(text: string, expect?: ExpectValues): Steps<Finding[]> {
    const findings: Finding[] = []
    const values = new ValueCount(expect)
    for (const [value, kind] of this.#kinds ?? []) {
      for (let start = text.indexOf(value); start >= 0;) {
        const end = start + value.length
        const isWhole = beginsWord(text, start) && endsWord(text, end)
        if (isWhole) values.requireFew(findings.push({ kind, start, end, rule: 'known-value' }), () => findings)
        start = text.indexOf(value, isWhole ? end : nextWord(text, start, end))
      }
      if (text.length > LONG_TEXT) yield
    }
    return findings
  }
}

const WORD_UNIT = WORD | FOREIGN_LETTER
const ESCAPE_LENGTHS = [1, 2, 3, 5] as const

/** Where another one may begin behind one that is a part of a word: each place is looked at once. */
function nextWord(text: string, start: number, end: number): number {
  let next = start
  while (next < text.length && (classAt(text, next) & WORD_UNIT) !== 0) next++
  return next > start ? next : end
}

function beginsWord(text: string, start: number): boolean {
  if (isSecondHalf(unitAt(text, start)) || escapeLengthAt(text, start) > 0) return false
  if ((classAt(text, start) & WORD_UNIT) === 0 || (classAt(text, start - 1) & WORD_UNIT) === 0) return true
  if (ESCAPE_LENGTHS.some((length) => escapeLengthAt(text, start - length) === length)) return true
  return isAfterTerminalEscape(text, start)
}

function endsWord(text: string, end: number): boolean {
  if (isFirstHalf(unitAt(text, end - 1))) return false
  return (classAt(text, end - 1) & WORD_UNIT) === 0 || (classAt(text, end) & WORD_UNIT) === 0
}

/** Signs that names, paths, dates and addresses have. */
const SIGNS_OF_NAMES = /[-_.,:/@'\u2019]/g
/** What would part a token, or is code. */
const NEVER = /[\s[\]{}()<>"`]|=[^=]|LLM_REDACTED_/
const DIGITS = /^\d{9,}$/
/** `getUser2FromDb`, `Summer2024`, `OAuth2`: words, each with a capital, and numbers. */
const NAME_WITH_NUMBERS = /^[a-z]*(?:[A-Z]+[a-z]*(?![a-z])|\d+(?!\d))+$/
/** Two numbers with letters between them. */
const TWO_NUMBERS = /\d[a-z]+\d/i

/** Whether a value that stands somewhere else, too, is the same thing there. */
export function isUnmistakable(value: string): boolean {
  if (value.length < 8 || value.length > LONGEST_VALUE || NEVER.test(value)) return false
  if (DIGITS.test(value)) return true
  const bare = value.replace(SIGNS_OF_NAMES, '')
  const kinds = kindsOfCharacters(bare)
  if ((kinds & DIGIT) === 0 || (kinds & LETTER) === 0 || isNameOfCode(value) || isNamed(bare)) return false
  if ((kinds & OTHER) !== 0) return (kinds & LETTER) === LETTER || value.length >= 10
  if (countKinds(kinds) === 3) return bare.length >= 8 && !NAME_WITH_NUMBERS.test(bare)
  return bare.length >= 12 && TWO_NUMBERS.test(bare)
}

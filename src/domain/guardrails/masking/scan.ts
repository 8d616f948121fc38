/**
 * One pass over a text for the kinds that are always looked for.
 *
 * Plain stretches are passed over (plain-stretch.ts). Words that may begin a key or tell that a secret follows, those with digits and long
 * ones are looked at, and between words a few signs (`@`, `://`, `-----`) start the other rules. Every rule reads a bounded piece of
 * text, or remembers how far it has read, so the whole is linear for every input.
 *
 * Known limits: a secret split over several spans; passwords that are ordinary words in prose; keys without prefix,
 * shape or telling word.
 */
import type { Steps } from '../../steps.ts'
import {
  classAt,
  classOf,
  DASH,
  DIGIT,
  DISGUISE,
  ESCAPE,
  escapeLengthAt,
  FOREIGN_LETTER,
  IDEOGRAPH,
  LETTER,
  skipForward,
  TRIGGER,
  UNDERSCORE,
  unitAt,
  WORD,
} from './character-classes.ts'
import { ValueCount, type ExpectValues, type Finding } from './finding.ts'
import { findJsonWebToken } from './secrets/json-web-token.ts'
import { LongWord, SHORTEST_LONG_REST } from './long-word.ts'
import { findSpokenEmail } from './personal/obfuscated-email.ts'
import { findCards } from './personal/payment-card.ts'
import { PIECE_UNITS, PlainStretches } from './plain-stretch.ts'
import { findPrefixedKey } from './secrets/prefixed-key.ts'
import { findPuttyKey } from './secrets/private-key-block.ts'
import {
  findAwsSecretAfter,
  findNumberedKey,
  findPgpass,
  findShapedKey,
  findTwilioTokenAfter,
  SHORTEST_SHAPED,
} from './secrets/shaped-key.ts'
import { TellingSigns } from './telling-signs.ts'
import { TellingWords } from './telling/telling-words.ts'

export interface Scanned {
  /** Of all rules, in no order; they may overlap. */
  readonly findings: Finding[]
  /** Whether the text has characters that may hide a value from these rules. @see disguise.ts */
  readonly isDisguised: boolean
  /** Whether it has colours of a terminal among its words. @see terminal-colours.ts */
  readonly isColoured: boolean
  /** Whether it has a word that may tell of a secret, or one that no word tells of: it is worth asking what stands on lines beside it. */
  readonly hasTelling: boolean
}

export function scan(text: string): Scanned {
  const scanning = new Scan(text)
  while (scanning.position < text.length) scanning.readPiece()
  return scanning.result()
}

/** The same, a piece of the text at a time. */
export function* scanInSteps(text: string, expect?: ExpectValues): Steps<Scanned> {
  const scanning = new Scan(text)
  const values = new ValueCount(expect)
  while (scanning.position < text.length) {
    scanning.readPiece()
    values.requireFew(scanning.count, () => scanning.found())
    if (scanning.position < text.length) yield
  }
  return scanning.result()
}

const WORD_UNIT = WORD | FOREIGN_LETTER

/** One pass over one text. */
class Scan {
  readonly #text: string
  readonly #found: Finding[] = []
  readonly #words: TellingWords
  readonly #signs: TellingSigns
  readonly #stretches: PlainStretches
  /** Ends of what has been judged already, by rule. */
  #digitsUntil = 0
  #tokenUntil = 0
  #prefixUntil = 0
  /** Where the scan has come to. */
  #position = 0
  /** Class bits of the unit before. */
  #before = 0
  /** Of the word that was looked at last. */
  #wordEnd = 0
  /** The last word that was too long to be read twice. */
  #long: LongWord | undefined

  constructor(text: string) {
    this.#text = text
    this.#words = new TellingWords(text, this.#found)
    this.#signs = new TellingSigns(text, this.#found)
    this.#stretches = new PlainStretches(text)
  }

  /** Findings so far. */
  get count(): number {
    return this.#found.length + this.#words.findings.length
  }

  /** The same, in no order. */
  found(): Finding[] {
    return [...this.#found, ...this.#words.findings]
  }

  get position(): number {
    return this.#position
  }

  /** Reads PIECE_UNITS on, and a word that begins there to its end. */
  readPiece(): void {
    const text = this.#text
    const start = this.#position
    const limit = Math.min(start + PIECE_UNITS, text.length)
    this.#stretches.take(start, limit)
    let at = start
    let before = this.#before
    while (at < limit) {
      // After a part of a word (a rule went on in its midst) or an escape, the letters are not the whole word's.
      if ((before & (WORD_UNIT | ESCAPE)) === 0 && at >= start) {
        at = this.#stretches.endFrom(at)
        if (at >= limit) break
      }
      const bits = classAt(text, at)
      if ((bits & WORD_UNIT) === 0) {
        at = (bits & (TRIGGER | IDEOGRAPH | DISGUISE)) === 0 ? at + 1 : this.#between(at, bits)
        before = classAt(text, at - 1)
      } else {
        before = this.#readWord(at)
        at = this.#position
      }
    }
    this.#position = at
    this.#before = before
    this.#words.readTables(at)
  }

  /** When all is read. */
  result(): Scanned {
    for (const finding of this.#words.findings) this.#found.push(finding)
    return {
      findings: this.#found,
      isDisguised: this.#signs.isDisguised,
      isColoured: this.#signs.isColoured,
      hasTelling: this.#words.hasTelling || this.#found.some(({ kind }) => kind === 'KEY'),
    }
  }

  /** Looks at a sign, an ideograph or a disguise; where the scan goes on. */
  #between(at: number, bits: number): number {
    if ((bits & DISGUISE) !== 0) return this.#signs.disguise(at)
    if ((bits & IDEOGRAPH) === 0) return this.#signs.sign(at)
    this.#words.ideograph(at)
    return at + 1
  }

  /** The word, or the rest of one, from `start` on; its class bits. */
  #readWord(start: number): number {
    const text = this.#text
    let bits = 0
    if (this.#wordEnd - start >= SHORTEST_LONG_REST) bits = this.#longWord(start, this.#wordEnd).bitsFrom(start)
    else {
      let end = start
      for (; end < text.length; end++) {
        const unit = classOf(text.charCodeAt(end))
        if ((unit & WORD_UNIT) === 0) break
        bits |= unit
      }
      this.#wordEnd = end
    }
    this.#position = this.#word(start, this.#wordEnd, bits)
    return bits
  }

  /** The rest of the word in whose midst a rule has gone on. */
  #longWord(start: number, end: number): LongWord {
    if (this.#long?.end !== end) this.#long = new LongWord(this.#text, start, end)
    return this.#long
  }

  #push(finding: Finding | undefined): boolean {
    if (finding !== undefined) this.#found.push(finding)
    return finding !== undefined
  }

  /** Looks at the word `[from, end)`; where the scan goes on. */
  #word(from: number, end: number, bits: number): number {
    const text = this.#text
    const start = from + Math.min(escapeLengthAt(text, from), end - from)
    const begin = (bits & UNDERSCORE) === 0 ? start : skipForward(text, start, end, UNDERSCORE)
    if ((bits & DIGIT) !== 0 && unitAt(text, from - 1) === 0x5b) this.#signs.bracketBeforeDigits(from - 1)
    // A card on a magnetic track: no escape.
    if ((bits & DIGIT) !== 0 && unitAt(text, end) === 0x5e && text.startsWith('%B', from - 1))
      this.#digits(from + 1, end, end)
    else if ((bits & DIGIT) !== 0 && (classAt(text, begin) & DIGIT) !== 0)
      this.#digits(begin, skipForward(text, begin, end, DIGIT), end)
    else if ((bits & DIGIT) !== 0 && unitAt(text, end) === 0x3a && text.startsWith('bot', begin))
      this.#digits(begin + 3, end, end)
    const last = this.#prefixed(begin)
    if (last !== undefined) return last
    // All that follows is about words of letters.
    if ((bits & (LETTER | FOREIGN_LETTER)) === 0) return end
    if (end - start === 3 && isDot(text, start)) this.#push(findSpokenEmail(text, start))
    const isLong = end - start >= SHORTEST_SHAPED && (bits & LETTER) !== 0 && start >= this.#tokenUntil
    if (isLong && ((bits & DIGIT) !== 0 || unitAt(text, end) === 0x2e)) this.#shaped(start, end)
    this.#words.word(start, end, bits)
    return end
  }

  /** The digits `[start, end)` of a word that ends at `wordEnd`: all of it, but for the underscores of markdown. */
  #digits(start: number, end: number, wordEnd: number): void {
    const text = this.#text
    if (skipForward(text, end, wordEnd, UNDERSCORE | DIGIT) < wordEnd) return
    if (
      this.#push(findNumberedKey(text, start, end)) ||
      this.#push(findPgpass(text, start, end)) ||
      start < this.#digitsUntil
    )
      return
    this.#digitsUntil = findCards(text, start, this.#found)
  }

  #prefixed(start: number): number | undefined {
    const text = this.#text
    if (start >= this.#tokenUntil && text.startsWith('eyJ', start)) {
      const token = findJsonWebToken(text, start)
      if (this.#push(token)) return token?.end
      this.#tokenUntil = skipForward(text, start, text.length, WORD | DASH)
    }
    if (text.startsWith('PuTTY-', start)) this.#push(findPuttyKey(text, start))
    if (start < this.#prefixUntil) return undefined
    const { finding, judgedUntil } = findPrefixedKey(text, start)
    this.#prefixUntil = Math.max(this.#prefixUntil, judgedUntil)
    if (!this.#push(finding) || finding === undefined) return undefined
    if (finding.rule === 'aws-access-key') this.#push(findAwsSecretAfter(text, finding.end))
    if (finding.rule === 'twilio') this.#push(findTwilioTokenAfter(text, finding.end))
    return finding.end
  }

  #shaped(start: number, end: number): void {
    const finding = findShapedKey(this.#text, start, end)
    this.#push(finding)
    this.#tokenUntil = Math.max(this.#tokenUntil, finding?.end ?? end)
  }
}

function isDot(text: string, start: number): boolean {
  return (unitAt(text, start) | 0x20) === 0x64 && (unitAt(text, start + 1) | 0x20) === 0x6f
}

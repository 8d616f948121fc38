/**
 * One pass over a text for the kinds that are always looked for.
 *
 * The scanner walks from word to word. While it reads one it keeps its first and last four letters; these say by one bit each of two tables
 * whether it may begin a key or tell that a secret follows. Words with digits, long ones and those before a sign such as `=` are
 * looked at too, and between words a few signs (`@`, `://`, `-----`) start the other rules. For nearly all words the answer is
 * no, and costs nothing more. Every rule reads a bounded piece of text, or remembers how far it has read, so the whole is linear
 * for every input.
 *
 * Known limits: a secret split over several spans; passwords that are ordinary words in prose; keys without prefix,
 * shape or telling word.
 */
import {
  classAt,
  classOf,
  DIGIT,
  DISGUISE,
  escapeLengthAt,
  FOREIGN_LETTER,
  IDEOGRAPH,
  LETTER,
  skipForward,
  UNDERSCORE,
  WORD,
  DASH,
  ASSIGNING,
  ESCAPE,
  TRIGGER,
  BASE64,
  SPACE,
  unitAt,
} from './character-classes.ts'
import { judgeColumn, readColumn } from './csv-column.ts'
import { hiddenEnd, hidingAt, isDisguiseEscape, type Hiding } from './disguise.ts'
import { findEmail } from './email-address.ts'
import type { Finding } from './finding.ts'
import { findJsonWebToken } from './json-web-token.ts'
import { lettersOf, LongWord, SHORTEST_LONG_REST } from './long-word.ts'
import { findObfuscatedEmail, findSpokenEmail } from './obfuscated-email.ts'
import { findCards } from './payment-card.ts'
import { findPrefixedKey, HEAD_LETTERS, mayBeginKey, mayBePrefixed } from './prefixed-key.ts'
import { findPuttyKey, PrivateKeyBlocks } from './private-key-block.ts'
import {
  findAtlasToken,
  findAwsSecretAfter,
  findBasicCredential,
  findEntraSecret,
  findNumberedKey,
  findPgpass,
  findShapedKey,
  findTwilioTokenAfter,
  SHORTEST_SHAPED,
} from './shaped-key.ts'
import { findShellCredential } from './shell-credential.ts'
import {
  classifyIdeographs,
  classifyName,
  isKeyWord,
  LONGEST_READ_BACK,
  mayEndTelling,
  mayTell,
  mayTellBefore,
  nameStart,
} from './telling-name.ts'
import type { Telling } from './telling-name.ts'
import { findPasswordAfter, isTableSecret, findTellingSecret } from './telling-secret.ts'
import { findDriverCredential, findUriCredential, isAfterScheme } from './uri-credential.ts'
import { addLetter, ignoreCase } from './word-letters.ts'
import type { Steps } from '../../steps.ts'

/** Units of a text that are read in one step. */
const STEP_UNITS = 32_768

export interface Scanned {
  /** Of all rules, in no order; they may overlap. */
  readonly findings: Finding[]
  /** Whether the text has characters that may hide a value from these rules. @see disguise.ts */
  readonly isDisguised: boolean
}

export function scan(text: string): Scanned {
  const scanning = new Scan(text)
  scanning.readUntil(text.length)
  return scanning.result()
}

/** The same, a piece of the text at a time. */
export function* scanInSteps(text: string): Steps<Scanned> {
  const scanning = new Scan(text)
  while (scanning.position < text.length) {
    scanning.readUntil(Math.min(scanning.position + STEP_UNITS, text.length))
    if (scanning.position < text.length) yield
  }
  return scanning.result()
}

/** What stands after a column's name. */
const TABLE_SIGNS = ',;\t| "\\\r\n'
/** What stands after a word that tells little: a blank, a call. */
const FOLLOWING = ' ('
const WORD_UNIT = WORD | FOREIGN_LETTER
const NO_LETTER = DIGIT | UNDERSCORE
/** The word `dot`. */
const SPOKEN_DOT = ignoreCase(
  Array.from('dot').reduce((letters, letter) => addLetter(letters, letter.charCodeAt(0)), 0),
)
const DATA_URL = /:[\w.+/-]{0,80}(?:;[\w=.-]{1,60}){0,4};base64,/y

/** One pass over one text. */
class Scan {
  readonly #text: string
  readonly #found: Finding[] = []
  /** Findings by telling words come after the specific ones, which name a span of the same length. */
  readonly #told: Finding[] = []
  #blocks: PrivateKeyBlocks | undefined
  /** Ends of what has been judged already, by rule. */
  #digitsUntil = 0
  #tellingUntil = 0
  #userInformationUntil = 0
  #tokenUntil = 0
  #prefixUntil = 0
  #tableUntil = 0
  #headerEnd = 0
  /** Where the scan has come to. */
  #position = 0
  /** Class bits of the unit before. */
  #before = 0
  /** Of the word that was looked at last. */
  #wordEnd = 0
  /** What characters of disguise have hidden so far. */
  #hiding: Hiding = 'no'
  #hasAt = false
  /** The last word that was too long to be read twice. */
  #long: LongWord | undefined

  constructor(text: string) {
    this.#text = text
  }

  get position(): number {
    return this.#position
  }

  /**
   * Reads on, to the end of the word that reaches or passes `limit`. One loop without calls for nearly every word: it is
   * where the time goes.
   */
  readUntil(limit: number): void {
    const text = this.#text
    const length = text.length
    let at = this.#position
    let before = this.#before
    let wordEnd = this.#wordEnd
    while (at < limit) {
      let unit = text.charCodeAt(at)
      let bits = classOf(unit)
      if ((bits & WORD_UNIT) === 0) {
        before = bits
        if ((bits & (TRIGGER | IDEOGRAPH | DISGUISE)) === 0) at++
        else {
          at = this.#sign(at, bits)
          before = classAt(text, at - 1)
        }
        continue
      }
      const start = at
      let all = 0
      let letters = 0
      let head = 0
      if (wordEnd - start >= SHORTEST_LONG_REST) {
        const word = this.#longWord(start, wordEnd)
        all = word.bitsFrom(start)
        letters = word.letters
        head = lettersOf(text, start, start + HEAD_LETTERS)
        at = wordEnd
        bits = classAt(text, at)
      } else
        do {
          all |= bits
          letters = addLetter(letters, unit)
          if (at - start < HEAD_LETTERS) head = letters
          at++
          unit = at < length ? text.charCodeAt(at) : 0
          bits = classOf(unit)
        } while ((bits & WORD_UNIT) !== 0)
      // After a part of a word (a rule went on in its midst) or an escape, the letters are not the whole word's.
      if (
        ((all & NO_LETTER) | (bits & ASSIGNING) | (before & (WORD_UNIT | ESCAPE))) !== 0 ||
        at - start >= SHORTEST_SHAPED ||
        mayBeginKey(head) ||
        mayEndTelling(ignoreCase(letters)) ||
        ignoreCase(letters) === SPOKEN_DOT
      ) {
        wordEnd = at
        at = this.#word(start, at, all)
      }
      before = all
    }
    this.#position = at
    this.#before = before
    this.#wordEnd = wordEnd
  }

  /** When all is read. */
  result(): Scanned {
    for (const finding of this.#told) this.#found.push(finding)
    const isDisguised = this.#hiding === 'yes' || (this.#hiding === 'beside-an-address' && this.#hasAt)
    return { findings: this.#found, isDisguised }
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
    if ((bits & DIGIT) !== 0 && (classAt(text, begin) & DIGIT) !== 0)
      this.#digits(begin, skipForward(text, begin, end, DIGIT), end)
    else if ((bits & DIGIT) !== 0 && unitAt(text, end) === 0x3a && text.startsWith('bot', begin))
      this.#digits(begin + 3, end, end)
    if (mayBePrefixed(text, begin)) {
      const last = this.#prefixed(begin)
      if (last !== undefined) return last
    }
    // All that follows is about words of letters.
    if ((bits & (LETTER | FOREIGN_LETTER)) === 0) return end
    if (end - start === 3 && isDot(text, start)) this.#push(findSpokenEmail(text, start))
    const isLong = end - start >= SHORTEST_SHAPED && (bits & LETTER) !== 0 && start >= this.#tokenUntil
    if (isLong && ((bits & DIGIT) !== 0 || unitAt(text, end) === 0x2e)) this.#shaped(start, end)
    if (start >= this.#tellingUntil && end - start <= LONGEST_READ_BACK) this.#name(start, end, bits)
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

  /** A word that may be, or end, a telling name. */
  #name(start: number, end: number, bits: number): void {
    const text = this.#text
    const isAssigned = (classAt(text, end) & ASSIGNING) !== 0
    if ((classAt(text, end - 1) & NO_LETTER) !== 0 || !mayTell(text, end)) {
      if (!isAssigned || (bits & LETTER) === 0 || !mayTellBefore(text, start, end)) return
    }
    const last = unitAt(text, end - 1) | 0x20
    if (last === 0x63 && end - start === 5 && text.slice(start, end).toLowerCase() === 'basic')
      this.#push(findBasicCredential(text, end))
    const from = nameStart(text, start, end)
    const telling = classifyName(text.slice(from, end))
    if (telling === 'weak' && !isKeyWord(text, end) && !isAssigned && !FOLLOWING.includes(text.charAt(end))) return
    if (telling === undefined) return
    const mayHead = TABLE_SIGNS.includes(text.charAt(end)) && telling !== 'weak'
    if (!mayHead || !this.#table(from, end, telling)) this.#tell(from, end, telling)
  }

  /** A name in the first line of a table: its column tells. Whether there is one with a secret. */
  #table(start: number, end: number, telling: Telling): boolean {
    if (start < this.#tableUntil && start > this.#headerEnd) return false
    const column = readColumn(this.#text, start, end)
    if (column === undefined || column.fields.length === 0) return false
    const findings = judgeColumn(this.#text, column, (value) => isTableSecret(value, telling))
    for (const finding of findings) this.#told.push(finding)
    this.#tableUntil = column.end
    this.#headerEnd = column.headerEnd
    return findings.length > 0
  }

  #tell(start: number, end: number, telling: Telling): void {
    if (end <= this.#tellingUntil) return
    const { finding, judgedUntil } = findTellingSecret(this.#text, start, end, telling)
    if (finding !== undefined) this.#told.push(finding)
    this.#tellingUntil = Math.max(this.#tellingUntil, judgedUntil)
  }

  /** Looks at a sign or ideograph; where the scan goes on. */
  #sign(at: number, bits: number): number {
    const text = this.#text
    if ((bits & DISGUISE) !== 0) return this.#disguise(at)
    if ((bits & IDEOGRAPH) !== 0) {
      const telling = classifyIdeographs(text, at + 1)
      if (telling !== undefined) this.#tell(at, at + 1, telling)
      return at + 1
    }
    switch (text.charCodeAt(at)) {
      case 0x40: // @
        return this.#at(at)
      case 0x3a: // :
        return this.#colon(at)
      case 0x2d: // -
        return this.#dash(at)
      case 0x25: // %
        if (text.startsWith('40', at + 1)) this.#push(findEmail(text, at, 3))
        break
      case 0x5c: // \
        if (text.startsWith('u0040', at + 1)) this.#push(findEmail(text, at, 6))
        else if (isDisguiseEscape(text, at)) this.#hiding = 'yes'
        break
      case 0x26: // &
        if (text.startsWith('#64;', at + 1)) this.#push(findEmail(text, at, 5))
        else if (text.startsWith('#x40;', at + 1)) this.#push(findEmail(text, at, 6))
        else if (text.startsWith('commat;', at + 1)) this.#push(findEmail(text, at, 8))
        break
      case 0x5b: // [
      case 0x28: // (
      case 0x7b: // {
        this.#push(findObfuscatedEmail(text, at))
        break
      case 0x7e: // ~
        this.#push(findEntraSecret(text, at))
        break
      case 0x2e: // .
        if (unitAt(text, at + 1) === 0x61) this.#push(findAtlasToken(text, at))
        break
    }
    return at + 1
  }

  #disguise(at: number): number {
    const end = hiddenEnd(this.#text, at)
    const hiding = this.#hiding === 'yes' ? 'yes' : hidingAt(this.#text, at, end)
    if (hiding !== 'no') this.#hiding = hiding
    return end
  }

  #at(at: number): number {
    this.#hasAt = true
    if (at < this.#userInformationUntil) return at + 1
    if (this.#push(findDriverCredential(this.#text, at))) return at + 1
    const address = findEmail(this.#text, at, 1)
    this.#push(address)
    if (address !== undefined) this.#push(findPasswordAfter(this.#text, address.end))
    return at + 1
  }

  #colon(at: number): number {
    const text = this.#text
    if (unitAt(text, at + 1) === 0x2f && unitAt(text, at + 2) === 0x2f && isAfterScheme(text, at)) {
      const information = at < this.#userInformationUntil ? undefined : findUriCredential(text, at)
      if (information !== undefined) {
        for (const finding of information.findings) this.#found.push(finding)
        this.#userInformationUntil = information.end
      }
      return at + 3
    }
    if (!text.startsWith('data', at - 4)) return at + 1
    DATA_URL.lastIndex = at
    return DATA_URL.test(text) ? skipForward(text, DATA_URL.lastIndex, text.length, BASE64) : at + 1
  }

  #dash(at: number): number {
    const text = this.#text
    if (unitAt(text, at + 1) === 0x2d && unitAt(text, at + 2) === 0x2d && unitAt(text, at - 1) !== 0x2d) {
      this.#blocks ??= new PrivateKeyBlocks(text)
      const block = this.#blocks.findAt(at)
      if (this.#push(block) && block !== undefined) return block.end
    } else if ((classAt(text, at - 1) & SPACE) !== 0 && (classAt(text, at + 1) & (LETTER | DASH)) !== 0)
      this.#push(findShellCredential(text, at))
    return at + 1
  }
}

function isDot(text: string, start: number): boolean {
  return (unitAt(text, start) | 0x20) === 0x64 && (unitAt(text, start + 1) | 0x20) === 0x6f
}

/**
 * Private keys in armour: PEM (PKCS 1, PKCS 8, EC, OpenSSH, encrypted), PGP, SSH2 and PuTTY, from the first line to the last, whether the line ends
 * are real or escaped (`\n` in a JSON string). Certificates and public keys stay.
 */
import { BASE64, classAt, SPACE } from '../character-classes.ts'
import type { Finding } from '../finding.ts'

const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
/** What every key has a line of, and prose between the two lines has not. */
const RUN = /[A-Za-z0-9+/]{24}/g
/** At either end of a line that begins or ends a block. */
const MOST_DASHES = 5
/** A 16,384-bit RSA key takes 13,000 characters. */
const LONGEST_BLOCK = 32_768

/** Of a block that was cut off. */
const SHORTEST_BODY = 40
const LINE_END = 0x0a
/** In front of a block's body, with the empty line below them: `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`. */
const HEADERS =
  /(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[A-Za-z-]{4,20}: [^\n\\]{1,120}){1,6}(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)\s{0,8}){2}/y
const EMPTY_LINE = /\n\r?\n/y

/** Finds blocks of one text in order; remembers where the next end line and the next run of base64 are, so that many beginnings cost one search. */
export class PrivateKeyBlocks {
  readonly #text: string
  #nextEnd = -1
  #endLength = 0
  #nextRun = -1

  constructor(text: string) {
    this.#text = text
  }

  /** The block whose first line begins with the last dashes of the row `[rowStart, rowEnd)`: others may stand before them. */
  findIn(rowStart: number, rowEnd: number): Finding | undefined {
    const start = Math.max(rowStart, rowEnd - MOST_DASHES)
    BEGIN.lastIndex = start
    const begin = BEGIN.exec(this.#text)
    if (begin === null) return undefined
    const body = start + begin[0].length
    const end = this.#endAfter(body) ?? this.#bodyEnd(body)
    return end === undefined || !this.#hasRun(body, end) ? undefined : { kind: 'KEY', start, end, rule: 'private-key' }
  }

  /** Whether there is a key between the lines, and not the lines alone, as code and prose name them. */
  #hasRun(body: number, end: number): boolean {
    if (this.#nextRun < body) {
      RUN.lastIndex = body
      this.#nextRun = RUN.exec(this.#text)?.index ?? Infinity
    }
    return this.#nextRun < end
  }

  #endAfter(body: number): number | undefined {
    if (this.#nextEnd < body) {
      END.lastIndex = body
      const end = END.exec(this.#text)
      this.#nextEnd = end === null ? Infinity : end.index
      this.#endLength = end === null ? 0 : end[0].length
    }
    return this.#nextEnd - body <= LONGEST_BLOCK ? this.#nextEnd + this.#endLength : undefined
  }

  /** A block that was cut off: base64, line ends and their escapes as far as they go, up to an empty line. */
  #bodyEnd(body: number): number | undefined {
    HEADERS.lastIndex = body
    if (HEADERS.test(this.#text)) body = HEADERS.lastIndex
    const limit = Math.min(this.#text.length, body + LONGEST_BLOCK)
    let at = body
    while (at < limit && ((classAt(this.#text, at) & (BASE64 | SPACE)) !== 0 || this.#text.charCodeAt(at) === 0x5c)) {
      if (at - body >= SHORTEST_BODY && this.#isEmptyLine(at)) break
      at++
    }
    while (at > body && (classAt(this.#text, at - 1) & SPACE) !== 0) at--
    return at - body >= SHORTEST_BODY ? at : undefined
  }

  #isEmptyLine(at: number): boolean {
    EMPTY_LINE.lastIndex = at
    return this.#text.charCodeAt(at) === LINE_END && EMPTY_LINE.test(this.#text)
  }
}

const PUTTY =
  /PuTTY-User-Key-File-\d: [\s\S]{0,600}?Private-Lines: \d{1,3}\s(?:[A-Za-z0-9+/=]{1,80}\s){1,200}(?:Private-(?:MAC|Hash): [0-9a-f]{40,64})?/y

/** A PuTTY key file that begins at `start`. */
export function findPuttyKey(text: string, start: number): Finding | undefined {
  PUTTY.lastIndex = start
  const match = PUTTY.exec(text)
  return match === null ? undefined : { kind: 'KEY', start, end: start + match[0].length, rule: 'private-key' }
}

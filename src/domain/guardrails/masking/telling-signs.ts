/** The signs between words that start a rule: `@`, `://`, `-----` and a few more; and what disguises a value. */
import { BASE64, classAt, DASH, LETTER, skipForward, SPACE, unitAt } from './character-classes.ts'
import { hidingAt, type Hiding } from './disguises/disguise.ts'
import { findEmail } from './personal/email-address.ts'
import type { Finding } from './finding.ts'
import { findObfuscatedEmail } from './personal/obfuscated-email.ts'
import { hiddenEnd, isDisguiseEscape } from './disguises/plain-character.ts'
import { PrivateKeyBlocks } from './secrets/private-key-block.ts'
import { findAtlasToken, findEntraSecret, findPgpass } from './secrets/shaped-key.ts'
import { findShellCredential, findSlashCredential } from './secrets/shell-credential.ts'
import { findPasswordAfter } from './telling/telling-secret.ts'
import { isTerminalEscape } from './disguises/terminal-colours.ts'
import { findBareLogin, findDriverCredential, findUriCredential, isAfterScheme } from './secrets/uri-credential.ts'
import { hidesWritten } from './disguises/written-character.ts'

const DATA_URL = /:[\w.+/-]{0,80}(?:;[\w=.-]{1,60}){0,4};base64,/y

/** Those of one text, read from its beginning to its end. */
export class TellingSigns {
  readonly #text: string
  readonly #found: Finding[]
  #blocks: PrivateKeyBlocks | undefined
  /** Of the last private key. */
  #blockEnd = -1
  /** End of what has been judged as a URI's login. */
  #userInformationUntil = 0
  /** What characters of disguise have hidden so far. */
  #hiding: Hiding = 'no'
  #hasAt = false
  #isColoured = false

  constructor(text: string, found: Finding[]) {
    this.#text = text
    this.#found = found
  }

  /** Whether what was read has characters that may hide a value from the rules. @see disguise.ts */
  get isDisguised(): boolean {
    return this.#hiding === 'yes' || (this.#hiding === 'beside-an-address' && this.#hasAt)
  }

  /** Whether it has colours of a terminal. @see terminal-colours.ts */
  get isColoured(): boolean {
    return this.#isColoured
  }

  /** The bracket at `at`, before digits: of a colour whose escape was lost. */
  bracketBeforeDigits(at: number): void {
    this.#coloured(at)
  }

  /** Looks at the sign at `at`; where the scan goes on. */
  sign(at: number): number {
    const text = this.#text
    switch (text.charCodeAt(at)) {
      case 0x40: // @
        return this.#at(at)
      case 0x3a: // :
        return this.#colon(at)
      case 0x2d: // -
        return this.#dash(at)
      case 0x25: // %
        if (text.startsWith('40', at + 1)) this.#push(findEmail(text, at, 3))
        this.#written(at)
        break
      case 0x5c: // \
        if (text.startsWith('u0040', at + 1)) this.#push(findEmail(text, at, 6))
        else if (this.#coloured(at)) break
        else if (isDisguiseEscape(text, at)) this.#hiding = 'yes'
        break
      case 0x1b: // escape
        this.#coloured(at)
        break
      case 0x26: // &
        if (text.startsWith('#64;', at + 1)) this.#push(findEmail(text, at, 5))
        else if (text.startsWith('#x40;', at + 1)) this.#push(findEmail(text, at, 6))
        else if (text.startsWith('commat;', at + 1)) this.#push(findEmail(text, at, 8))
        this.#written(at)
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

  /** What hides a value from the rules, `[at, the result)`. */
  disguise(at: number): number {
    const end = hiddenEnd(this.#text, at)
    const hiding = this.#hiding === 'yes' ? 'yes' : hidingAt(this.#text, at, end)
    if (hiding !== 'no') this.#hiding = hiding
    return end
  }

  /** What is written out at `at` may hide a value. */
  #written(at: number): void {
    if (this.#hiding !== 'yes' && hidesWritten(this.#text, at)) this.#hiding = 'yes'
  }

  #coloured(at: number): boolean {
    this.#isColoured ||= isTerminalEscape(this.#text, at)
    return this.#isColoured
  }

  #at(at: number): number {
    this.#hasAt = true
    if (at < this.#userInformationUntil) return at + 1
    if (this.#push(findDriverCredential(this.#text, at))) return at + 1
    const address = findEmail(this.#text, at, 1)
    this.#push(address ?? findBareLogin(this.#text, at))
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
    if (text.startsWith('*:', at + 1)) this.#push(findPgpass(text, at + 1, at + 2))
    if (text.startsWith('/p', at - 2)) this.#push(findSlashCredential(text, at))
    if (!text.startsWith('data', at - 4)) return at + 1
    DATA_URL.lastIndex = at
    return DATA_URL.test(text) ? skipForward(text, DATA_URL.lastIndex, text.length, BASE64) : at + 1
  }

  #dash(at: number): number {
    const text = this.#text
    if (unitAt(text, at + 1) === 0x2d && unitAt(text, at + 2) === 0x2d) {
      // A row of dashes is read once: at its first, or behind the block that ended in it.
      if (unitAt(text, at - 1) === 0x2d && at !== this.#blockEnd) return at + 1
      this.#blocks ??= new PrivateKeyBlocks(text)
      const block = this.#blocks.findIn(at, skipForward(text, at, text.length, DASH))
      if (block === undefined) return at + 1
      this.#push(block)
      this.#blockEnd = block.end
      return block.end
    }
    if ((classAt(text, at - 1) & SPACE) !== 0 && (classAt(text, at + 1) & (LETTER | DASH)) !== 0)
      this.#push(findShellCredential(text, at))
    return at + 1
  }

  #push(finding: Finding | undefined): boolean {
    if (finding !== undefined) this.#found.push(finding)
    return finding !== undefined
  }
}

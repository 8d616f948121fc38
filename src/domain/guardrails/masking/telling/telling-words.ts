/**
 * Words that tell that a secret follows: a name before a sign, the name of a column. Each stretch of text is judged for one
 * of them only, and a table once.
 */
import { ASSIGNING, classAt, DIGIT, LETTER, SPACE, UNDERSCORE, unitAt } from '../character-classes.ts'
import { readColumn } from '../tables/csv-column.ts'
import type { Finding } from '../finding.ts'
import { readInsertColumn } from '../tables/insert-column.ts'
import { findCallCredential } from './call-credential.ts'
import { isInCookieFile, isLoginCookie } from '../secrets/session-cookie.ts'
import { findHandedSecret } from '../secrets/handed-secret.ts'
import { findOraclePassword } from '../secrets/oracle-login.ts'
import { findRecoveryCodes } from '../secrets/recovery-codes.ts'
import { findRouterCredential } from '../secrets/router-credential.ts'
import { findBasicCredential } from '../secrets/shaped-key.ts'
import { findSqlCredential, IDENTIFIED } from '../secrets/sql-credential.ts'
import type { Field, Rows } from '../tables/table-rows.ts'
import {
  classifyIdeographs,
  classifyName,
  isKeyWord,
  LONGEST_READ_BACK,
  mayTell,
  mayTellBefore,
  nameStart,
} from './telling-name.ts'
import type { Telling } from './telling-name.ts'
import { findTellingSecret, isTableSecret } from './telling-secret.ts'
import { findWifiPassword, WIFI } from '../secrets/wifi-code.ts'

/** What stands after a column's name. */
const TABLE_SIGNS = ',;\t| "\\\r\n)]`\u2502'
/** What stands after a word that tells little: a blank, a call. */
const FOLLOWING = ' ('
/** Or the text's: behind it comes nothing. */
const LINE_ENDS = '\r\n'
const NO_LETTER = DIGIT | UNDERSCORE
const LAST_OF_IDENTIFIED = 0x64
const LAST_OF_USER = 0x72
const LAST_OF_WIFI = 0x69
const SPACE_SIGN = 0x20
/** What stands behind a cookie's name in a list, in JSON, in a file. */
const BEHIND_COOKIES = '="\'\\\t '

/** Of a table, to see whether its column has secrets: the rest is read as the text is. */
const FIRST_ROWS_UNITS = 8192

/** A column whose rows go on. */
interface OpenColumn {
  readonly rows: Rows
  readonly telling: Telling
}

/** Those of one text, read from its beginning to its end. */
export class TellingWords {
  /** To come after those of other rules, which name a span of the same length more closely. */
  readonly findings: Finding[] = []
  readonly #text: string
  readonly #found: Finding[]
  /** Ends of what has been judged already. */
  #judgedUntil = 0
  #tableUntil = 0
  #headerEnd = 0
  #columns: OpenColumn[] = []
  #hasTelling = false

  /** @param found takes what needs no telling */
  constructor(text: string, found: Finding[]) {
    this.#text = text
    this.#found = found
  }

  /** Whether a word was among them that may tell of a secret, whether one was found or not. */
  get hasTelling(): boolean {
    return this.#hasTelling
  }

  /** A word that may be, or end, a telling name. `bits`: the classes of its units. */
  word(start: number, end: number, bits: number): void {
    if (start < this.#judgedUntil || end - start > LONGEST_READ_BACK) return
    const text = this.#text
    const isAssigned =
      (classAt(text, end) & ASSIGNING) !== 0 || isAssignedAfterBlank(text, end) || isOfCookieFile(text, start, end)
    if ((classAt(text, end - 1) & NO_LETTER) !== 0 || !mayTell(text, end)) {
      if (!isAssigned || (bits & LETTER) === 0) return
      if (this.#loginCookie(start, end) || !mayTellBefore(text, start, end)) return
    }
    const hadTelling = this.#hasTelling
    this.#hasTelling = true
    const last = unitAt(text, end - 1) | 0x20
    if (last === 0x63 && end - start === 5 && text.slice(start, end).toLowerCase() === 'basic') this.#basic(end)
    if (last === LAST_OF_IDENTIFIED && this.#sql(start, end)) return
    if (unitAt(text, end) === SPACE_SIGN && this.#router(start, end)) return
    if (this.#judged(findHandedSecret(text, start, end))) return
    // `user` and what ends like it, which tells in `net user` and `net use` only.
    if (last === LAST_OF_USER && (unitAt(text, end - 3) | 0x20) === 0x73) return
    if (last === LAST_OF_WIFI && this.#wifi(start, end)) return
    if (this.#judged(findOraclePassword(text, start, end) ?? findRecoveryCodes(text, start, end))) return
    const from = nameStart(text, start, end)
    if (this.#call(from, end)) return
    const telling = classifyName(text.slice(from, end))
    if (telling === 'weak' && !isKeyWord(text, end) && !isAssigned && !FOLLOWING.includes(text.charAt(end))) {
      // In the midst of a line it tells nothing: `GET /api/users`.
      if (!LINE_ENDS.includes(text.charAt(end))) this.#hasTelling = hadTelling
      return
    }
    if (telling === undefined) return
    const mayHead = TABLE_SIGNS.includes(text.charAt(end)) && telling !== 'weak'
    if (!mayHead || !this.#table(from, end, telling)) this.#tell(from, end, telling)
  }

  ideograph(at: number): void {
    const telling = classifyIdeographs(this.#text, at + 1)
    if (telling === undefined) return
    this.#hasTelling = true
    this.#tell(at, at + 1, telling)
  }

  #loginCookie(start: number, end: number): boolean {
    if (!BEHIND_COOKIES.includes(this.#text.charAt(end))) return false
    const from = nameStart(this.#text, start, end)
    const isLogin = isLoginCookie(this.#text, from, end)
    if (isLogin) this.#tell(from, end, 'secret')
    return isLogin
  }

  /** Whether the word is one before a password of SQL's, found or not. */
  #sql(start: number, end: number): boolean {
    if (end - start !== IDENTIFIED.length || this.#text.slice(start, end).toLowerCase() !== IDENTIFIED) return false
    const finding = findSqlCredential(this.#text, end)
    if (finding !== undefined) this.findings.push(finding)
    return true
  }

  #router(start: number, end: number): boolean {
    return this.#judged(findRouterCredential(this.#text, start, end))
  }

  #wifi(start: number, end: number): boolean {
    if (end - start !== WIFI.length || this.#text.slice(start, end).toLowerCase() !== WIFI) return false
    return this.#judged(findWifiPassword(this.#text, end))
  }

  #call(from: number, end: number): boolean {
    return this.#judged(findCallCredential(this.#text, from, end))
  }

  /** Whether it is one: then names before its end need no look of their own. */
  #judged(finding: Finding | undefined): boolean {
    if (finding === undefined) return false
    this.findings.push(finding)
    this.#judgedUntil = finding.end
    return true
  }

  #basic(end: number): void {
    const finding = findBasicCredential(this.#text, end)
    if (finding !== undefined) this.#found.push(finding)
  }

  /** A name in the first line of a table: its column tells. Whether there is one with a secret. */
  #table(start: number, end: number, telling: Telling): boolean {
    this.readTables(end)
    if (start < this.#tableUntil && start > this.#headerEnd) return false
    const column = readInsertColumn(this.#text, start, end) ?? readColumn(this.#text, start, end)
    if (column === undefined) return false
    const { headerEnd, rows } = column
    const fields = rows.readTo(headerEnd + FIRST_ROWS_UNITS)
    if (fields.length === 0 && rows.isOver) return false
    this.#headerEnd = headerEnd
    this.#tableUntil = rows.end
    if (!rows.isOver) this.#columns.push({ rows, telling })
    return this.#judge(fields, telling)
  }

  /** Reads tables that go on up to the row that holds `limit`. */
  readTables(limit: number): void {
    if (this.#columns.length === 0) return
    for (const { rows, telling } of this.#columns) {
      this.#judge(rows.readTo(limit), telling)
      this.#tableUntil = Math.max(this.#tableUntil, rows.end)
    }
    this.#columns = this.#columns.filter(({ rows }) => !rows.isOver)
  }

  /** Whether one of them is a secret. */
  #judge(fields: readonly Field[], telling: Telling): boolean {
    const secrets = fields.filter(({ start, end }) => isTableSecret(this.#text.slice(start, end), telling))
    for (const { start, end } of secrets) this.findings.push({ kind: 'KEY', start, end, rule: 'table-column' })
    return secrets.length > 0
  }

  #tell(start: number, end: number, telling: Telling): void {
    if (end <= this.#judgedUntil) return
    const { finding, judgedUntil } = findTellingSecret(this.#text, start, end, telling)
    if (finding !== undefined) this.findings.push(finding)
    this.#judgedUntil = Math.max(this.#judgedUntil, judgedUntil)
  }
}

/** A name in a file of cookies. */
function isOfCookieFile(text: string, start: number, end: number): boolean {
  return (classAt(text, end) & SPACE) !== 0 && isInCookieFile(text, nameStart(text, start, end))
}

/** `API_KEY_PROD = "..."` */
function isAssignedAfterBlank(text: string, end: number): boolean {
  return unitAt(text, end) === 0x20 && unitAt(text, end + 1) === 0x3d
}

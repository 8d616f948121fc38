/**
 * Credentials in URLs and connection strings: `scheme://user:password@host`. The password is masked, the user name stays, so that the
 * model still sees which account is meant; where the user name itself is the secret (a token, a Sentry key), it is masked.
 * Also `user:password@tcp(host)`, as Go's MySQL driver has it.
 */
import { ALPHANUMERIC, classAt, DASH, DOT, skipBack, SPACE, WORD } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { hasGeneratedRun, isPlaceholder, isUuid } from './randomness.ts'

/** Longest user information read; longer ones are not credentials but something else with an `@`. */
const LONGEST_USER_INFORMATION = 1024

const DATABASE_SCHEMES =
  /(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|srv|mssql|sqlserver|oracle|kafka|ldap|ldaps|smtp|smtps|ftp|sftp|smb|cifs|rtsps?|nats|clickhouse|cockroachdb|psycopg2?|asyncpg|pymysql|mqtts?|neo4j|bolt|couchbase|cassandra|jdbc)$/i
const EXAMPLE_USERS: ReadonlySet<string> = new Set([
  '',
  'user',
  'username',
  'usr',
  'login',
  'name',
  'user_name',
  '<user>',
  'myuser',
])
const EXAMPLE_PASSWORDS: ReadonlySet<string> = new Set([
  'password',
  'pass',
  'passwd',
  'pwd',
  'pw',
  'secret',
  'mypassword',
  'your_password',
  'token',
  'pass_word',
])
const TOKEN_NAMES: ReadonlySet<string> = new Set([
  '',
  'x-oauth-basic',
  'x-token-auth',
  'x-access-token',
  'oauth2',
  'token',
  'api',
  'apikey',
  'x',
])

export interface UserInformation {
  /** Offset after the `@`. The text before it belongs to the URL, so no e-mail address begins there. */
  readonly end: number
  readonly findings: readonly Finding[]
}

/** What stands between `://` and `@`; `colon` is the offset of `://`. Undefined where the URL has no user information. */
export function findUriCredential(text: string, colon: number): UserInformation | undefined {
  const start = colon + 3
  const isDatabase = DATABASE_SCHEMES.test(text.slice(Math.max(0, colon - 16), colon))
  const at = userInformationEnd(text, start, isDatabase)
  if (at === undefined) return undefined
  const separator = text.slice(start, at).indexOf(':')
  const user = separator < 0 ? text.slice(start, at) : text.slice(start, start + separator)
  const passwordStart = separator < 0 ? at : start + separator + 1
  return { end: at + 1, findings: judge(user, start, text.slice(passwordStart, at), passwordStart) }
}

/** Offset of the `@`: the last one before the host's end. Raw `/`, `?` and `#` are taken for a password's only in databases' URLs. */
function userInformationEnd(text: string, start: number, isDatabase: boolean): number | undefined {
  const limit = Math.min(text.length, start + LONGEST_USER_INFORMATION)
  let last: number | undefined
  let colon = -1
  for (let at = start; at < limit; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x40) last = at
    if (unit === 0x3a && colon < 0) colon = at
    if (unit === 0x60 || (classAt(text, at) & SPACE) !== 0) break
    if (unit === 0x22 || unit === 0x3c || unit === 0x3e || unit === 0x5c) {
      const sign = unit === 0x5c ? at + 1 : at
      if (colon < 0 || isPort(text, colon + 1, at) || !isInPassword(text, start, sign)) break
      at = sign
      continue
    }
    if ((unit === 0x27 || unit === 0x2c || unit === 0x29) && last !== undefined) break
    if (unit !== 0x2f && unit !== 0x3f && unit !== 0x23) continue
    if (!isDatabase || colon < 0 || isPort(text, colon + 1, at)) break
    if (last !== undefined && !HOST_AHEAD.test(text.slice(at, at + 80))) break
  }
  return last
}

/** A password with a slash goes on: its `@` and a host are still to come. */
const HOST_AHEAD = /^[^\s"'?&<>]{1,48}@[\w.-]{1,24}[:/]/

/** A quote or angle bracket in a password: the rest of it, its `@` and a host alone. */
const REST_AHEAD = /^["<>][^\s"'`<>\\,;=(){}[\]]{0,64}@[\w.-]{1,253}(?:[:/?#,\s"'`)]|$)/
/** What an address stands behind, and its escape; `jdbc:` may stand before its scheme. */
const OPENING = /(\\?)([^\w+.:-])[\w+.:-]{0,40}:\/\/$/

/**
 * Whether the quote or angle bracket at `at` belongs to the password of the address whose user begins at `start`. In JSON an escaped
 * quote does, unless such a one stands before the address.
 */
function isInPassword(text: string, start: number, at: number): boolean {
  if (!REST_AHEAD.test(text.slice(at, at + 320))) return false
  const [, escape, opening] = OPENING.exec(text.slice(Math.max(0, start - 45), start)) ?? []
  if (opening === '<' || opening === '>') return false
  return opening !== text.charAt(at) || (text.charAt(at - 1) === '\\' && escape === '')
}

function isPort(text: string, from: number, to: number): boolean {
  return /^\d{0,5}$/.test(text.slice(from, to))
}

function judge(user: string, start: number, password: string, passwordStart: number): Finding[] {
  const findings: Finding[] = []
  if (isSecretUser(user, password)) findings.push(finding(start, user.length))
  if (isSecretPassword(user, password)) findings.push(finding(passwordStart, password.length))
  return findings
}

function finding(start: number, length: number): Finding {
  return { kind: 'KEY', start, end: start + length, rule: 'uri-credential' }
}

function isSecretUser(user: string, password: string): boolean {
  if (user.length < 8 || isPlaceholder(user)) return false
  if (TOKEN_NAMES.has(password.toLowerCase()) || isUuid(user)) return hasGeneratedRun(user, 8)
  return hasGeneratedRun(user, 20)
}

/** Whether a login's password is none of an example or a template (`[user[:password]@]host`). */
export function isSecretPassword(user: string, password: string): boolean {
  if (password.length === 0 || isPlaceholder(password) || TOKEN_NAMES.has(password.toLowerCase())) return false
  if (user.endsWith('[') && password.endsWith(']')) return false
  return !(EXAMPLE_USERS.has(user.toLowerCase().replace(/^\[/, '')) && EXAMPLE_PASSWORDS.has(password.toLowerCase()))
}

const NETWORKS: readonly string[] = ['tcp(', 'udp(', 'unix(']

/** `user:password@tcp(`: the password before the `@` at `at`. */
export function findDriverCredential(text: string, at: number): Finding | undefined {
  if (!NETWORKS.some((network) => text.startsWith(network, at + 1))) return undefined
  const colon = text.lastIndexOf(':', at)
  if (colon < at - 128 || colon <= 0) return undefined
  const password = text.slice(colon + 1, at)
  const user = text.slice(skipBack(text, colon, colon - 64, WORD | DOT | DASH), colon)
  if (user === '' || /[\s"'`]/.test(password) || !isSecretPassword(user, password)) return undefined
  return { kind: 'KEY', start: colon + 1, end: at, rule: 'uri-credential' }
}

/** Behind `user:password` without a scheme: where it is no address, and no version or digest. */
const BARE_HOST = /@(?:(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?![\w.-])|[A-Za-z][\w.-]{0,252}:\d{2,5}(?![\w.:-]))/y
const BARE_LOGIN =
  /(?:^|[\s"'`=([,>])(?!(?:sips?|tel|ssh|xmpp|mailto|git|npm|docker|image|file)\d?:)[A-Za-z_][\w.-]{0,63}:([^\s:@/"'`<>(){}[\]\\,;]{6,64})$/i
const LONGEST_LOGIN = 132
/** Letters of both cases and a digit, or a sign that no name has among them. */
const OF_BARE_LOGIN = /^(?=.*\d)(?=.*[A-Za-z])(?:(?=.*[a-z])(?=.*[A-Z])|.*[!#$%^&*+?~])/
/** Behind whom a word and a number will do. */
const OF_ADMINISTRATOR = /[^\w.-](?:root|admin|administrator|postgres|sa):(?=.*\d)(?=.*[A-Za-z])[^:]*$/i

/** `root:password@localhost`, `app:password@db:5432`: the password before the `@` at `at`. */
export function findBareLogin(text: string, at: number): Finding | undefined {
  BARE_HOST.lastIndex = at
  if (!BARE_HOST.test(text)) return undefined
  const login = text.slice(Math.max(0, at - LONGEST_LOGIN), at)
  const password = BARE_LOGIN.exec(login)?.[1]
  if (password === undefined || !isSecretPassword('', password)) return undefined
  if (!OF_BARE_LOGIN.test(password) && !OF_ADMINISTRATOR.test(` ${login}`)) return undefined
  return finding(at - password.length, password.length)
}

/** Whether `://` at `colon` follows a scheme. */
export function isAfterScheme(text: string, colon: number): boolean {
  return (classAt(text, colon - 1) & ALPHANUMERIC) !== 0
}

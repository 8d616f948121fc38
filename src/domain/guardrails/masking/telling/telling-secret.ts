/**
 * Secrets that only a word beside them gives away: passwords, keys without a vendor's prefix, header values, cookies.
 *
 * Here is where they stand: behind the word, or around it. The word sets how much the value must show by itself (telling-name.ts), and
 * so does what connects them (telling-connector.ts); whether it shows that much says telling-verdict.ts. Values that are code or
 * placeholders are left alone.
 */
import { unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { isOtherPass } from './other-passes.ts'
import { isPlaceOfLine } from '../disguises/line-prefixes.ts'
import { isPlaceholder } from '../secrets/randomness.ts'
import { isSessionCookie } from '../secrets/session-cookie.ts'
import { isAfterUser, isBesideUser, spanAhead, spanBefore, spanInBrackets, spanOfPair } from './telling-before.ts'
import type { Span } from './telling-before.ts'
import type { Connection, Connector } from './telling-connector.ts'
import { findConnector, matchEnd } from './telling-connector.ts'
import { isCode, isKeyOrPrompt, isRule, LONGEST_PROMPT } from './telling-code.ts'
import type { Telling } from './telling-name.ts'
import { bracedValue, defaultValue, isLongToken, readValue, skipScheme } from './telling-value.ts'
import type { Value } from './telling-value.ts'
import { hasLength, isSecret } from './telling-verdict.ts'
import type { Place } from './telling-verdict.ts'
import { isOfLogin } from '../secrets/sql-credential.ts'
import { findAppPassword } from '../secrets/app-password.ts'
import { findWalletWords } from './wallet-words.ts'

const VENDOR_WINDOW = 80
const VENDORS =
  /(?:openai|anthropic|claude|cohere|mistral|gemini|azure|aws|amz|wandb|gcp|google|github|gitlab|stripe|twilio|datadog|algolia|sendgrid|mailgun|mailchimp|heroku|cloudflare|fastly|hugging ?face|groq|deepseek|replicate|perplexity|together|pinecone|elevenlabs|new ?relic|okta|auth0|sentry|pagerduty|dropbox|shopify|square|paypal|bitbucket|jira|confluence|asana|trello|zendesk|intercom|segment|mixpanel|amplitude|rapidapi|weather|maps|splunk|elastic|snyk|travis|circleci|jenkins|netlify|vercel|supabase|firebase|linode|vultr|api)/i

export interface TellingResult {
  readonly finding: Finding | undefined
  /** Names before this offset are part of a value that has been judged: they need no look of their own. */
  readonly judgedUntil: number
}

/** A rejected value this long is not read again for the names inside it, so that rows of names stay linear. */
const LONG_VALUE = 64

/** Characters of a long token by which it is judged. */
const LONG_ENOUGH = 256

/** The secret that the name `[start, end)` tells of: behind it, or else around it. */
export function findTellingSecret(text: string, start: number, end: number, telling: Telling): TellingResult {
  // A file that everybody may read; Javadoc's sign for what follows.
  if (text.startsWith('/etc/passwd', start - 5) || text.startsWith('{@code', end - 6))
    return { finding: undefined, judgedUntil: end }
  const second = isBesideUser(text, start) ? findInPair(text, start, end) : undefined
  if (second !== undefined) return { finding: second, judgedUntil: second.end }
  const isCookie = telling === 'weak' && isSessionCookie(text, start, end)
  const told = isCookie ? 'secret' : telling
  const result = findSecretBehind(text, start, end, told, isCookie)
  if (result.finding !== undefined) return result
  const finding = findSecretAround(text, start, end, told)
  return finding === undefined ? result : { finding, judgedUntil: Math.max(result.judgedUntil, finding.end) }
}

function findSecretBehind(
  text: string,
  start: number,
  end: number,
  telling: Telling,
  isCookie: boolean,
): TellingResult {
  const connector = findConnector(text, start, end)
  const words = connector && (findWalletWords(text, start, end, connector) ?? findAppPassword(text, telling, connector))
  if (words !== undefined)
    return { finding: { kind: 'KEY', ...words, rule: `${telling}-value` }, judgedUntil: words.end }
  const value =
    connector === undefined
      ? undefined
      : (bracedValue(text, start, connector.end) ??
        defaultValue(text, connector.end) ??
        readValue(text, connector.end, connector.isElement))
  // `${PASSWORD:?required}`.
  if (connector !== undefined && text.startsWith('${', start - 2) && isNoDefault(text, connector.end))
    return { finding: undefined, judgedUntil: connector.end }
  if (connector === undefined || value === undefined) return { finding: undefined, judgedUntil: end }
  if (connector.connection === 'called' && (!value.isQuoted || isField(text, value.end)))
    return { finding: undefined, judgedUntil: end }
  if (isNextLine(text, end, value)) return { finding: undefined, judgedUntil: end }
  const told = connector.isPair === true && LOG_IN.test(text.slice(start, end)) ? 'password' : telling
  const isSql = connector.connection === 'beside' && told === 'password' && value.isQuoted && isOfLogin(text, start)
  const isAssigned = isSql || (isCookie && connector.connection === 'called')
  const finding = judgeValue(text, { start, end, telling: told }, value, isAssigned ? 'assigned' : connector.connection)
  // Asked last: nearly no word has a value that may be a secret.
  if (finding !== undefined && isOfProgram(text, start, end, value, connector))
    return { finding: undefined, judgedUntil: end }
  const isLong = !value.isQuoted && value.end - value.start > LONG_VALUE && !isCookieHeader(text, end, value.start)
  const isConsumed = finding !== undefined || isLong
  return { finding, judgedUntil: isConsumed ? value.end : end }
}

/** A name compares, writes, is the end of a checksum, or of a line before one that begins with its place (`password:\nsrc/a.ts:12:`). */
function isOfProgram(
  text: string,
  start: number,
  end: number,
  value: Value,
  { connection, end: valueStart }: Connector,
): boolean {
  if (connection === 'called' && isWriter(text, start, end)) return true
  if (!value.isQuoted && (COMPARED.test(text.slice(end, valueStart)) || isPlaceOfLine(text, value.start))) return true
  return isOfBase64(text, end, value.start)
}

/** `len(key) != AES128KeySize`: a program compares with what stands in quotes, or with a name of its own. */
const COMPARED = /^[\])*_ ]{0,4}(?:[!=]==?)[ \t]{0,4}$/

/** `fmt.Fprint(pw, "...")`: what writes, not what is written. */
function isWriter(text: string, start: number, end: number): boolean {
  return end - start === 2 && /print(?:f|ln)?\($/i.test(text.slice(Math.max(0, start - 12), start))
}

/** A shell's message, what stands for a value that is set, another variable. */
function isNoDefault(text: string, at: number): boolean {
  return /^(?:[?+]|-?\$)/.test(text.slice(at, at + 2))
}

/** Whether what stands in quotes up to `end` is the next field's name: `"type": "password", "field2": ...`. */
function isField(text: string, end: number): boolean {
  return /^\\{0,7}["'`]\s{0,4}(?::(?!:)|=>)/.test(text.slice(end, end + 16))
}

/** A variable with its value, or without one; base64 ends with such a sign too. */
const VARIABLE = /^#?(?:[A-Za-z_][\w.-]{0,63}=(?![=\s\\]|$)|[A-Z][A-Z\d]{0,31}_[A-Z\d_]{0,64}=)/

/** `PASSWORD=` or `PASSWORD=$DB_PASSWORD`, and on the next line `PORT=3306` or `PORT   = 3306`, which its own name tells of; or a shell's prompt. */
function isNextLine(text: string, end: number, value: Value): boolean {
  if (!/\n|\\[nr]/.test(text.slice(end, value.start))) return false
  const content = text.slice(value.start, value.end)
  if (!value.isQuoted && isKeyOrPrompt(text.slice(value.start, value.end + LONGEST_PROMPT))) return true
  // With the quote behind a bare one: `NAME="..."`.
  if (VARIABLE.test(value.isQuoted ? content : text.slice(value.start, value.end + 1))) return true
  return /^[A-Za-z_]\w*$/.test(content) && /^[ \t]{1,40}=(?!=)/.test(text.slice(value.end, value.end + 44))
}

/** Of the checksum of a module, without its padding, at least. */
const SHORTEST_BASE64 = 40
const OF_BASE64 = new RegExp(`^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z\\d+/]{${SHORTEST_BASE64}}$`)

/** Base64 that ends with such a word by chance (`...Pw==`), and what stands on the next line or in the next field. */
function isOfBase64(text: string, end: number, valueStart: number): boolean {
  if (!/^={0,2}["'\\]{0,3}[\s,;:]/.test(text.slice(end, Math.min(end + 8, valueStart)))) return false
  return OF_BASE64.test(text.slice(Math.max(0, end - SHORTEST_BASE64), end))
}

/** `Cookie: `, whose cookies are judged by their own names as well. None stands in the value of another, as the blank ends that. */
function isCookieHeader(text: string, end: number, valueStart: number): boolean {
  return unitAt(text, valueStart - 1) === 0x20 && text.slice(end - 6, end).toLowerCase() === 'cookie'
}

/** In front of the name, in a field ahead of it, in brackets behind it, or behind a user's name. */
function findSecretAround(text: string, start: number, end: number, telling: Telling): Finding | undefined {
  const isQuoted = false
  const before = spanBefore(text, start)
  const judged =
    before && looksTyped(text.slice(before.start, before.end), telling)
      ? judgeValue(text, { start, end, telling }, { ...before, isQuoted: isQuoteAt(text, before) }, 'said')
      : undefined
  if (judged !== undefined) return judged
  const ahead = spanAhead(text, start)
  if (ahead !== undefined) return judgeValue(text, { start, end, telling }, { ...ahead, isQuoted: true }, 'assigned')
  const bracketed = telling === 'password' ? undefined : spanInBrackets(text, end)
  if (bracketed !== undefined) return judgeValue(text, { start, end, telling }, { ...bracketed, isQuoted }, 'said')
  return PAIR_NAMES.test(text.slice(start, end)) ? findInPair(text, start, end) : undefined
}

/** The second of the two values behind the name, of which the first is a user's name. */
function findInPair(text: string, start: number, end: number): Finding | undefined {
  const pair = spanOfPair(text, end)
  return pair && judgeValue(text, { start, end, telling: 'password' }, { ...pair, isQuoted: false }, 'said')
}

/** Calls whose second argument is a password. */
const LOG_IN = /log_?in|auth$|authenticate|sign_?in|credentials?$|connect$/i

/** Words that announce a name and a password. */
const PAIR_NAMES =
  /^(?:log-?ins?|cred(?:ential)?s?|access|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais)$/i

/** A key in front of its word has a digit; names of classes have none. */
function looksTyped(value: string, telling: Telling): boolean {
  return telling === 'password' || /\d/.test(value)
}

function isQuoteAt(text: string, { start, end }: Span): boolean {
  return /["'`\u201c]/.test(text.charAt(start - 1)) && /^\\{0,7}["'`\u201d]/.test(text.slice(end, end + 8))
}

/** Whether a field of a table is a secret, below a header that tells of one. */
export function isTableSecret(value: string, telling: Telling): boolean {
  if (!hasLength(value.length, telling) || isPlaceholder(value) || isCode(value, true)) return false
  return isSecret(value, {
    telling,
    connection: 'assigned',
    isQuoted: false,
    isLiteral: false,
    isVendorNear: () => false,
    canBeVerb: false,
    isLast: true,
  })
}

/** The secret that a field of this name holds: all of `value`, or what follows a word like `Bearer`. */
export function findSecretIn(value: string, name: string, telling: Telling): Finding | undefined {
  const end = value.trimEnd().length
  const start = skipScheme(value, value.length - value.trimStart().length)
  const whole = value.slice(start, end)
  const isLong = telling !== 'weak' && isLongToken(whole)
  const content = isLong ? whole.slice(0, LONG_ENOUGH) : whole
  if ((!isLong && !hasLength(content.length, telling)) || isPlaceholder(content) || isCode(content, true))
    return undefined
  const isSecretHere = isSecret(content, {
    telling,
    connection: 'assigned',
    isQuoted: true,
    isLiteral: true,
    isVendorNear: () => VENDORS.test(name),
    canBeVerb: false,
    isLast: true,
  })
  return isSecretHere ? { kind: 'KEY', start, end, rule: `${telling}-value` } : undefined
}

/** The password of a pair `address:password`, after the address that ends at `end`. */
export function findPasswordAfter(text: string, end: number): Finding | undefined {
  if (unitAt(text, end) !== 0x3a) return undefined
  const value = readValue(text, end + 1, false)
  if (value === undefined || value.isQuoted || value.start !== end + 1) return undefined
  return judgeValue(text, { start: end, end, telling: 'password' }, value, 'said')
}

function judgeValue(
  text: string,
  name: { start: number; end: number; telling: Telling },
  value: Value,
  connection: Connection,
): Finding | undefined {
  const { start, end, telling } = name
  const isLong = value.isLongToken === true && (telling !== 'weak' || !value.isQuoted)
  if (!isLong && !hasLength(value.end - value.start, telling)) return undefined
  const content = text.slice(value.start, isLong ? value.start + LONG_ENOUGH : value.end)
  const isUsers = telling === 'password' && connection === 'beside' && isAfterUser(text, start)
  const isBearers = telling === 'secret' && isAfterBearer(text, value.start)
  const place: Place = {
    telling,
    connection: isUsers || isBearers ? 'assigned' : connection,
    isQuoted: value.isQuoted,
    isLiteral: value.isQuoted || isBearers || '=:'.includes(text.charAt(value.start - 1)),
    isVendorNear: () => isVendorNear(text, start, end),
    canBeVerb: text.slice(start, end).toLowerCase() === 'pass',
    isLast: isUsers || isLineEnd(text, value.end) || isOfCommand(text, start, end, value),
  }
  if (place.canBeVerb && isOtherPass(text, start, end, value, connection, place.isLast)) return undefined
  if (!isSecret(content, place) || isPlaceholder(content) || isCode(content, value.isQuoted)) return undefined
  if (value.isQuoted && isRule(content)) return undefined
  return { kind: 'KEY', start: value.start, end: value.end, rule: `${telling}-value` }
}

const LONGEST_SCHEME = 12

/** `Bearer ` announces a token in a header, and in a text about one. */
function isAfterBearer(text: string, start: number): boolean {
  return /\bBearer(?: |%20|\+)$/i.test(text.slice(Math.max(0, start - LONGEST_SCHEME), start))
}

/** The end of the text or line, of a quoted line too. */
function isLineEnd(text: string, end: number): boolean {
  return end >= text.length || /^(?:[ \t]{0,8}\r?\n|\\{1,7}[rn]|\\{0,7}["`](?!\w))/.test(text.slice(end, end + 16))
}

/** Up to a variable that is set for one command. */
const LONGEST_VARIABLE = 80
const BEFORE_VARIABLE = /(?:^|[\n;&|(`$#"']|\b(?:env|export)|=\S{0,64})[ \t]{0,4}$/
const COMMAND = / (?:\.{0,2}\/)?[a-z][\w./-]*(?:[ \n]|$)/y

/** `PGPASSWORD=swordfish psql`, at the beginning of a line or command. */
function isOfCommand(text: string, start: number, end: number, value: Value): boolean {
  if (value.isQuoted || unitAt(text, end) !== 0x3d || value.start !== end + 1 || unitAt(text, value.end) !== 0x20)
    return false
  if (!/^[A-Z][A-Z\d_]*$/.test(text.slice(start, end))) return false
  return (
    BEFORE_VARIABLE.test(text.slice(Math.max(0, start - LONGEST_VARIABLE), start)) &&
    matchEnd(COMMAND, text, value.end) !== undefined
  )
}

function isVendorNear(text: string, start: number, end: number): boolean {
  return VENDORS.test(text.slice(Math.max(0, start - VENDOR_WINDOW), end + VENDOR_WINDOW / 2))
}

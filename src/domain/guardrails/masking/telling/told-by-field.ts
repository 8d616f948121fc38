/**
 * What only the name of a field tells of its text: `{"password": "..."}` of arguments and results, where name and text are two.
 * Only short texts are asked about, so that none is read twice.
 */
import type { Finding } from '../finding.ts'
import { OPTIONAL_KINDS } from '../personal/optional-kinds.ts'
import { classifyFieldName } from './telling-name.ts'
import { isRule } from './telling-code.ts'
import { isTellingCookie } from '../secrets/session-cookie.ts'
import { scan } from '../scan.ts'
import { findSecretIn } from './telling-secret.ts'
import { isLongToken, skipScheme } from './telling-value.ts'

const SHORTEST = 4
const LONGEST = 560
const MOST_NAMES = 4
/** Kinds of which undivided digits need a word. */
const NAMED_KINDS = ['PHONE', 'SSN'] as const
const NUMBER = /^\+?[(\d][\d ()./-]{5,30}$/

/** Of a header, or of what a program has of one: the names in it tell of their values. */
const COOKIES = /^[^\n]{0,64}cookies?(?:\n|$)/i
const LONGEST_COOKIES = 8192

/** Settings of a secret, `show_password`, `requirePassword`; or another secret, `reset_token`, `enable_secret`, whose value shows it. */
const IS_ABOUT =
  /^(?:show|hide|has|use|uses|require[sd]?|is|forgot|reset|toggle|enable[sd]?|allow(?:ed|s)?)(?:[-_A-Z]|$)/
const SHOWS_ITSELF = /^(?=.*[\d!#$%&*@])\S+$/
/**
 * @param fieldName each of several on a line, @see TextSpan.fieldName
 * @param kinds optional kinds that are looked for
 */
export function findToldByField(fieldName: string, text: string, kinds: ReadonlySet<string>): Finding[] {
  if (fieldName === '' || text.length < SHORTEST) return []
  if (COOKIES.test(fieldName) && text.includes('=') && text.length <= LONGEST_COOKIES) return findBehind('Cookie', text)
  if (text.length > LONGEST && !isLongToken(text.slice(skipScheme(text, 0)))) return []
  if (!fieldName.includes('\n')) return findTold(fieldName, text, kinds)
  if (isOfCookie(fieldName)) {
    const secret = findSecretIn(text, fieldName, 'secret')
    if (secret !== undefined) return [secret]
  }
  const names = fieldName.split('\n', mayBeToldByOthers(text) ? MOST_NAMES : 1)
  return names.flatMap((name) => findTold(name, text, kinds))
}

/** A session's or login's, among cookies: `{"cookies": {"sid": "..."}}`, `{"cookies": [{"name": "sid", "value": "..."}]}`. */
function isOfCookie(fieldName: string): boolean {
  const [name = '', ...others] = fieldName.split('\n', MOST_NAMES)
  return isTellingCookie(name) && others.some((other) => COOKIES.test(other))
}

/** Of several names the first tells of any text. Words beside `{"id": "password"}` are mostly what a form says. */
function mayBeToldByOthers(text: string): boolean {
  return /\d/.test(text) && !/\s/.test(text.trim())
}

/** What a text tells behind a header's name. */
function findBehind(name: string, text: string): Finding[] {
  const before = `${name}: `
  return shiftedBy(before.length, scan(before + text).findings)
}

function findTold(fieldName: string, text: string, kinds: ReadonlySet<string>): Finding[] {
  const findings = kinds.size > 0 && NUMBER.test(text) ? findNumbers(fieldName, text, kinds) : []
  const telling = isOther(fieldName, text) ? undefined : classifyFieldName(fieldName)
  const secret = telling && findSecretIn(text, fieldName, telling)
  if (secret !== undefined) findings.push(secret)
  return findings
}

/** Whether the text is no secret, whatever the name tells. */
function isOther(fieldName: string, text: string): boolean {
  return (IS_ABOUT.test(fieldName) && !SHOWS_ITSELF.test(text)) || isRule(text)
}

function findNumbers(fieldName: string, text: string, kinds: ReadonlySet<string>): Finding[] {
  const before = `${fieldName.slice(-LONGEST)}: `
  const found = NAMED_KINDS.filter((kind) => kinds.has(kind))
    .flatMap((kind) => OPTIONAL_KINDS[kind] ?? [])
    .flatMap((find) => [...find(before + text)].flatMap((finding) => finding ?? []))
  return shiftedBy(before.length, found)
}

function shiftedBy(length: number, findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ start }) => start >= length)
    .map((finding) => ({ ...finding, start: finding.start - length, end: finding.end - length }))
}

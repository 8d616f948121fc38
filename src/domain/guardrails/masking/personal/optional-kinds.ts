/**
 * Kinds that are off unless a policy names them: `PHONE`, `IBAN`, `SSN`, `IP`. One pass of a bounded pattern each, then a check
 * of what the pattern cannot say (check digits, ranges).
 */
import { findBankAccounts } from './bank-account.ts'
import type { Finding } from '../finding.ts'
import { findPhoneNumbers, VALUE_APART } from './phone-number.ts'
import { windowedMatches } from '../windowed-matches.ts'

/**
 * Finds one kind in a text, one value at a time, so that who asks can stop at too many; linear. Undefined stands between the
 * windows of a long text, so that who asks can do something else.
 */
export type KindFinder = (text: string) => Iterable<Finding | undefined>

/** @param needed what every valid match has in it, where that is much faster to look for */
function finder(kind: string, pattern: RegExp, isValid: (match: string) => boolean, needed?: RegExp): KindFinder {
  const rule = kind.toLowerCase()
  return function* find(text) {
    for (const match of windowedMatches(text, pattern, needed)) {
      if (match === undefined) yield undefined
      else if (isValid(match.text)) yield { kind, start: match.start, end: match.start + match.text.length, rule }
    }
  }
}

/** No letter, digit or point before; an escaped line break of JSON in a text is none. */
const START = String.raw`(?:(?<![\w.])|(?<=\\[nrt]))`

const SSN = new RegExp(
  String.raw`(?:(?<![\w-])|(?<=\\[nrt]))\d{3}([- \u00a0\u202f\u2010-\u2013])\d{2}\1\d{4}(?![\w-])`,
  'g',
)
/** Undivided or in points, behind its name. */
const NAMED_SSN = new RegExp(
  String.raw`(?=\d{3}[.\d])(?<=(?<![a-z0-9])(?:ssn|ss#|social security(?: number| no\.?| #)?|social_security(?:_number)?|socialSecurity(?:Number)?)(?:${VALUE_APART})?["'\x60\\*]{0,4}(?:\s?[:=#>|,]\s?|\s(?:is|was)?\s?|\s)["'\x60\\*]{0,4})\d{3}([.]?)\d{2}\1\d{4}(?![\w-])`,
  'gi',
)
/** What stands before numbers of the same form that are no addresses. */
const NUMBERED = String.raw`(?<!\b(?:version|release|section|chapter|abschnitt|kapitel|rfc)s?[: ]{1,2}|§ ?)`
const IPV4 = new RegExp(String.raw`${START}${NUMBERED}(?:::ffff:)?\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)`, 'gi')
const IPV6 =
  /(?:(?<![\w:.])|(?<=\\[nrt]))(?:[0-9A-Fa-f]{1,4}:){0,7}(?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?|[0-9A-Fa-f]{1,4})(?![\w:])/g

/** Two colons side by side, or the eight groups that an address without them has. */
const COLONS = /:[0-9A-Fa-f]{0,4}:/

function isSocialSecurityNumber(match: string): boolean {
  const digits = match.replaceAll(/\D/g, '')
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)]
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000'
}

function isIpv4(match: string): boolean {
  return match
    .replace(/^::ffff:/i, '')
    .split('.')
    .every((part) => Number(part) <= 255)
}

function isIpv6(match: string): boolean {
  const parts = match.split(':')
  if (match.length < 3 || (!match.includes('::') && parts.length !== 8)) return false
  return parts.length <= 9 && /[0-9a-f]{1,4}/i.test(match)
}

/** By kind. An address or number of every kind may have several patterns. */
export const OPTIONAL_KINDS: Readonly<Record<string, readonly KindFinder[]>> = {
  PHONE: [findPhoneNumbers],
  SSN: [finder('SSN', SSN, isSocialSecurityNumber), finder('SSN', NAMED_SSN, isSocialSecurityNumber)],
  IBAN: [findBankAccounts],
  IP: [finder('IP', IPV4, isIpv4), finder('IP', IPV6, isIpv6, COLONS)],
}

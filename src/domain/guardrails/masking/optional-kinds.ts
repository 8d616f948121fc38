/**
 * Kinds that are off unless a policy names them: `PHONE`, `IBAN`, `SSN`, `IP`. One pass of a bounded pattern each, then a check
 * of what the pattern cannot say (check digits, ranges).
 */
import type { Finding } from './finding.ts'

/** Finds one kind in a text; linear. */
export type KindFinder = (text: string) => Finding[]

/** @param needed what every valid match has in it, where that is much faster to look for */
function finder(kind: string, pattern: RegExp, isValid: (match: string) => boolean, needed?: RegExp): KindFinder {
  return (text) =>
    needed?.test(text) === false
      ? []
      : Array.from(text.matchAll(pattern))
          .filter(([match]) => isValid(match))
          .map(({ 0: match, index }) => ({ kind, start: index, end: index + match.length, rule: kind.toLowerCase() }))
}

// Blanks may be such as do not break a line: `\u00a0`, `\u202f`.
const PHONE =
  /(?<![\w.+-]|\d[ \u00a0\u202f])(?:\+|00)[1-9](?:[ \u00a0\u202f./()-]{0,2}\d){6,14}(?!\w)|(?<![\w.-])(?:\(\d{3}\)[ \u00a0\u202f]?|\d{3}[-. \u00a0\u202f])\d{3}[-. \u00a0\u202f]\d{4}(?![\w-])|(?<![\w.-]|\d[ \u00a0\u202f])0\d{1,4}[ \u00a0\u202f/-]\d{2,4}(?:[ \u00a0\u202f-]?\d{2,4}){1,3}(?![\w-])/g
const SSN = /(?<![\w-])\d{3}([- \u00a0\u202f])\d{2}\1\d{4}(?![\w-])/g
const IBAN =
  /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \u00a0\u202f]?[A-Z0-9]{4}){2,7}(?:[ \u00a0\u202f]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g
const IPV4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/g
const IPV6 =
  /(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:){0,7}(?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?|[0-9A-Fa-f]{1,4})(?![\w:])/g

/** Two colons side by side, or the eight groups that an address without them has. */
const COLONS = /:[0-9A-Fa-f]{0,4}:/

function isPhone(match: string): boolean {
  const digits = match.replace(/\D/g, '').length
  return digits >= 7 && digits <= 15
}

function isSocialSecurityNumber(match: string): boolean {
  const [area = '', group = '', serial = ''] = match.split(/[- \u00a0\u202f]/)
  return area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000'
}

/** ISO 13616: country and check digits moved to the end, letters as numbers, the rest of the division by 97 is 1. */
function isIban(match: string): boolean {
  const plain = match.replaceAll(/[ \u00a0\u202f]/g, '')
  if (plain.length < 15 || plain.length > 34) return false
  let rest = 0
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

function isIpv4(match: string): boolean {
  return match.split('.').every((part) => Number(part) <= 255)
}

function isIpv6(match: string): boolean {
  const parts = match.split(':')
  if (match.length < 3 || (!match.includes('::') && parts.length !== 8)) return false
  return parts.length <= 9 && /[0-9a-f]{1,4}/i.test(match)
}

/** By kind. An address or number of every kind may have several patterns. */
export const OPTIONAL_KINDS: Readonly<Record<string, readonly KindFinder[]>> = {
  PHONE: [finder('PHONE', PHONE, isPhone)],
  SSN: [finder('SSN', SSN, isSocialSecurityNumber)],
  IBAN: [finder('IBAN', IBAN, isIban)],
  IP: [finder('IP', IPV4, isIpv4), finder('IP', IPV6, isIpv6, COLONS)],
}

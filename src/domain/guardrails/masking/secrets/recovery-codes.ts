/**
 * The codes that let somebody in who has lost a second factor, one or many behind a name that tells of them: `Recovery codes:` and a line for
 * each, `backup code: 4821 9375`. Each has a digit.
 */
import type { Finding } from '../finding.ts'
import { isNamed } from './made-up-value.ts'

/** Ends of the word that the name ends with. */
export const CODES: readonly string[] = ['code', 'codes']

const NAME =
  /(?:recovery|backup|rescue|scratch|emergency|2fa|mfa|wiederherstellungs|sicherungs|recuperaci[oó]n|secours)[ _-]{0,2}$/i
const LONGEST_NAME = 24
const PART = '[A-Za-z\\d]{4,10}'
const CODE = String.raw`(?=[A-Za-z-]{0,24}\d)${PART}(?:[- ](?=[A-Za-z]{0,10}\d)${PART}){0,5}(?!-?[\w(/@:=]|\.\w)`
const BETWEEN = String.raw`(?:,?[ \t]{1,4}|(?:,?[ \t]{0,8}(?:\r?\n|\\{1,7}n)[ \t>]{0,8}){1,2}(?:[-*•] |\d{1,2}[.)] )?)`
const SIGN = String.raw`["'\x60*]{0,3}(?:[ \t]?[:=：][ \t*]{0,4}(?:(?:\r?\n|\\{1,7}n)[ \t>]{0,8}){0,2}|[ \t](?:is|are|:)[ \t]{1,2}|[ \t]{0,4}(?:(?:\r?\n|\\{1,7}n)[ \t>]{0,8}){1,2})`
const BEHIND = new RegExp(
  `${SIGN}(?:[-*•] |\\d{1,2}[.)] )?["'\\x60]?(?<codes>${CODE}(?:${BETWEEN}${CODE}){0,31})`,
  'iy',
)

/** A word with a number, as sentences have them: `version2`, `utf8mb4`, `RFC6238`, `8digit`, `ipv4only`. */
const WORD = /^(?:ipv[46][a-z]*|[A-Za-z]{3,}\d{1,2}|[a-z]+\d[a-z]+\d|RFC\d{3,4}|\d{1,3}[a-z]+)$/
const SENTENCE = /[ \t][a-z]/y

/** Those behind the word `[start, end)`. */
export function findRecoveryCodes(text: string, start: number, end: number): Finding | undefined {
  const word = /codes?$/i.exec(text.slice(start, end))
  if (word === null) return undefined
  const nameEnd = start + word.index
  if (!NAME.test(text.slice(Math.max(0, nameEnd - LONGEST_NAME), nameEnd))) return undefined
  BEHIND.lastIndex = end
  const codes = BEHIND.exec(text)?.groups?.['codes']
  if (codes === undefined) return undefined
  SENTENCE.lastIndex = BEHIND.lastIndex
  if ((WORD.test(codes) || isNamed(codes)) && SENTENCE.test(text)) return undefined
  return { kind: 'KEY', start: BEHIND.lastIndex - codes.length, end: BEHIND.lastIndex, rule: 'recovery-codes' }
}

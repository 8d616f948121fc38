/** IBANs: two letters of a country, check digits, the country's own number; undivided or in groups of four, in either case. */
import { ALPHANUMERIC, classAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { windowedMatches } from '../windowed-matches.ts'

const HEAD = /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|IBAN))[A-Z]{2}\d{2}/gi
const HEAD_LENGTH = 4
/** The number itself; where it ends is told by the country. */
const NUMBER = /(?:[ \u00a0\u202f.-]?[A-Z0-9]){11,30}/iy

/** Lengths of ISO 13616's registry; countries that are not in it may have any. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** IBANs with right check digits, in order of place. */
export function* findBankAccounts(text: string): Generator<Finding | undefined> {
  for (const match of windowedMatches(text, HEAD)) {
    if (match === undefined) {
      yield undefined
      continue
    }
    const { text: head, start } = match
    const end = endOfNumber(text, start + head.length, LENGTHS.get(head.slice(0, 2).toUpperCase()))
    if (end === undefined || isJoined(text, end) || !hasCheckDigits(text.slice(start, end))) continue
    yield { kind: 'IBAN', start, end, rule: 'iban' }
  }
}

/** @param length of the whole, in letters and digits; undefined where the country's is not known */
function endOfNumber(text: string, from: number, length: number | undefined): number | undefined {
  NUMBER.lastIndex = from
  if (!NUMBER.test(text)) return undefined
  if (length === undefined) return NUMBER.lastIndex
  let left = length - HEAD_LENGTH
  for (let at = from; at < NUMBER.lastIndex; at++) {
    if ((classAt(text, at) & ALPHANUMERIC) !== 0) left--
    if (left === 0) return at + 1
  }
  return undefined
}

function isJoined(text: string, end: number): boolean {
  return (classAt(text, end) & ALPHANUMERIC) !== 0
}

/** ISO 13616: country and check digits moved to the end, letters as numbers, the rest of the division by 97 is 1. */
function hasCheckDigits(written: string): boolean {
  const plain = written.replaceAll(/[^A-Za-z0-9]/g, '')
  let rest = 0
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

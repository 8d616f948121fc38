/**
 * Payment card numbers: 12 to 19 digits in one group or in the groups that cards are printed in, with a known issuer's
 * prefix, that issuer's lengths, and a Luhn check digit.
 *
 * The scanner calls at the first digit of a run. Groups of a row (`4111 1111 1111 1111`) are read at most 24 at a time, the last few of
 * them twice, so dates and amounts beside a card do not hide it and digit soup stays linear.
 * On a magnetic track (ISO/IEC 7813) the holder's name, the expiry date and what follows belong to it.
 * Left alone: parts of UUIDs and of decimal numbers, and undivided numbers that a word calls an order, invoice or the like.
 */
import {
  ALPHANUMERIC,
  classAt,
  DASH,
  DIGIT,
  escapeLengthAt,
  LETTER,
  skipBack,
  skipForward,
  UNDERSCORE,
  WORD,
  unitAt,
} from '../character-classes.ts'
import { isCardNumber, LONGEST, SHORTEST } from './card-number.ts'
import type { Finding } from '../finding.ts'

/** Digit groups read ahead at once. */
const MOST_GROUPS = 24
const MOST_GROUPS_OF_A_CARD = 5
/** E.164: what follows a plus sign and is longer is a card, as in a line that a diff adds. */
const LONGEST_TELEPHONE_NUMBER = 15
const LONGEST_SEPARATOR = 3
const IDENTIFIER_WINDOW = 40
const SLASH = 0x2f

interface Group {
  readonly start: number
  readonly end: number
  /** The sign between this group and the next (signs of two or three units as one number); 0 for the last of the row. */
  readonly separator: number
}

/** How cards are printed, by lengths of groups. */
const PRINTED: ReadonlySet<string> = new Set([
  '4-4-4-4', '4-6-5', '4-6-4', '4-4-4-4-3', '4-4-4-4-2', '4-4-4-4-1', '4-4-4-3', '4-4-4-2', '4-4-4-1', '4-3-3-3', '4-4-5',
  '4-5-6', '6-13', '6-10', '8-8', '4-4-4', '6-6-4', '4-12', '12-4', '2-4-4-4', '4-4-8', '4-8-4', '4-5-4', '6-4-5', '8-4-4',
]) // prettier-ignore

const IDENTIFIER_WORDS =
  /(?:order|invoice|tracking|shipment|parcel|ticket|imei|isbn|receipt|transaction|booking|reservation|confirmation|case|serial|sku|upc|ean|gtin|timestamp|commande|bestell|bestellung|rechnung|pedido|factura|заказ|tweet|snowflake|trace|request|epoch)(?:[\s_-]{0,2}(?:id|no|nr|num|number|nummer|code|ref|reference))?["'\s:=#.]{0,4}$/i

/** Adds to `found` the cards in the row of digit groups that begins at `start`; where the next is to begin. */
export function findCards(text: string, start: number, found: Finding[]): number {
  const end = rowEnd(text, start)
  if (end - start < SHORTEST) return end
  const groups = readRow(text, start)
  // A card may have begun in the last groups of a row that goes on.
  let judged = groups.length < MOST_GROUPS ? groups.length : MOST_GROUPS - MOST_GROUPS_OF_A_CARD + 1
  for (let index = 0; index < groups.length;) {
    const count = cardAt(text, groups, index)
    const [first, last] = [groups[index], groups[index + count - 1]]
    if (count > 0 && first !== undefined && last !== undefined) {
      found.push({ kind: 'CARD', start: first.start, end: trackEnd(text, first.start, last.end), rule: 'card' })
      judged = Math.max(judged, index + count)
    }
    index += Math.max(1, count)
  }
  return groups[judged]?.start ?? end
}

/** The first track behind its number, and the second one. */
const FIRST_TRACK = /\^[^^?\r\n]{2,40}\^[\w ]{4,60}/y
const SECOND_TRACK = /=\d{4,30}/y

/** Where what a track says of the card ends; `end`, where there is no track. */
function trackEnd(text: string, start: number, end: number): number {
  const track = isFirstTrack(text, start, end) ? FIRST_TRACK : SECOND_TRACK
  if (track === SECOND_TRACK && unitAt(text, start - 1) !== 0x3b) return end
  track.lastIndex = end
  return track.test(text) ? track.lastIndex : end
}

/** `%B4111111111111111^`: the letter is the track's format. */
function isFirstTrack(text: string, start: number, end: number): boolean {
  return text.startsWith('%B', start - 2) && unitAt(text, end) === 0x5e
}

/** Where the row of `readRow` ends: asked of every number, so it makes nothing. */
function rowEnd(text: string, start: number): number {
  let end = skipForward(text, start, text.length, DIGIT)
  for (let count = 1; count < MOST_GROUPS; count++) {
    const next = separatorEnd(text, end)
    if (next === end || (classAt(text, next) & DIGIT) === 0) break
    end = skipForward(text, next, text.length, DIGIT)
  }
  return end
}

function readRow(text: string, start: number): Group[] {
  const groups: Group[] = []
  let at = start
  while (groups.length < MOST_GROUPS) {
    const end = skipForward(text, at, text.length, DIGIT)
    const next = separatorEnd(text, end)
    const goesOn = next > end && (classAt(text, next) & DIGIT) !== 0
    groups.push({ start: at, end, separator: goesOn ? signOf(text, end, next) : 0 })
    if (!goesOn) break
    at = next
  }
  return groups
}

/** One sign, or a few of blanks, dashes, underscores and slashes: `4111  1111`, `4111 - 1111`. */
function separatorEnd(text: string, from: number): number {
  if (unitAt(text, from) === 0x2e) return from + 1
  let at = from
  while (at < from + LONGEST_SEPARATOR && isSeparator(unitAt(text, at)) && unitAt(text, at) !== 0x2e) at++
  return at
}

function signOf(text: string, from: number, to: number): number {
  let sign = 0
  for (let at = from; at < to; at++) sign = sign * 0x10000 + text.charCodeAt(at)
  return sign
}

function hasSlash(sign: number): boolean {
  for (let rest = sign; rest > 0; rest = Math.floor(rest / 0x10000)) if (rest % 0x10000 === SLASH) return true
  return false
}

/** Space, dash, dot, slash, underscore; no-break, thin and narrow spaces; non-breaking hyphen and en dash. */
function isSeparator(unit: number): boolean {
  return (
    unit === 0x20 ||
    unit === 0x2d ||
    unit === 0x2e ||
    unit === SLASH ||
    unit === 0x5f ||
    unit === 0xa0 ||
    unit === 0x2009 ||
    unit === 0x202f ||
    unit === 0x2011 ||
    unit === 0x2013
  )
}

/** How many groups from `index` on are a card; 0 where they are none. */
function cardAt(text: string, groups: readonly Group[], index: number): number {
  const first = groups[index]
  if (first === undefined) return 0
  let digits = ''
  let shape = ''
  for (let count = 1; count <= MOST_GROUPS_OF_A_CARD; count++) {
    const group = groups[index + count - 1]
    if (group === undefined || group.end - group.start > LONGEST) return 0
    digits += text.slice(group.start, group.end)
    shape += `${count > 1 ? '-' : ''}${group.end - group.start}`
    if (digits.length > LONGEST) return 0
    const isPrinted = count === 1 || (PRINTED.has(shape) && (!hasSlash(first.separator) || isDividedBySlashes(shape)))
    if (isPrinted && isCardNumber(digits) && isFree(text, groups, index, count)) return count
    if (group.separator === 0 || group.separator !== first.separator) return 0
  }
  return 0
}

/** Of two or three groups with slashes between them most are dates, paths and how much of what is done. */
function isDividedBySlashes(shape: string): boolean {
  return shape.startsWith('4-4-4-4') || shape.startsWith('4-6-')
}

/** Whether the number stands for itself, and is not a piece of something longer. */
function isFree(text: string, groups: readonly Group[], index: number, count: number): boolean {
  const first = groups[index]
  const last = groups[index + count - 1]
  if (first === undefined || last === undefined) return false
  if (isFirstTrack(text, first.start, last.end)) return true
  if (!isFreeBefore(text, first.start, last.end) || !isFreeAfter(text, last)) return false
  if (count === 4 && isAmongCodes(text, groups, index)) return false
  if (count === 3 && last.end - last.start === 4 && first.end - first.start === 4 && hasEqualNeighbour(groups, index))
    return false
  const isIdentified = IDENTIFIER_WORDS.test(text.slice(Math.max(0, first.start - IDENTIFIER_WINDOW), first.start))
  if (count === 3 && isIdentified) return false
  if (count > 1) return !continuesBefore(text, first) && !continuesAfter(groups, index + count - 1)
  return !isIdentified
}

/** Groups of four in a row of more than these are codes, unless half of them or more are cards. */
const MOST_BESIDE_A_CARD = 11

const CARD_WORDS = /card|visa|amex|maestro|karte|carte|tarjeta|\b(?:pan|cc)\b/i

/** Whether the four groups from `index` on are four of a row of codes, some of which pass for a card by chance. */
function isAmongCodes(text: string, groups: readonly Group[], index: number): boolean {
  const separator = groups[index]?.separator
  let [from, to] = [index, index]
  while (isFour(groups[from - 1], separator)) from--
  while (isFour(groups[to], separator)) to++
  const count = to - from + 1
  const start = groups[from]?.start ?? 0
  if (count <= MOST_BESIDE_A_CARD || CARD_WORDS.test(text.slice(Math.max(0, start - IDENTIFIER_WINDOW), start)))
    return false
  let inCards = 0
  for (let at = from; at <= to - 3; at++) {
    if (!isCardNumber(digitsOf(text, groups, at))) continue
    inCards += 4
    at += 3
  }
  return inCards * 2 < count
}

/** Whether a group of four digits goes on with this sign. */
function isFour(group: Group | undefined, separator: number | undefined): boolean {
  return group !== undefined && group.end - group.start === 4 && group.separator === separator
}

function digitsOf(text: string, groups: readonly Group[], index: number): string {
  return groups
    .slice(index, index + 4)
    .map(({ start, end }) => text.slice(start, end))
    .join('')
}

/** Three groups of four beside a fourth: a piece of sixteen digits that are no card. Beyond a slash may be a year. */
function hasEqualNeighbour(groups: readonly Group[], index: number): boolean {
  const [before, last, after] = [groups[index - 1], groups[index + 2], groups[index + 3]]
  return isJoinedFour(before, before) || isJoinedFour(after, last)
}

function isJoinedFour(group: Group | undefined, first: Group | undefined): boolean {
  if (group === undefined || first === undefined) return false
  return group.end - group.start === 4 && !hasSlash(first.separator)
}

/** A divided number whose row goes on with the same sign and groups of four is a longer number: no card. */
function continuesBefore(text: string, { start, separator }: Group): boolean {
  if (separator !== 0x2d || unitAt(text, start - 1) !== 0x2d) return false
  const before = skipBack(text, start - 1, start - 1 - LONGEST, DIGIT)
  return before < start - 1 && (classAt(text, before - 1) & WORD) === 0
}

function continuesAfter(groups: readonly Group[], index: number): boolean {
  const [last, next] = [groups[index], groups[index + 1]]
  return last !== undefined && next !== undefined && last.separator === 0x2d && next.end - next.start >= 4
}

function isFreeBefore(text: string, start: number, end: number): boolean {
  const before = unitAt(text, start - 1)
  if (before === 0x2e) return (classAt(text, start - 2) & DIGIT) === 0
  if (before === 0x2d) return !isUuidPart(text, start)
  if (before === 0x2b) return end - start > LONGEST_TELEPHONE_NUMBER
  if ((classAt(text, start - 1) & WORD) === 0) return (classAt(text, start - 1) & LETTER) === 0
  return isAfterEscape(text, start) || (classAt(text, start - 1) & UNDERSCORE) !== 0
}

/** `\n4111...`, `\u00204111...`, `%204111...`: the letters before the digits are an escape. */
function isAfterEscape(text: string, start: number): boolean {
  for (const length of [1, 5, 3]) {
    if (unitAt(text, start - length - 1) === 0x5c && escapeLengthAt(text, start - length) === length) return true
  }
  return unitAt(text, start - 3) === 0x25
}

function isUuidPart(text: string, start: number): boolean {
  return (classAt(text, start - 2) & ALPHANUMERIC) !== 0 && (classAt(text, start - 6) & DASH) !== 0
}

function isFreeAfter(text: string, last: Group): boolean {
  const after = unitAt(text, last.end)
  if (last.separator === 0x2e) return false
  if (after === 0x2d) return (classAt(text, last.end + 1) & ALPHANUMERIC) === 0 || last.separator === 0x2d
  return (classAt(text, last.end) & ALPHANUMERIC) === 0
}

/**
 * Characters that are written out: entities of HTML (`&#64;`, `&#x40;`, `&commat;`, escaped once or twice more: `&amp;#64;`) and
 * percent-encoded UTF-8 (`%40`, `%EF%BC%A0`). Each is read by itself and bounded, so a text full of them stays linear.
 *
 * Known limits: entities without their semicolon, names beyond Latin-1, and percent signs that are encoded themselves.
 */
import { ANY_HEX, ASSIGNING, classAt, classOf, DIGIT, DISGUISE, LETTER, SPACE, unitAt } from '../character-classes.ts'

export interface Written {
  readonly codePoint: number
  /** Units of the text that it takes. */
  readonly length: number
}

const AMPERSAND = 0x26
const PERCENT = 0x25
const HASH = 0x23
const LAST_ASCII = 0x7f
const LAST_UNIT = 0xffff
/** Longest row of hexadecimal digits is 5 (a plane with letters in it), of decimal ones 6. */
const ENTITY = /&(?:amp;){0,2}(?:#0{0,8}(\d{1,6})|#[xX]0{0,8}([\dA-Fa-f]{1,5})|([A-Za-z]{2,16}));/y
/** Signs of markup and of paths, which every text has that is written in them: they stand around values, not in them. */
const MARKUP = '&<>"\'/'
const CONTINUATION = 0x80
const CONTINUATION_BITS = 6

/** Of U+00C0 to U+00FF, in order. @see https://html.spec.whatwg.org/multipage/named-characters.html */
const LATIN_LETTERS =
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const SIGNS: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', commat: '@', period: '.', plus: '+', lowbar: '_', hyphen: '-',
  dash: '-', equals: '=', colon: ':', semi: ';', comma: ',', sol: '/', bsol: '\\', lpar: '(', rpar: ')', num: '#', percnt: '%', excl: '!',
  quest: '?', dollar: '$', ast: '*', lsqb: '[', rsqb: ']', lcub: '{', rcub: '}', verbar: '|', grave: '`', Tab: '\t', NewLine: '\n',
  thinsp: '\u2009', ensp: '\u2002', emsp: '\u2003', ndash: '\u2013', shy: '\u00ad', zwnj: '\u200c', zwj: '\u200d',
  lrm: '\u200e', rlm: '\u200f', NoBreak: '\u2060', ZeroWidthSpace: '\u200b',
} // prettier-ignore
const NAMES: ReadonlyMap<string, number> = new Map([
  ...Object.entries(SIGNS).map(([name, sign]) => [name, sign.charCodeAt(0)] as const),
  ...LATIN_LETTERS.split(' ').map((name, index) => [name, 0xc0 + index] as const),
])

/** What is written out at an offset; undefined where nothing is. */
export function writtenAt(text: string, at: number): Written | undefined {
  const unit = unitAt(text, at)
  if (unit === PERCENT) return percentEncodedAt(text, at)
  return unit === AMPERSAND ? entityAt(text, at) : undefined
}

/**
 * Whether what is written out at an offset may hide a value. Blanks do between groups of digits and where a value is assigned; between
 * the words of prose, where HTML and URLs have most of theirs, they hide nothing. Nor do letters of other scripts in URLs.
 */
export function hidesWritten(text: string, at: number): boolean {
  const written = writtenAt(text, at)
  if (written === undefined) return false
  const { codePoint, length } = written
  const bits = classOf(codePoint)
  if ((bits & SPACE) !== 0)
    return (classAt(text, at - 1) & (DIGIT | ASSIGNING)) !== 0 || (classAt(text, at + length) & DIGIT) !== 0
  if (codePoint <= LAST_ASCII) return !MARKUP.includes(String.fromCodePoint(codePoint))
  return unitAt(text, at) === AMPERSAND || (bits & DISGUISE) !== 0 || codePoint > LAST_UNIT
}

function entityAt(text: string, at: number): Written | undefined {
  if (unitAt(text, at + 1) !== HASH && (classAt(text, at + 1) & LETTER) === 0) return undefined
  ENTITY.lastIndex = at
  const match = ENTITY.exec(text)
  if (match === null) return undefined
  const [{ length }, decimal, hexadecimal, name = ''] = match
  const codePoint =
    decimal === undefined && hexadecimal === undefined
      ? NAMES.get(name)
      : Number.parseInt(decimal ?? hexadecimal ?? '', decimal === undefined ? 16 : 10)
  return codePoint === undefined || !isText(codePoint) ? undefined : { codePoint, length }
}

function percentEncodedAt(text: string, at: number): Written | undefined {
  const first = byteAt(text, at)
  const more = first < CONTINUATION ? 0 : continuationsOf(first)
  if (first < 0 || more === undefined) return undefined
  let codePoint = more === 0 ? first : first & (0x3f >> more)
  for (let count = 1; count <= more; count++) {
    const byte = byteAt(text, at + 3 * count)
    if (byte < CONTINUATION || byte > 0xbf) return undefined
    codePoint = (codePoint << CONTINUATION_BITS) | (byte & 0x3f)
  }
  return isText(codePoint) ? { codePoint, length: 3 * (more + 1) } : undefined
}

/** How many bytes follow a character's first in UTF-8; undefined where none begins with it. @see RFC 3629 section 3 */
function continuationsOf(first: number): number | undefined {
  if (first < 0xc2 || first > 0xf4) return undefined
  if (first < 0xe0) return 1
  return first < 0xf0 ? 2 : 3
}

/** The byte that `%XX` at an offset stands for; -1 where there is none. */
function byteAt(text: string, at: number): number {
  const isByte =
    unitAt(text, at) === PERCENT && (classAt(text, at + 1) & ANY_HEX) !== 0 && (classAt(text, at + 2) & ANY_HEX) !== 0
  return isByte ? 16 * digitOf(unitAt(text, at + 1)) + digitOf(unitAt(text, at + 2)) : -1
}

function digitOf(unit: number): number {
  return (unit & 0xf) + (unit > 0x39 ? 9 : 0)
}

/** No control characters but those of lines, no halves of characters, nothing beyond Unicode. */
function isText(codePoint: number): boolean {
  if (codePoint < 0x20) return codePoint === 0x09 || codePoint === 0x0a || codePoint === 0x0d
  return codePoint !== 0x7f && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff)
}

/** Classes of UTF-16 code units, as bits in one table, so that every scanner asks with one look-up. */

export const LOWER = 1
export const UPPER = 2
export const DIGIT = 4
export const UNDERSCORE = 8
export const LETTER = LOWER | UPPER
export const ALPHANUMERIC = LETTER | DIGIT
export const WORD = ALPHANUMERIC | UNDERSCORE
/** `a`-`f`, `A`-`F`; with DIGIT: hexadecimal. */
export const HEX_LETTER = 16
export const DASH = 32
/** `+`, `/` and `=`: with ALPHANUMERIC, base64. */
export const BASE64_SIGN = 64
export const DOT = 128
export const SPACE = 256
/** Beyond ASCII, used inside words that are written with spaces between them: accents, Greek, Cyrillic, Arabic. */
export const FOREIGN_LETTER = 512
/** Beyond ASCII, scripts that put no space between words (and everything after them, emoji halves included). */
export const IDEOGRAPH = 1024
/** Signs inside a few vendors' keys: `$`, `%`, `|`, `~`, `!`, `@`. */
export const TAIL_SIGN = 2048
/** Right after a name: what follows is its value. */
export const ASSIGNING = 4096
/** Signs that a rule of its own begins at. */
export const TRIGGER = 8192
/** Begins an escape sequence, whose letters belong to no word: `\`, `%`. */
export const ESCAPE = 16384
/** Stands for a plain character, or hides inside a word: with TRIGGER full width (`ａ`, `＠`) or mathematical, without invisible. @see disguise.ts */
export const DISGUISE = 32768

export const ANY_HEX = DIGIT | HEX_LETTER
export const BASE64_URL = WORD | DASH
export const BASE64 = ALPHANUMERIC | BASE64_SIGN

const FIRST_IDEOGRAPH = 0x2e80
const TABLE = new Uint16Array(0x10000)

function add(characters: string, bit: number): void {
  for (let index = 0; index < characters.length; index++) {
    const unit = characters.charCodeAt(index)
    TABLE[unit] = (TABLE[unit] ?? 0) | bit
  }
}

add('abcdefghijklmnopqrstuvwxyz', LOWER)
add('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER)
add('0123456789', DIGIT)
add('_', UNDERSCORE)
add('abcdefABCDEF', HEX_LETTER)
add('-', DASH)
add('+/=', BASE64_SIGN)
add('.', DOT)
add('$%|~!@', TAIL_SIGN)
add(`=:"']>\`\\*|`, ASSIGNING)
add('@:-%\\&[({~.\x1b', TRIGGER)
add('\\%', ESCAPE)
add(' \t\r\n\v\f\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff', SPACE)
for (let unit = 0x2000; unit <= 0x200a; unit++) TABLE[unit] = SPACE
for (let unit = 0xc0; unit < 0x2000; unit++)
  if (unit !== 0xd7 && unit !== 0xf7 && TABLE[unit] === 0) TABLE[unit] = FOREIGN_LETTER
for (let unit = FIRST_IDEOGRAPH; unit < 0xff00; unit++)
  if (TABLE[unit] === 0 && !isIdeographicSign(unit)) TABLE[unit] = IDEOGRAPH

/** Letters, digits, `@` (small, too). Signs of full width stand in any Chinese text, and disguise nothing by themselves. */
const FULL_WIDTH: readonly (readonly [number, number])[] = [
  [0xff10, 0xff19],
  [0xff20, 0xff3a],
  [0xff41, 0xff5a],
  [0xfe6b, 0xfe6b],
]
/** First half of U+1D400 to U+1D7FF, and the letters that stand among the letter-like symbols instead. @see mathematical-letters.ts */
const MATHEMATICAL: readonly (readonly [number, number])[] = [
  [0xd835, 0xd835],
  [0x2102, 0x2102],
  [0x210a, 0x210e],
  [0x2110, 0x2113],
  [0x2115, 0x2115],
  [0x2119, 0x211d],
  [0x2124, 0x2124],
  [0x2128, 0x2128],
  [0x212c, 0x212d],
  [0x212f, 0x2131],
  [0x2133, 0x2134],
]
/**
 * Soft hyphen, joiners, marks of direction, zero-width spaces, selectors of variants; the last is the first half of tags and further
 * selectors (U+E0000 to U+E03FF). @see https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */
const INVISIBLE: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xdb40, 0xdb40],
]
for (const [first, last] of [...FULL_WIDTH, ...MATHEMATICAL]) TABLE.fill(DISGUISE | TRIGGER, first, last + 1)
for (const [first, last] of INVISIBLE)
  for (let unit = first; unit <= last; unit++) TABLE[unit] = DISGUISE | ((TABLE[unit] ?? 0) & SPACE)

function isIdeographicSign(unit: number): boolean {
  return unit >= 0x3000 && unit <= 0x3020
}

/** Class bits of a code unit; 0 for signs. */
export function classOf(unit: number): number {
  return TABLE[unit] ?? 0
}

/**
 * The code unit at an offset; 0 outside the text. Asked first whether it is inside: where `charCodeAt` has once answered `NaN`, V8 takes
 * the slow way to every later unit too.
 */
export function unitAt(text: string, offset: number): number {
  return offset >= 0 && offset < text.length ? text.charCodeAt(offset) : 0
}

/** Class bits of the code unit at an offset; 0 outside the text. */
export function classAt(text: string, offset: number): number {
  return TABLE[unitAt(text, offset)] ?? 0
}

/** Of a character beyond U+FFFF, which takes two units: a finding that parts them leaves half a character behind, and that is no text. */
export function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

export function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** First offset at or after `from`, and before `limit`, whose unit has none of the `mask` bits. */
export function skipForward(text: string, from: number, limit: number, mask: number): number {
  const stop = Math.min(limit, text.length)
  let at = from
  while (at < stop && ((TABLE[text.charCodeAt(at)] ?? 0) & mask) !== 0) at++
  return at
}

/** Smallest offset, not below `limit`, from which every unit up to `from` has one of the `mask` bits. */
export function skipBack(text: string, from: number, limit: number, mask: number): number {
  const stop = Math.max(limit, 0)
  let at = from
  while (at > stop && ((TABLE[text.charCodeAt(at - 1)] ?? 0) & mask) !== 0) at--
  return at
}

/**
 * Length of an escape sequence whose letters look like the beginning of a word: `\n`, `\t`, `\u003c`, `%20`.
 * `start` is where the word begins; 0 where nothing before it makes its first letters an escape.
 */
export function escapeLengthAt(text: string, start: number): number {
  const before = unitAt(text, start - 1)
  if (before === 0x5c) {
    const first = unitAt(text, start)
    if (first === 0x75) return skipForward(text, start + 1, start + 5, ANY_HEX) === start + 5 ? 5 : 0
    if (first === 0x78) return skipForward(text, start + 1, start + 3, ANY_HEX) === start + 3 ? 3 : 0
    return first === 0x6e || first === 0x72 || first === 0x74 || first === 0x62 || first === 0x66 ? 1 : 0
  }
  if (before === 0x25) return skipForward(text, start, start + 2, ANY_HEX) === start + 2 ? 2 : 0
  return 0
}

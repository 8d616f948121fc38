/**
 * Mathematical letters and digits (`𝐚`, `𝖆`, `𝟺`), which social networks and their generators of "fonts" write for bold, italic, script
 * and monospace. Those of Greek stay.
 *
 * @see https://www.unicode.org/charts/PDF/U1D400.pdf
 */
import { isSecondHalf, unitAt } from '../character-classes.ts'

/** First half of every one of U+1D400 to U+1D7FF; the second halves count them from U+DC00 on. */
export const MATHEMATICAL_BEGINNING = 0xd835
const FIRST = 0x1d400
const COUNT = 0x400
/** What the block leaves out, as it was there before: `ℎ`, `ℬ`, `ℯ`. */
const LETTERLIKE = 0x2100
const LETTERLIKE_END = 0x2135
const PLAIN = Uint8Array.from({ length: COUNT }, (_, index) => plainOf(FIRST + index))
const LETTERLIKE_PLAIN = Uint8Array.from({ length: LETTERLIKE_END - LETTERLIKE }, (_, index) =>
  plainOf(LETTERLIKE + index),
)

/** The ASCII that a mathematical character beyond U+FFFF stands for; 0 for all others. */
export function mathematicalLetter(codePoint: number): number {
  return codePoint < FIRST ? 0 : (PLAIN[codePoint - FIRST] ?? 0)
}

/** The same for the one whose first half is at an offset. */
export function mathematicalLetterAt(text: string, at: number): number {
  const second = unitAt(text, at + 1)
  return isSecondHalf(second) ? (PLAIN[second & (COUNT - 1)] ?? 0) : 0
}

/** The letter that a letter-like symbol stands for; 0 for all others. */
export function letterlike(unit: number): number {
  return LETTERLIKE_PLAIN[unit - LETTERLIKE] ?? 0
}

function plainOf(codePoint: number): number {
  const plain = String.fromCodePoint(codePoint).normalize('NFKC')
  return /^[A-Za-z0-9]$/.test(plain) ? plain.charCodeAt(0) : 0
}

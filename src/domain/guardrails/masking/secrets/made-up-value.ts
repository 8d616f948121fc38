/**
 * Secrets as people make them up, for a test or in haste: `abc123`, `abc123def456`, `s3cr3t`. They are too short to look generated, but are
 * no words, and no names that programs give to things: `sha256`, `uint128`, `oauth2client`, `128bits`, `token2`.
 */

const SHORTEST_MADE_UP = 6
/** Longer ones are judged by their chance. */
const LONGEST_MADE_UP = 40
/** A short word with a number of three digits or more, on either side. */
const WORD_AND_NUMBER = /^(?:[a-z]{1,4}\d{3,}[a-z]{0,4}|\d{3,}[a-z]{3,})$/i
const LONG_WORD_AND_NUMBER = /^[a-z]{5,}\d{3,}$/i
/** Two numbers at least, with letters between them. */
const MIXED = /^[a-z]*\d+(?:[a-z]+\d+)+[a-z]*$/i
/** Algorithms, types, encodings, versions. */
const NAMES =
  /^(?:u?int|float|sha|md|aes|rsa|dsa|ed|ecc?|curve|nistp?|sec[pt]|prime|bn|bls|crc|sm|erc|eip|iso|rfc|cp|win|utf|latin|base|rc|[rehp]s|0x)\d|^(?:x(?:25519|448|509|86)|p(?:256|384|521)|v\d{1,2}(?:alpha|beta|rc))/i
/** Sizes, times and dimensions. */
const MEASURES =
  /^\d+(?:x\d+)+$|^(?:\d+(?:[dhms]|ms))+$|^\d+(?:bits?|bytes?|chars?|tokens?|secs?|seconds?|min(?:ute)?s?|hours?|days?|years?|msecs?|times)$/i

/** Whether letters and digits, undivided, are made up. */
export function isMadeUp(value: string): boolean {
  return hasLength(value) && (WORD_AND_NUMBER.test(value) || MIXED.test(value)) && !isNamed(value)
}

/** The same where no variable stands, and so no `parser1024` of a program: any word with a number. */
export function isMadeUpLiteral(value: string): boolean {
  return isMadeUp(value) || (hasLength(value) && LONG_WORD_AND_NUMBER.test(value) && !isNamed(value))
}

function hasLength({ length }: string): boolean {
  return length >= SHORTEST_MADE_UP && length <= LONGEST_MADE_UP
}

/** Whether letters and digits are a name of an algorithm or type, or a measure. */
export function isNamed(value: string): boolean {
  return NAMES.test(value) || MEASURES.test(value)
}

/**
 * Words of a folded text, as hashes: what the lexicon and the classifier look up without making strings.
 * A run of letters and digits is one token; a character of a script written without blanks (Han, kana, Thai, Lao, Khmer,
 * Burmese) is a token of its own. One pass, three arrays, nothing kept of the text.
 */

/** Tokens of one text. Arrays may be longer than `count`. */
export interface Tokens {
  readonly text: string
  readonly count: number
  /** Offsets into `text`, end exclusive. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** FNV-1a over the token's code units, 32 bit. */
  readonly hashes: Int32Array
}

export const HASH_START = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193

const SEPARATOR = 0
const LETTER = 1
const SOLO = 2
/** One entry a code unit; made at first use. */
let classes: Uint8Array | undefined

/** One step of the hash, over a code unit or another hash. */
export function hashStep(hash: number, value: number): number {
  return Math.imul(hash ^ value, HASH_PRIME)
}

/** Hash of a whole word, as `tokenize` gives it. */
export function hashWord(word: string): number {
  let hash = HASH_START
  for (let index = 0; index < word.length; index++) hash = hashStep(hash, word.charCodeAt(index))
  return hash
}

/** Whether the character is a token of its own. */
export function isSolo(code: number): boolean {
  return (classes ??= characterClasses())[code] === SOLO
}

/** Splits a folded text. */
export function tokenize(text: string): Tokens {
  const kinds = (classes ??= characterClasses())
  const room = text.length + 1
  const starts = new Int32Array(room)
  const ends = new Int32Array(room)
  const hashes = new Int32Array(room)
  let count = 0
  let index = 0
  while (index < text.length) {
    const kind = kinds[text.charCodeAt(index)] ?? SEPARATOR
    if (kind === SEPARATOR) {
      index++
      continue
    }
    starts[count] = index
    let hash = hashStep(HASH_START, text.charCodeAt(index++))
    if (kind === LETTER) {
      while (index < text.length && kinds[text.charCodeAt(index)] === LETTER)
        hash = hashStep(hash, text.charCodeAt(index++))
    }
    ends[count] = index
    hashes[count++] = hash
  }
  return { text, count, starts, ends, hashes }
}

function characterClasses(): Uint8Array {
  const table = new Uint8Array(65536)
  const letter = /[\p{L}\p{N}\p{M}]/u
  for (let code = 0; code < 65536; code++) {
    const surrogate = code >= 0xd800 && code < 0xe000
    if (!surrogate && letter.test(String.fromCharCode(code))) table[code] = isUnspaced(code) ? SOLO : LETTER
  }
  return table
}

function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code < 0x0f00) ||
    (code >= 0x1000 && code < 0x10a0) ||
    (code >= 0x1780 && code < 0x1800) ||
    (code >= 0x2e80 && code < 0xa000) ||
    (code >= 0xf900 && code < 0xfb00)
  )
}

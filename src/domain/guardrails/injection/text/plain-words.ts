/**
 * Reads disguised words back: spaced or dashed letters (i g n o r e), leet (1gn0r3), words glued together, scrambled middles
 * (ignroe), and words spelt wholly in a foreign look-alike alphabet. Gives a second view of the text; the first stays in use.
 *
 * One pass over the words, each with a bounded number of look-ups: linear.
 */
import { VOCABULARY } from '../lexicon/vocabulary.ts'
import { HASH_START, hashStep, hashWord } from '../tokens.ts'
import { foldLookAlikes } from './fold.ts'

const WORDS: ReadonlySet<string> = new Set(VOCABULARY)
const LONGEST_WORD = 15
const SHORTEST_SCRAMBLED = 5
const SHORTEST_GLUED = 9
const LONGEST_GLUED = 400
const WORD_HASHES: ReadonlySet<number> = new Set(VOCABULARY.map(hashWord))
const SCRAMBLED = new Map(
  VOCABULARY.filter((word) => word.length >= SHORTEST_SCRAMBLED).map((word) => [scrambleKey(word), word]),
)

/** Single characters in a row, each parted from the next by one to three of the same kind of separators. */
const SPREAD = /(?<![\p{L}\p{N}])[\p{L}\p{N}@$!](?:[ .\-_*~|,/+=^·•:;]{1,5}[\p{L}\p{N}@$!](?![\p{L}\p{N}])){3,}/gu
const SPREAD_BREAK = /[ .\-_*~|,/+=^·•:;]*(?: {2,}|[|/])[ .\-_*~|,/+=^·•:;]*/
const SPREAD_SEPARATOR = /[ .\-_*~|,/+=^·•:;]+/g
/** Short pieces of one word joined by one sign: ig-no-re, pre.vi.ous. */
const PIECES = /(?<![\p{L}\p{N}])\p{L}{1,6}(?:[.\-_*~|+^·•/]\p{L}{1,6}){1,8}(?![\p{L}\p{N}])/gu
const PIECE_SIGN = /[.\-_*~|+^·•/]/g
const FOREIGN = /^[\u0370-\u052f\u1c80-\u1c8f]+$/
const ASCII = /^[a-z]+$/
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '€': 'e',
  '£': 'l',
  '+': 't',
}
const LEET_SIGNS = /[\d@$!|€£+]/g

/** What a character can be in a word. */
const NONE = 0
const LATIN = 1
const SIGN = 2
const OTHER = 4
/** One entry a code unit; made at first use. */
let characters: Uint8Array | undefined

/** @param text folded. @returns the text with disguised words in plain; undefined where there were none. */
export function plainWords(text: string): string | undefined {
  const joined = text.replace(SPREAD, joinSpread).replace(PIECES, (run) => {
    const whole = run.replace(PIECE_SIGN, '')
    return WORDS.has(whole) ? whole : run
  })
  const plain = readWords(joined)
  return plain === text ? undefined : plain
}

/** Every word read; makes no string of those that stay. */
function readWords(text: string): string {
  const table = (characters ??= characterKinds())
  let plain = ''
  let copied = 0
  let index = 0
  while (index < text.length) {
    const start = index
    let kinds = NONE
    let hash = HASH_START
    for (
      let kind = table[text.charCodeAt(index)] ?? NONE;
      kind !== NONE;
      kind = table[text.charCodeAt(index)] ?? NONE
    ) {
      kinds |= kind
      hash = hashStep(hash, text.charCodeAt(index++))
    }
    if (mayHide(kinds, index - start) && !(kinds === LATIN && WORD_HASHES.has(hash))) {
      const word = text.slice(start, index)
      const read = readWord(word, kinds)
      if (read !== word) {
        plain += text.slice(copied, start) + read
        copied = index
      }
    }
    if (index === start) index++
  }
  return copied === 0 ? text : plain + text.slice(copied)
}

function mayHide(kinds: number, length: number): boolean {
  if (kinds === LATIN) return length >= SHORTEST_SCRAMBLED
  return length >= 3 && (kinds === OTHER || (kinds & SIGN && kinds & LATIN) !== 0)
}

function joinSpread(run: string): string {
  return run
    .split(SPREAD_BREAK)
    .map((word) => readWord(word.replace(SPREAD_SEPARATOR, ''), LATIN | SIGN))
    .join(' ')
}

/** The plain words behind one run of letters; the run itself where it is none of ours. */
function readWord(word: string, kinds: number): string {
  if (WORDS.has(word)) return word
  if (kinds & SIGN) return readLeet(word)
  if (kinds & OTHER) return FOREIGN.test(word) ? readForeign(word) : word
  return readLetters(word) ?? word
}

function readLetters(word: string): string | undefined {
  if (!ASCII.test(word)) return undefined
  if (WORDS.has(word)) return word
  if (word.length >= SHORTEST_SCRAMBLED && word.length <= LONGEST_WORD) {
    const plain = SCRAMBLED.get(scrambleKey(word))
    if (plain !== undefined && sortedLetters(plain) === sortedLetters(word)) return plain
  }
  return word.length >= SHORTEST_GLUED && word.length <= LONGEST_GLUED ? splitGlued(word) : undefined
}

function readLeet(word: string): string {
  const trimmed = word.replace(/[!+|]+$/, '')
  if (trimmed !== word && WORDS.has(trimmed)) return word
  const plain = leet(trimmed, 'i')
  return readLetters(plain) ?? readLetters(leet(trimmed, 'l')) ?? (isMostlyLeet(word) ? plain : word)
}

function leet(word: string, one: string): string {
  return word.replace(LEET_SIGNS, (sign) => (sign === '1' || sign === '!' || sign === '|' ? one : (LEET[sign] ?? sign)))
}

/** Digits between letters, as no version number, size or date has them. */
function isMostlyLeet(word: string): boolean {
  return word.length >= 4 && word.length <= LONGEST_WORD && /^\p{L}+[\d@$!]\p{L}+[\d@$!]?\p{L}*$/u.test(word)
}

function readForeign(word: string): string {
  const latin = foldLookAlikes(word)
  return latin.length >= 3 && WORDS.has(latin) ? latin : word
}

/** First and last letter and the sum of what lies between, which no order changes. */
function scrambleKey(word: string): number {
  let sum = word.length
  for (let index = 1; index < word.length - 1; index++) sum += hashStep(HASH_START, word.charCodeAt(index))
  return hashStep(hashStep(sum | 0, word.charCodeAt(0)), word.charCodeAt(word.length - 1))
}

/** Decides where keys are equal by chance. */
function sortedLetters(word: string): string {
  return word.split('').toSorted().join('')
}

/** Splits into known words, longest first; undefined where more than a fifth stays unread. */
function splitGlued(run: string): string | undefined {
  const words: string[] = []
  let unread = 0
  for (let index = 0; index < run.length;) {
    const length = longestWordAt(run, index)
    if (length === 1 && run.charAt(index) !== 'a' && run.charAt(index) !== 'i') unread++
    if (unread * 5 > run.length) return undefined
    words.push(run.slice(index, index + length))
    index += length
  }
  return words.length > 1 && words.length * 2.5 <= run.length ? words.join(' ') : undefined
}

function longestWordAt(run: string, start: number): number {
  let hash = HASH_START
  let longest = 1
  const end = Math.min(run.length, start + LONGEST_WORD)
  for (let index = start; index < end; index++) {
    hash = hashStep(hash, run.charCodeAt(index))
    if (index > start && WORD_HASHES.has(hash)) longest = index + 1 - start
  }
  return longest
}

function characterKinds(): Uint8Array {
  const kinds = new Uint8Array(65536)
  const letter = /\p{L}/u
  for (let code = 0; code < 65536; code++) {
    const sign = String.fromCharCode(code)
    if (code >= 97 && code <= 122) kinds[code] = LATIN
    else if (LEET[sign] !== undefined) kinds[code] = SIGN
    else if ((code < 0xd800 || code >= 0xe000) && letter.test(sign)) kinds[code] = OTHER
  }
  return kinds
}

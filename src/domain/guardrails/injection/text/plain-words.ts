/**
 * Reads disguised words back: spaced or dashed letters (i g n o r e), leet (1gn0r3), words glued together, scrambled middles
 * (ignroe), and words spelt wholly in a foreign look-alike alphabet. Gives a second view of the text; the first stays in use.
 *
 * One pass over the words, each with a bounded number of look-ups: linear.
 */
import { VOCABULARY } from '../lexicon/vocabulary.ts'
import { foldLookAlikes } from './fold.ts'

const WORDS: ReadonlySet<string> = new Set(VOCABULARY)
const LONGEST_WORD = 15
const SHORTEST_SCRAMBLED = 5
const SHORTEST_GLUED = 9
const LONGEST_GLUED = 400
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
const WORD = /[\p{L}\p{N}@$!|€£+]{2,}/gu
const HAS_SIGN_OR_DIGIT = /[\d@$!|€£+]/
const HAS_LETTER = /\p{L}/u
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

/** @param text folded. @returns the text with disguised words in plain; undefined where there were none. */
export function plainWords(text: string): string | undefined {
  let changes = 0
  const changed = (word: string): string => {
    changes++
    return word
  }
  const joined = text
    .replace(SPREAD, (run) => changed(joinSpread(run)))
    .replace(PIECES, (run) => {
      const whole = run.replace(PIECE_SIGN, '')
      return WORDS.has(whole) ? changed(whole) : run
    })
  const plain = joined.replace(WORD, (word) => {
    const read = readWord(word)
    return read === word ? word : changed(read)
  })
  return changes > 0 ? plain : undefined
}

function joinSpread(run: string): string {
  return run
    .split(SPREAD_BREAK)
    .map((word) => readWord(word.replace(SPREAD_SEPARATOR, '')))
    .join(' ')
}

/** The plain words behind one run of letters; the run itself where it is none of ours. */
function readWord(word: string): string {
  if (WORDS.has(word)) return word
  if (HAS_SIGN_OR_DIGIT.test(word)) return HAS_LETTER.test(word) ? readLeet(word) : word
  if (FOREIGN.test(word)) return readForeign(word)
  return readLetters(word) ?? word
}

function readLetters(word: string): string | undefined {
  if (!ASCII.test(word)) return undefined
  if (WORDS.has(word)) return word
  if (word.length >= SHORTEST_SCRAMBLED && word.length <= LONGEST_WORD) {
    const plain = SCRAMBLED.get(scrambleKey(word))
    if (plain !== undefined) return plain
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
  return /^\p{L}+[\d@$!]\p{L}+[\d@$!]?\p{L}*$/u.test(word) && word.length >= 4
}

function readForeign(word: string): string {
  const latin = foldLookAlikes(word)
  return latin.length >= 3 && WORDS.has(latin) ? latin : word
}

/** First and last letter and what lies between, order aside. */
function scrambleKey(word: string): string {
  return word.charAt(0) + word.slice(1, -1).split('').toSorted().join('') + word.charAt(word.length - 1)
}

/** Splits into known words, longest first; undefined where a fifth or more stays unread. */
function splitGlued(run: string): string | undefined {
  const words: string[] = []
  let unread = 0
  for (let index = 0; index < run.length;) {
    let length = Math.min(LONGEST_WORD, run.length - index)
    while (length > 1 && !WORDS.has(run.slice(index, index + length))) length--
    if (length === 1 && run.charAt(index) !== 'a' && run.charAt(index) !== 'i') unread++
    words.push(run.slice(index, index + length))
    index += length
  }
  return unread * 5 <= run.length && words.length > 1 && words.length * 2.5 <= run.length ? words.join(' ') : undefined
}

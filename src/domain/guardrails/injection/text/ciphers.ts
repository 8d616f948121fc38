/**
 * Letter ciphers: Caesar shifts (rot13 among them), Atbash, ROT47 and reversed text. A text is only transformed where it contains
 * an enciphered word that attacks need, so ordinary text pays one look-up a word.
 */
import { hashWord, tokenize, type Tokens } from '../tokens.ts'

const TELLING = [
  'ignore',
  'ignora',
  'disregard',
  'instructions',
  'instruction',
  'instrucciones',
  'previous',
  'prompt',
  'reveal',
  'password',
  'secret',
  'override',
  'forget',
  'bypass',
  'system',
  'restrictions',
  'guidelines',
  'pretend',
  'unrestricted',
]
/** Enciphered words that are words of their own, or too short to tell. */
const SHIFTS = 26
const ROT47_TELLING = ['8?@C6', '?DECF4E', 'C6G:@FD', 'C@>AE', 'JDE6>', '6G62=', '2DDH@C5', '4C6E']
const BASE_LOWER = 97
const BASE_UPPER = 65

type Cipher = (text: string) => string

const CIPHERS: readonly Cipher[] = [
  ...Array.from({ length: SHIFTS - 1 }, (_, shift) => (text: string) => shiftLetters(text, shift + 1)),
  atbash,
  reverse,
  reverseWords,
]
const MAX_TEXTS = 3

/** Made at the first use, in some ten milliseconds that no start need wait for. */
let enciphered: ReadonlyMap<number, number> | undefined

/**
 * Plain texts of what is enciphered in a text.
 * @param text cleaned, letter case as it came
 * @param tokens of the same text, folded
 */
export function decipher(text: string, tokens: Tokens): string[] {
  enciphered ??= encipheredWords()
  const used = new Set<number>()
  for (let index = 0; index < tokens.count && used.size < MAX_TEXTS; index++) {
    const cipher = enciphered.get(tokens.hashes[index] ?? 0)
    if (cipher !== undefined) used.add(cipher)
  }
  const texts = [...used].map((cipher) => CIPHERS[cipher]?.(text) ?? '')
  // Reversed characters with the words' order kept look the same word by word.
  if (used.has(CIPHERS.length - 2)) texts.push(reverseWords(text))
  if (ROT47_TELLING.some((word) => text.includes(word))) texts.push(rot47(text))
  return texts
}

function encipheredWords(): ReadonlyMap<number, number> {
  const words = new Map<number, number>()
  for (let cipher = 0; cipher < CIPHERS.length - 1; cipher++) {
    for (const word of TELLING) {
      const hidden = tokenize(CIPHERS[cipher]?.(word) ?? '')
      // Undoing a shift is shifting by the rest; Atbash and reversal undo themselves.
      if (hidden.count === 1) words.set(hidden.hashes[0] ?? 0, cipher < SHIFTS - 1 ? SHIFTS - 2 - cipher : cipher)
    }
  }
  for (const word of TELLING) words.delete(hashWord(word))
  return words
}

function shiftLetters(text: string, shift: number): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter >= 'a' ? BASE_LOWER : BASE_UPPER
    return String.fromCharCode(base + ((letter.charCodeAt(0) - base + shift) % SHIFTS))
  })
}

function atbash(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter >= 'a' ? BASE_LOWER : BASE_UPPER
    return String.fromCharCode(base + SHIFTS - 1 - (letter.charCodeAt(0) - base))
  })
}

function reverse(text: string): string {
  return [...text].toReversed().join('')
}

function reverseWords(text: string): string {
  return text.replace(/\S+/g, (word) => reverse(word))
}

function rot47(text: string): string {
  return text.replace(/[!-~]/g, (sign) => String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94)))
}

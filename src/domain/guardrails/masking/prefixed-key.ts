/**
 * Keys with a vendor's prefix.
 *
 * Two tables of 32,768 bytes answer for the first three and four characters of every word whether any prefix begins like that; only then
 * are the prefixes of these letters tried, the longest first. What follows is read at most LONGEST_TAIL far.
 */
import { ALPHANUMERIC, BASE64_SIGN, classAt, classOf, DASH, DOT, skipForward, UNDERSCORE } from './character-classes.ts'
import type { Finding } from './finding.ts'
import { KEY_PREFIXES } from './key-prefixes.ts'
import { hasGeneratedRun, isPlaceholder } from './randomness.ts'

/** A private key of 4,096 bits in base64 twice; all others stay far below it. */
const LONGEST_TAIL = 8192
const TABLE_BITS = 0x7fff

interface Prefix {
  readonly rule: string
  readonly prefix: string
  readonly tail: number
  readonly least: number
}

const PREFIXES: readonly Prefix[] = KEY_PREFIXES.flatMap(([rule, prefixes, tail, least]) =>
  prefixes.split(' ').map((prefix) => ({ rule, prefix, tail, least })),
).toSorted((one, other) => other.prefix.length - one.prefix.length)

const BY_FIRST_TWO = Map.groupBy(PREFIXES, ({ prefix }) => firstTwo(prefix, 0))
/** Beginnings that the scanner hands to other rules: web tokens and PuTTY's key files. */
const OTHER_BEGINNINGS: readonly string[] = ['eyJ', 'PuT']
const [FIRST_THREE, FIRST_FOUR] = tablesOfBeginnings()

function firstTwo(text: string, start: number): number {
  return text.charCodeAt(start) * 0x10000 + text.charCodeAt(start + 1)
}

function hashOf(first: number, second: number, third: number): number {
  return (first * 1021 + second * 31 + third) & TABLE_BITS
}

function hashOfFour(three: number, fourth: number): number {
  return (three * 31 + fourth) & TABLE_BITS
}

/** By the first three characters: 1 where a prefix may go on by its fourth, 2 where the prefix is too short to ask. */
function tablesOfBeginnings(): readonly [Uint8Array, Uint8Array] {
  const [threes, fours] = [new Uint8Array(TABLE_BITS + 1), new Uint8Array(TABLE_BITS + 1)]
  for (const { prefix, tail } of PREFIXES) {
    const inTail = Array.from({ length: 0x80 }, (_, unit) => unit).filter((unit) => (classOf(unit) & tail) !== 0)
    const thirds = prefix.length > 2 ? [prefix.charCodeAt(2)] : inTail
    for (const third of thirds) {
      const three = hashOf(prefix.charCodeAt(0), prefix.charCodeAt(1), third)
      threes[three] = Math.max(threes[three] ?? 0, prefix.length > 2 ? 1 : 2)
      for (const fourth of prefix.length > 3 ? [prefix.charCodeAt(3)] : inTail) fours[hashOfFour(three, fourth)] = 1
    }
  }
  for (const beginning of OTHER_BEGINNINGS)
    threes[hashOf(beginning.charCodeAt(0), beginning.charCodeAt(1), beginning.charCodeAt(2))] = 2
  return [threes, fours]
}

/** Whether a prefix may begin at `start`, which is the beginning of a word. Almost always false, and cheap. */
export function mayBePrefixed(text: string, start: number): boolean {
  const three = hashOf(text.charCodeAt(start), text.charCodeAt(start + 1), text.charCodeAt(start + 2))
  const answer = FIRST_THREE[three]
  if (answer !== 1) return answer === 2
  return FIRST_FOUR[hashOfFour(three, text.charCodeAt(start + 3))] === 1
}

export interface PrefixResult {
  readonly finding: Finding | undefined
  /** No key begins before this offset: a long text after the prefix has been judged. */
  readonly judgedUntil: number
}

/** A rejected text this long is not read again for the prefixes inside it, so that rows of prefixes stay linear. */
const LONG_TAIL = 64

/** The key whose prefix begins at `start`. */
export function findPrefixedKey(text: string, start: number): PrefixResult {
  let judgedUntil = start
  const candidates = BY_FIRST_TWO.get(firstTwo(text, start))
  if (candidates === undefined || isInsideBase64(text, start)) return { finding: undefined, judgedUntil }
  for (const { rule, prefix, tail, least } of candidates) {
    if (!text.startsWith(prefix, start)) continue
    const from = start + prefix.length
    const end = trimEnd(text, from, skipForward(text, from, from + LONGEST_TAIL, tail))
    if (end - from >= least && isKeyTail(text.slice(from, end), prefix))
      return { finding: { kind: 'KEY', start, end, rule }, judgedUntil: end }
    if (end - from > LONG_TAIL) judgedUntil = Math.max(judgedUntil, end)
  }
  return { finding: undefined, judgedUntil }
}

/** Generated, not words: `sk-learn-model-v2-2024` is none, nor is a metric's name. */
function isKeyTail(tail: string, prefix: string): boolean {
  if (prefix.length === 2 && !/\d/.test(tail)) return false
  return (hasGeneratedRun(tail, 8) || isMixedTail(tail, prefix.length > 4)) && !isPlaceholder(tail)
}

/** Short pieces between dashes, most of which are no words; after a long prefix, which says much, half of them will do. */
function isMixedTail(tail: string, isMarked: boolean): boolean {
  if (isMarked && /\d/.test(tail) && /[A-Z]/.test(tail) && /[a-z]/.test(tail)) return true
  const segments = tail.split(/[-_.=]+/)
  const generated = segments.filter((segment) => !ORDINARY_SEGMENT.test(segment)).length
  return generated * 2 > segments.length || (isMarked && generated * 2 === segments.length)
}

/** A word in one case or with a capital, a small number, a version. */
const ORDINARY_SEGMENT = /^(?:[a-z]*|[A-Z][a-z]*|[A-Z]{1,12}|\d{1,4}|v\d+|[a-z]+\d{1,2})$/

/** Takes off a full stop, dash or underscore that belongs to the sentence around. */
function trimEnd(text: string, from: number, end: number): number {
  let trimmed = end
  while (trimmed > from && (classAt(text, trimmed - 1) & (DOT | DASH | UNDERSCORE)) !== 0) trimmed--
  return trimmed
}

/** A `/` or `+` right before, with a long row of base64 before that: chance, not a key. */
function isInsideBase64(text: string, start: number): boolean {
  const sign = text.charCodeAt(start - 1)
  if (sign !== 0x2f && sign !== 0x2b) return false
  for (let at = start - 2; at > start - 34; at--)
    if ((classAt(text, at) & (ALPHANUMERIC | BASE64_SIGN)) === 0) return false
  return !text.slice(start - 34, start).includes('//')
}

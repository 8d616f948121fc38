/**
 * Keys with a vendor's prefix: those that begin with the first two letters of a word are tried, the longest first. What follows is read at
 * most LONGEST_TAIL far.
 */
import {
  ALPHANUMERIC,
  BASE64_SIGN,
  classAt,
  DASH,
  DOT,
  skipForward,
  UNDERSCORE,
  unitAt,
  WORD,
} from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { KEY_PREFIXES, SHORT_KEY_PREFIXES } from './key-prefixes.ts'
import { isMadeUp } from './made-up-value.ts'
import { hasGeneratedRun, isNameOfCode, isPlaceholder, isWordsOfCode } from './randomness.ts'
import { SHORTEST_SHAPED } from './shaped-key.ts'

/** A private key of 4,096 bits in base64 twice; all others stay far below it. */
const LONGEST_TAIL = 8192

interface Prefix {
  readonly rule: string
  readonly prefix: string
  readonly tail: number
  readonly least: number
}

const PREFIXES: readonly Prefix[] = [...KEY_PREFIXES, ...SHORT_KEY_PREFIXES]
  .flatMap(([rule, prefixes, tail, least]) => prefixes.split(' ').map((prefix) => ({ rule, prefix, tail, least })))
  .toSorted((one, other) => other.prefix.length - one.prefix.length)

const BY_FIRST_TWO = Map.groupBy(PREFIXES, ({ prefix }) => firstTwo(prefix, 0))
/** Beginnings that the scanner hands to other rules: web tokens and PuTTY's key files. */
const OTHER_BEGINNINGS: readonly string[] = ['eyJ', 'PuTTY-']

/**
 * What a word of letters only begins with, and the sign behind it, where a key may begin. Words with digits or underscores and long words are
 * looked at in any case.
 */
export const KEY_BEGINNINGS: readonly string[] = [
  ...OTHER_BEGINNINGS,
  ...PREFIXES.filter((prefix) => !isLongWord(prefix)).flatMap(
    ({ prefix }) => /^[A-Za-z]+(?:$|[^\w])/.exec(prefix) ?? [],
  ),
]

/** Whether the whole key is a word that is long enough to be looked at. */
function isLongWord({ prefix, tail, least }: Prefix): boolean {
  return /^[A-Za-z]+$/.test(prefix) && (tail & ~WORD) === 0 && prefix.length + least >= SHORTEST_SHAPED
}

function firstTwo(text: string, start: number): number {
  return unitAt(text, start) * 0x10000 + unitAt(text, start + 1)
}

export interface PrefixResult {
  readonly finding: Finding | undefined
  /** No key begins before this offset: a long text after the prefix has been judged. */
  readonly judgedUntil: number
}

/** A rejected text this long is not read again for the prefixes inside it, so that rows of prefixes stay linear. */
const LONG_TAIL = 64

const NO_KEY: PrefixResult = { finding: undefined, judgedUntil: 0 }

/** The key whose prefix begins at `start`. */
export function findPrefixedKey(text: string, start: number): PrefixResult {
  const candidates = BY_FIRST_TWO.get(firstTwo(text, start))
  if (candidates === undefined || isInsideBase64(text, start)) return NO_KEY
  let judgedUntil = start
  for (const { rule, prefix, tail, least } of candidates) {
    if (!text.startsWith(prefix, start)) continue
    const from = start + prefix.length
    const end = trimEnd(text, from, skipForward(text, from, from + LONGEST_TAIL, tail))
    if (end - from >= least && isKey(text, { rule, prefix, start, from, end }))
      return { finding: { kind: 'KEY', start, end, rule }, judgedUntil: end }
    if (end - from > LONG_TAIL) judgedUntil = Math.max(judgedUntil, end)
  }
  return { finding: undefined, judgedUntil }
}

interface Tail {
  readonly rule: string
  readonly prefix: string
  readonly start: number
  readonly from: number
  readonly end: number
}

function isKey(text: string, { rule, prefix, start, from, end }: Tail): boolean {
  if (isOfData(text, rule, start, end)) return false
  if (!rule.endsWith('short-key')) return isKeyTail(text.slice(from, end), prefix)
  if (end - from > LONG_TAIL) return false
  const tail = text.slice(from, end)
  const isPart = rule === 'marked-short-key' ? isPartOfName : isPartOfAddress
  return !isPart(text, start, end) && (rule === 'short-key' ? isShortTail : isMarkedShortTail)(tail)
}

/** Zeros in base64, which the tokens of one vendor begin with as well. */
const ZEROS = /^A{25}|A{12}.*A{12}/
/** What goes on, other than a path, an assignment and a diff's line. */
const OF_BASE64 = /[A-Za-z\d+/][+/]$/
/** A checksum. */
const HASH = /^(?:[\dA-F]{40}|[\dA-F]{56}|[\dA-F]{64}|[\dA-F]{96}|[\dA-F]{128})$/i

/** What begins like a key by chance: a checksum, a line of base64. */
function isOfData(text: string, rule: string, start: number, end: number): boolean {
  if (rule === 'twitter') return ZEROS.test(text.slice(start, end))
  if (rule === 'pagerduty')
    return OF_BASE64.test(text.slice(Math.max(0, start - 2), start)) || '+/='.includes(text.charAt(end) || ' ')
  return end - start >= 40 && HASH.test(text.slice(start, end))
}

/** A part of a path, a host, a longer name or a selector: `/sk-12345.html`, `.sk-circle1`, `cache-key-...`. */
function isPartOfAddress(text: string, start: number, end: number): boolean {
  return '-./#'.includes(text.charAt(start - 1) || ' ') || /^(?:[@=/]|\.\w)/.test(text.slice(end, end + 2))
}

/** Where a key may stand in a path, for a user (`https://ghp_...@github.com`), or before the next sentence. */
function isPartOfName(text: string, start: number, end: number): boolean {
  return '-.#'.includes(text.charAt(start - 1) || ' ') || /^(?:=|\.[a-z])/.test(text.slice(end, end + 2))
}

/** A number, or something else that is made up. */
function isShortTail(tail: string): boolean {
  const isTail = partsOf(tail).some((part) => /^\d{4,}$/.test(part) || isMadeUp(part))
  return isTail && !NAMES.test(tail) && !isPlaceholder(tail.replace(FEIGNED, ''))
}

/** With digits they are what a test takes for a key; alone they keep its place. */
const FEIGNED = /(?:fake|dummy|sample|example)/gi

/** Kinds of keys that security keys hold (`sk-ssh-ed25519`), and classes that scikit-learn gives to what it draws (`sk-container-id-3`). */
const NAMES = /^(?:(?:ssh|ecdsa)-|(?:container|estimator|toggleable|parallel|serial|item|label|global|top)(?:[-_]|$))/

/** The same, whole: `sk-ecdsa-sha2-nistp256`. */
const SECURITY_KEY = /^(?:ssh-ed25519|ecdsa-sha2-nistp\d{3})(?:-cert-v\d\d)?$/

/** Three digits in one part will do. */
function isMarkedShortTail(tail: string): boolean {
  return partsOf(tail).some((part) => /\d.*\d.*\d/.test(part)) && !isPlaceholder(tail.replace(FEIGNED, ''))
}

/** Without years and dates. */
function partsOf(tail: string): string[] {
  return tail.split(/[-_]/).filter((part) => !/^(?:19|20)\d{2}(?:[01]\d[0-3]\d)?$/.test(part))
}

/** Generated, not words: `sk-learn-model-v2-2024` is none, nor is a metric's name. */
function isKeyTail(tail: string, prefix: string): boolean {
  if (SECURITY_KEY.test(tail)) return false
  if (prefix.length === 2 && (!/\d/.test(tail) || isNameOfCode(tail))) return false
  if (prefix.length <= 3 && !/[-_]$/.test(prefix) && isWordsOfCode(tail)) return false
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
  const sign = unitAt(text, start - 1)
  if (sign !== 0x2f && sign !== 0x2b) return false
  for (let at = start - 2; at > start - 34; at--)
    if ((classAt(text, at) & (ALPHANUMERIC | BASE64_SIGN)) === 0) return false
  return !text.slice(start - 34, start).includes('//')
}

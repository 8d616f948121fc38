/** Reads the value that stands after a telling name: quoted, or up to where code, prose, a URL or a CSV line would end it. */
import { ALPHANUMERIC, classAt, IDEOGRAPH, isFirstHalf, SPACE, unitAt } from '../character-classes.ts'

export interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
  /** Longer than others may be, and nothing but what tokens are made of. */
  readonly isLongToken?: true
}

/** Longer values are texts, files or images, no secrets (private keys have their own rule). */
const LONGEST_VALUE = 1024
/** Bare values are read again by each name before them, so they are bounded more closely. */
const LONGEST_BARE_VALUE = 512
/** From here on a value may be a long token. */
const SHORTEST_LONG_TOKEN = 257
/** What a token is made of; also `/`, `+` and `=` as JSON escapes them. */
const OF_TOKEN = String.raw`(?:[\w+/=%.~:|!*-]|\\{1,7}(?:/|u00(?:2[bBfF]|3[dD])))`
/** Of a session of AWS, a refresh, a cookie: nothing but these, and up to what a header holds. */
const LONG_TOKEN = new RegExp(String.raw`${OF_TOKEN}{${SHORTEST_LONG_TOKEN},8192}(?!${OF_TOKEN})`, 'y')

const OPENING =
  /(?:[bfruBFRU@LN]{1,2}(?=\\{0,7}["']))?((?:\\{1,7}"){3}|\\{1,7}["'`]|&quot;|&#39;|%22|"""|'''|`{2,3}(?=[^\s`\\]{1,256}`)|["'`]|\*\*`?|<code>|\u201c|\u201e|\u00ab\s?|\u2018)/y
const CLOSING: Readonly<Record<string, string>> = { '“': '”', '„': '“', '«': '»', '‘': '’', '<code>': '</code>' }
const SCHEME =
  /(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|SSWS|GenieKey|Splunk|Bot|OAuth|Key|Negotiate)(?:\s|%20|\+){1,3}/iy

/** The value from `at` on; undefined where there is none. `isElement`: a `<` ends it. */
export function readValue(text: string, at: number, isElement: boolean): Value | undefined {
  OPENING.lastIndex = at
  const opening = OPENING.exec(text)
  const value =
    opening === null
      ? readBare(text, skipScheme(text, at), isElement)
      : readQuoted(text, OPENING.lastIndex, opening[1] ?? '"')
  return value === undefined || value.end <= value.start ? undefined : value
}

/** Offset after `Bearer ` and the like. */
export function skipScheme(text: string, at: number): number {
  SCHEME.lastIndex = at
  return SCHEME.test(text) ? SCHEME.lastIndex : at
}

const BRACED = /\{[^{}\s;]{4,128}\}/y

/** What stands in braces in a connection string of ODBC: `;Pwd={...}`. A program's `;Pwd={password}` is another matter. */
export function bracedValue(text: string, nameStart: number, at: number): Value | undefined {
  if (unitAt(text, nameStart - 1) !== 0x3b || unitAt(text, at) !== 0x7b) return undefined
  BRACED.lastIndex = at
  const braced = BRACED.exec(text)?.[0]
  if (braced === undefined || !/[\d\W]/.test(braced.slice(1, -1)) || /^\{[A-Za-z_.]+\d{0,2}\}$/.test(braced))
    return undefined
  return { start: at + 1, end: at + braced.length - 1, isQuoted: false }
}

/** What a variable is where nothing sets it: `${DB_PASSWORD:-...}`, Spring's `${db.password:...}`. */
const DEFAULT = /["']?\$\{[\w.-]{1,64}:-?(?![?+=$-])([^{}\s"'$]{4,128})\}/y

/** The value of the variable at `at`, where no other is set. */
export function defaultValue(text: string, at: number): Value | undefined {
  DEFAULT.lastIndex = at
  const value = DEFAULT.exec(text)?.[1]
  if (value === undefined) return undefined
  return { start: DEFAULT.lastIndex - 1 - value.length, end: DEFAULT.lastIndex - 1, isQuoted: false }
}

function readQuoted(text: string, from: number, opening: string): Value | undefined {
  const start = skipScheme(text, from)
  const closing = CLOSING[opening.trim()] ?? opening
  const limit = Math.min(text.length, start + LONGEST_VALUE)
  for (let at = start; at < limit; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a && closing.length === 1) return undefined
    if (text.startsWith(closing, at)) return quotedValue(text, start, closing === '»' ? withoutBlank(text, at) : at)
    if (unit === 0x5c) at++
  }
  // Asked last, as it may read far: where a value ends with what a token may hold (`**`), each would be asked.
  const tokenEnd = longTokenEnd(text, start)
  if (tokenEnd !== undefined && text.startsWith(closing, tokenEnd)) return quotedValue(text, start, tokenEnd)
  return text.length <= limit ? { start, end: limit, isQuoted: true } : undefined
}

/** French puts a blank before `»`. */
function withoutBlank(text: string, end: number): number {
  return (classAt(text, end - 1) & SPACE) === 0 ? end : end - 1
}

function quotedValue(text: string, start: number, end: number): Value {
  const isLong = end - start >= SHORTEST_LONG_TOKEN && isLongToken(text.slice(start, end))
  return { start, end, isQuoted: true, ...(isLong && { isLongToken: true }) }
}

function readBare(text: string, start: number, isElement: boolean): Value | undefined {
  const limit = Math.min(text.length, start + LONGEST_BARE_VALUE)
  let at = start
  while (at < limit && !endsBareValue(text, at, start, isElement)) at++
  const tokenEnd = at - start < SHORTEST_LONG_TOKEN ? undefined : longTokenEnd(text, start)
  if (tokenEnd !== undefined) return { start, end: trimBare(text, start, tokenEnd), isQuoted: false, isLongToken: true }
  return { start, end: trimBare(text, start, at), isQuoted: false }
}

function longTokenEnd(text: string, start: number): number | undefined {
  LONG_TOKEN.lastIndex = start
  return LONG_TOKEN.test(text) ? LONG_TOKEN.lastIndex : undefined
}

/** Whether `text` is one long token as a whole. */
export function isLongToken(text: string): boolean {
  return longTokenEnd(text, 0) === text.length
}

function endsBareValue(text: string, at: number, start: number, isElement: boolean): boolean {
  const unit = text.charCodeAt(at)
  const bits = classAt(text, at)
  if ((bits & ALPHANUMERIC) !== 0) return false
  if ((bits & SPACE) !== 0) return true
  if ((bits & IDEOGRAPH) !== 0) return (classAt(text, start) & IDEOGRAPH) === 0
  switch (unit) {
    case 0x22: // "
    case 0x60: // `
    case 0x3002: // full stop and comma of Chinese and Japanese
    case 0xff0c:
    case 0x201d:
      return true
    case 0x27: // '
      return at > start && (classAt(text, at + 1) & ALPHANUMERIC) === 0
    case 0x3c: // <
      return isElement || unitAt(text, at + 1) === 0x2f || /^br\b/i.test(text.slice(at + 1, at + 4))
    case 0x26: // &
      return /^&(?:amp;|quot;|[\w.%-]{1,40}=)/.test(text.slice(at, at + 44))
    case 0x2c: // ,
    case 0x3b: // ;
      return isEndOfField(text, at + 1)
    case 0x29: // )
      return unitAt(text, at + 1) === 0x5d
    case 0x5d: // ]
      return unitAt(text, at + 1) === 0x28
    case 0x7c: // |
      return (classAt(text, at + 1) & SPACE) !== 0
    case 0x5c: // an escaped quote or line end
      return /^\\{1,7}(?:["'`nrt]|u00)/.test(text.slice(at, at + 10))
    default:
      return false
  }
}

/** After a comma or semicolon: a blank, the end, a quote, or the next `name=` or `name:`. */
function isEndOfField(text: string, from: number): boolean {
  if (from >= text.length || (classAt(text, from) & SPACE) !== 0) return true
  return /^(?:["'}\])]|[\w.-]{1,40}(?: \w{1,20})?\s?[=:]|\w{0,40},)/.test(text.slice(from, from + 44))
}

/** Takes off signs that end a sentence or close a bracket that the value did not open, and half a character (of a tag, say). */
function trimBare(text: string, start: number, end: number): number {
  let trimmed = end > start && isFirstHalf(unitAt(text, end - 1)) ? end - 1 : end
  while (trimmed > start && isTrailingSign(text, start, trimmed - 1)) trimmed--
  return trimmed
}

function isTrailingSign(text: string, start: number, at: number): boolean {
  const sign = text[at] ?? ''
  if ('.,;:?*'.includes(sign)) return true
  const opening = { ')': '(', ']': '[', '}': '{', '>': '<' }[sign]
  return opening !== undefined && !text.slice(start, at).includes(opening)
}

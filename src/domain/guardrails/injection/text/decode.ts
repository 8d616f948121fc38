/**
 * Readable text out of encoded spans: base64, base32, hexadecimal, binary, decimal codes, Morse, and escapes written inline
 * (percent, backslash, HTML entities). A span is kept only where it decodes to readable text.
 *
 * Bounds: every pattern consumes a run of one character class without nested repetition, so a pass is linear; a span is
 * cut at MAX_SPAN characters and a text gives at most MAX_SPANS spans of each kind.
 */

/** A text found inside another one. */
export interface DecodedText {
  readonly encoding: Encoding
  readonly text: string
}

export type Encoding =
  | 'base64'
  | 'base32'
  | 'hex'
  | 'binary'
  | 'decimal'
  | 'morse'
  | 'escape'
  | 'cipher'
  | 'hidden'
  | 'split'

const MAX_SPAN = 8192
const MAX_SPANS = 24
/** Shorter results carry no instruction. */
const MIN_TEXT = 6
/** Blobs (images, hashes) are told from text by their head, without decoding the rest. */
const PROBE = 96

interface SpanDecoder {
  readonly encoding: Encoding
  readonly pattern: RegExp
  readonly decode: (span: string) => string
}

const SPANS: readonly SpanDecoder[] = [
  {
    encoding: 'binary',
    pattern: /[01](?:[01 ,]){39,}/g,
    decode: (span) => fromDigits(span.replace(/[ ,]/g, ''), 8, 2),
  },
  { encoding: 'hex', pattern: /(?<![A-Za-z0-9])(?:(?:0x)?[0-9a-fA-F]{2}[ ,:-]{0,2}){8,}/g, decode: fromHex },
  { encoding: 'decimal', pattern: /\d{2,3}(?:[ ,;]{1,2}\d{2,3}){7,}/g, decode: fromDecimal },
  { encoding: 'base32', pattern: /[A-Z2-7]{16,}={0,6}/g, decode: fromBase32 },
  { encoding: 'base64', pattern: /[A-Za-z0-9+/_-]{12,}(?:\r?\n[A-Za-z0-9+/_-]{12,})*={0,2}/g, decode: fromBase64 },
  { encoding: 'morse', pattern: /[.\-·−–—_](?:[.\-·−–—_ /|\n]){19,}/g, decode: fromMorse },
]

/** Escapes of letters; a few `&amp;` or `%2F` hide nothing. */
const ESCAPE =
  /%[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}|&#\d{1,7};|&#x[0-9a-fA-F]{1,6};|&(?:lt|gt|amp|quot|nbsp|lpar|rpar);/g
const MIN_ESCAPES = 3
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  lpar: '(',
  rpar: ')',
}

/** All readable texts that are encoded inside `text` (cleaned, letter case as it came). */
export function decodeSpans(text: string): DecodedText[] {
  const found: DecodedText[] = []
  const unescaped = decodeEscapes(text)
  if (unescaped !== undefined) found.push({ encoding: 'escape', text: unescaped })
  for (const decoder of SPANS) decodeWith(decoder, text, found)
  const joined = joinPieces(text)
  if (joined !== undefined) found.push({ encoding: 'split', text: joined })
  return found
}

function decodeWith(decoder: SpanDecoder, text: string, found: DecodedText[]): void {
  let spans = 0
  for (const match of text.matchAll(decoder.pattern)) {
    if (++spans > MAX_SPANS) return
    if (!isReadable(decoder.decode(match[0].slice(0, PROBE)))) continue
    const decoded = decoder.decode(match[0].slice(0, MAX_SPAN))
    if (decoded.length >= MIN_TEXT) found.push({ encoding: decoder.encoding, text: decoded })
  }
}

function decodeEscapes(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('\\') && !text.includes('&')) return undefined
  let escapes = 0
  const decoded = text.replace(ESCAPE, (escape) => {
    escapes++
    return unescape(escape)
  })
  return escapes >= MIN_ESCAPES ? decoded : undefined
}

function unescape(escape: string): string {
  const entity = NAMED[escape.slice(1, -1)]
  if (entity !== undefined) return entity
  const digits = escape.replace(/[^0-9a-fA-F]/g, '')
  const code = parseInt(digits, escape.startsWith('&#') && !escape.startsWith('&#x') ? 10 : 16)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
}

/** Mostly letters and blanks, hardly any control or replacement characters. */
function isReadable(text: string): boolean {
  if (text.length < MIN_TEXT) return false
  let letters = 0
  let broken = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 32 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 0xc0 && code < 0xd800))
      letters++
    else if ((code < 32 && code !== 10 && code !== 13 && code !== 9) || code === 0xfffd || code === 127) broken++
  }
  return letters >= text.length * 0.7 && broken <= 1 + text.length * 0.03
}

function textOf(bytes: number[]): string {
  // A cut span may end inside a character: what is cut is dropped, not shown as a replacement.
  return new TextDecoder().decode(Uint8Array.from(bytes)).replace(/\ufffd$/, '')
}

const BASE64 = digitTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '-_')
const BASE32 = digitTable('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', '')

function fromBase64(span: string): string {
  return textOf(regroup(span, BASE64, 6))
}

function fromBase32(span: string): string {
  return textOf(regroup(span, BASE32, 5))
}

function regroup(span: string, table: Int8Array, width: number): number[] {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (let index = 0; index < span.length; index++) {
    const digit = table[span.charCodeAt(index)] ?? -1
    if (digit < 0) continue
    held = ((held << width) | digit) & 0xfff
    bits += width
    if (bits >= 8) bytes.push((held >> (bits -= 8)) & 255)
  }
  return bytes
}

function digitTable(alphabet: string, alternatives: string): Int8Array {
  const table = new Int8Array(128).fill(-1)
  for (let digit = 0; digit < alphabet.length; digit++) table[alphabet.charCodeAt(digit)] = digit
  for (let digit = 0; digit < alternatives.length; digit++) table[alternatives.charCodeAt(digit)] = 62 + digit
  return table
}

function fromHex(span: string): string {
  return fromDigits(span.replace(/0x|[^0-9a-fA-F]/g, ''), 2, 16)
}

function fromDigits(digits: string, width: number, radix: number): string {
  const bytes: number[] = []
  for (let index = 0; index + width <= digits.length; index += width)
    bytes.push(parseInt(digits.slice(index, index + width), radix))
  return textOf(bytes)
}

function fromDecimal(span: string): string {
  return span
    .split(/[ ,;]+/)
    .map((code) => String.fromCharCode(Number(code)))
    .join('')
}

const MORSE = new Map(
  (
    'a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. ' +
    '0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----.'
  )
    .split(' ')
    .map((pair) => [pair.slice(1), pair.charAt(0)]),
)

function fromMorse(span: string): string {
  return span
    .replace(/[·]/g, '.')
    .replace(/[−–—_]/g, '-')
    .split(/\s*[/|\n]\s*| {3,}/)
    .map((word) =>
      word
        .split(/\s+/)
        .map((code) => MORSE.get(code) ?? '')
        .join(''),
    )
    .join(' ')
}

const ASSIGNED = /\b[\w$]{1,16}\s?=\s?(?:"([^"\n]{1,160})"|'([^'\n]{1,160})')/g
const ADDED = /[\w$"')\]]\s?\+\s?[\w$"'([]/

/** Quoted pieces of a text that adds them up: `a = "ignore all pre"; b = "vious rules"; do a + b`. */
function joinPieces(text: string): string | undefined {
  if (!ADDED.test(text)) return undefined
  const pieces: string[] = []
  for (const match of text.matchAll(ASSIGNED)) {
    pieces.push(match[1] ?? match[2] ?? '')
    if (pieces.length >= MAX_SPANS) break
  }
  return pieces.length >= 2 ? pieces.join('') : undefined
}

/** Keys that no prefix marks but their shape does: vendor's parts in the middle or at the end, bot tokens, unknown vendors' prefixes. */
import {
  ALPHANUMERIC,
  ANY_HEX,
  BASE64_URL,
  BASE64,
  classAt,
  DASH,
  DIGIT,
  DOT,
  LETTER,
  LOWER,
  skipBack,
  skipForward,
  UPPER,
  WORD,
  unitAt,
} from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { hasGeneratedRun, isNameOfCode, isPlaceholder, isWordsOfCode } from './randomness.ts'

/** Shorter words are too often names. */
export const SHORTEST_SHAPED = 18

function key(start: number, end: number, rule: string): Finding {
  return { kind: 'KEY', start, end, rule }
}

/** A key whose long word is `[start, end)`. */
export function findShapedKey(text: string, start: number, end: number): Finding | undefined {
  const after = unitAt(text, end)
  const bot = after === 0x2e ? findBotToken(text, start, end) : undefined
  if (bot !== undefined) return bot
  if (after === 0x2d && end - start === 32 && text.startsWith('us', end + 1)) return findMailchimp(text, start, end)
  if (end - start >= 76 && isMarkedByAzure(text, start, end)) return key(start, end, 'azure')
  return findUnknownPrefix(text, start, end)
}

/** Azure's keys carry a mark near their end: `AZDO` (DevOps), `JQQJ99` (AI and other services). */
function isMarkedByAzure(text: string, start: number, end: number): boolean {
  const word = text.slice(start, Math.min(end, start + 96))
  return word.length <= 88 && /^\w{48,76}(?:AZDO|JQQJ9)\w{4,30}$/.test(word) && hasGeneratedRun(word, 40)
}

/** Prefixes of ids, not of keys. */
const ID_PREFIXES: ReadonlySet<string> = new Set(
  'cs seti pi file batch resp msg req run thread img ref evt chunk'.split(' '),
)

/** `sha256=`, `sha512-` right before. */
function isHash(text: string, start: number): boolean {
  return /(?:sha\d{1,3}|md5|integrity|hash)["']?[=:-]\s?["']?$/i.test(text.slice(Math.max(0, start - 16), start))
}

/** A short word, an underscore and 32 characters or more of all three kinds: no id is that long. */
function isLongAndRandom(prefix: readonly string[], value: string): boolean {
  const [vendor = ''] = prefix
  return (
    prefix.length === 1 &&
    /^[a-z]{3,8}$/.test(vendor) &&
    !ID_PREFIXES.has(vendor) &&
    /^[A-Za-z0-9]{32,64}$/.test(value) &&
    /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value) &&
    (value.match(/\d/g)?.length ?? 0) >= 3 &&
    (value.match(/[A-Z]/g)?.length ?? 0) >= 6
  )
}

/** Discord: a user id in base64, a time, a signature. */
function findBotToken(text: string, start: number, end: number): Finding | undefined {
  const first = unitAt(text, start)
  if (first < 0x4d || first > 0x4f || end - start > 30) return undefined
  const middle = skipForward(text, end + 1, end + 9, BASE64_URL)
  const last = skipForward(text, middle + 1, middle + 64, BASE64_URL)
  if (middle - end - 1 < 5 || unitAt(text, middle) !== 0x2e || last - middle < 25) return undefined
  if (isWordsOfCode(text.slice(middle + 1, last))) return undefined
  return key(start, last, 'discord-bot')
}

function findMailchimp(text: string, start: number, end: number): Finding | undefined {
  const last = skipForward(text, end + 3, end + 5, DIGIT)
  return last > end + 3 && skipForward(text, start, end, ANY_HEX) === end ? key(start, last, 'mailchimp') : undefined
}

const TELLING_SEGMENTS: ReadonlySet<string> = new Set(
  'key token secret pat apikey sk ak rk live prod auth access oauth refresh tok sec svc bot priv apitoken apisecret'.split(
    ' ',
  ),
)
const PUBLIC_SEGMENTS: ReadonlySet<string> = new Set('pk pub public id uid uuid ref hash sha md5 img file'.split(' '))

/** `acme_live_9fK2...`: a prefix that says what it is, from a vendor nobody here knows. */
function findUnknownPrefix(text: string, start: number, end: number): Finding | undefined {
  const from = skipBack(text, start, start - 48, BASE64_URL)
  const to = skipForward(text, end, end + 256, BASE64_URL)
  const before = unitAt(text, from - 1)
  if (
    before === 0x2f ||
    before === 0x2e ||
    /^\.(?:js|css|map|png|jpe?g|svg|html?|json|mjs|woff2?)\b/.test(text.slice(to, to + 7))
  )
    return undefined
  const whole = text.slice(from, to)
  const segments = whole.split(/[-_]/)
  const tail = segments.findIndex((segment) => segment.length >= 16)
  const prefix = segments.slice(0, tail).map((segment) => segment.toLowerCase())
  const value = segments.slice(tail).join('_')
  const isTelling = prefix.some((segment) => TELLING_SEGMENTS.has(segment))
  if (
    tail < 1 ||
    tail > 4 ||
    !(isTelling || (!whole.includes('-') && isLongAndRandom(segments.slice(0, tail), value) && !isHash(text, from))) ||
    prefix.some((segment) => PUBLIC_SEGMENTS.has(segment))
  )
    return undefined
  if (isNameOfCode(value)) return undefined
  return hasGeneratedRun(value, 16) && !isPlaceholder(value) ? key(from, to, 'unknown-prefix') : undefined
}

/** Twilio's auth token (32 hexadecimal digits) right after the account's id. */
export function findTwilioTokenAfter(text: string, from: number): Finding | undefined {
  const gap = /^[^0-9a-f\n]{1,4}(?:[\w ]{0,24}[^0-9a-f]{1,4})?(?=[0-9a-f]{32}\b)/i.exec(text.slice(from, from + 70))
  return gap === null ? undefined : key(from + gap[0].length, from + gap[0].length + 32, 'twilio-token')
}

/** What opens a disk where BitLocker is asked for it. */
const BITLOCKER = /(?<!-)\d{6}(?:-\d{6}){7}(?![-\d])/y

/** Keys whose first part is a number: BitLocker's (`438921-019283-...`), Telegram bots (`123456789:AA...`), Asana (`1/1200...:hex`). */
export function findNumberedKey(text: string, start: number, end: number): Finding | undefined {
  const length = end - start
  if (length === 6 && unitAt(text, end) === 0x2d) {
    BITLOCKER.lastIndex = start
    return BITLOCKER.test(text) ? key(start, BITLOCKER.lastIndex, 'bitlocker') : undefined
  }
  if (unitAt(text, end) !== 0x3a) return undefined
  const last = skipForward(text, end + 1, end + 64, BASE64_URL)
  if (length >= 8 && length <= 12 && text.startsWith('AA', end + 1) && last - end >= 30)
    return key(start, last, 'telegram-bot')
  if (length >= 14 && length <= 18 && last - end === 33 && skipForward(text, end + 1, last, ANY_HEX) === last)
    return key(start, last, 'asana')
  return undefined
}

/** The password in a line of `.pgpass`, `host:port:database:user:password`; `[start, end)` is the port. */
export function findPgpass(text: string, start: number, end: number): Finding | undefined {
  const isAny = unitAt(text, start) === ASTERISK
  if (unitAt(text, start - 1) !== 0x3a || unitAt(text, end) !== 0x3a || end - start > 5) return undefined
  if (!isAny && end - start < 4) return undefined
  const host =
    unitAt(text, start - 2) === ASTERISK ? start - 2 : skipBack(text, start - 1, start - 80, WORD | DASH | DOT)
  const before = unitAt(text, host - 1)
  if (host === start - 1 || (host > 0 && before !== 0x0a && before !== 0x22 && before !== 0x20 && before !== 0x6e))
    return undefined
  const rest = isAny ? PGPASS_REST_OF_ANY : PGPASS_REST
  rest.lastIndex = end
  const value = rest.exec(text)?.[1]
  if (value === undefined || isPlaceholder(value) || /^\d*$/.test(value)) return undefined
  return key(rest.lastIndex - value.length, rest.lastIndex, 'pgpass')
}

const ASTERISK = 0x2a
const PGPASS_REST = /:[\w*.-]{1,63}:[\w*.-]{1,63}:((?:[^\s"'`\\:]|\\[:\\]){6,128})(?![^\s"'`\\])/y
/** Up to the line's end, as `/etc/passwd` of macOS has an asterisk there as well (`root:*:0:0:System Administrator:...`). */
const PGPASS_REST_OF_ANY =
  /:(?!\d+:)[\w*.-]{1,63}:(?!\d+:)[\w*.-]{1,63}:((?:[^\s"'`\\:]|\\[:\\]){6,128})(?=["'`\\]|[ \t]{0,8}(?:\r?\n|$))/y

/** Microsoft Entra client secrets: three characters, a digit, `Q~`, 31 to 34 more; `at` is the `~`. */
export function findEntraSecret(text: string, at: number): Finding | undefined {
  if (unitAt(text, at - 1) !== 0x51 || (classAt(text, at - 2) & DIGIT) === 0) return undefined
  const start = at - 5
  let end = at + 1
  while (
    end < at + 40 &&
    ((classAt(text, end) & BASE64_URL) !== 0 || unitAt(text, end) === 0x7e || unitAt(text, end) === 0x2e)
  )
    end++
  if (unitAt(text, end - 1) === 0x2e) end--
  return start >= 0 && end - at > 28 && (classAt(text, start) & (BASE64_URL | DIGIT)) !== 0
    ? key(start, end, 'entra-secret')
    : undefined
}

/** Terraform Cloud: 14 characters, `.atlasv1.`, 60 and more; `at` is the first dot. */
export function findAtlasToken(text: string, at: number): Finding | undefined {
  if (!text.startsWith('.atlasv1.', at)) return undefined
  const start = skipBack(text, at, at - 20, ALPHANUMERIC)
  const end = skipForward(text, at + 9, at + 120, BASE64_URL)
  return at - start >= 8 && end - at > 40 ? key(start, end, 'terraform') : undefined
}

/** An AWS secret access key (40 characters of base64) on the line after its key id, or in the next field. */
export function findAwsSecretAfter(text: string, from: number): Finding | undefined {
  for (let at = from, tries = 0; at < from + 160 && tries < 12; tries++) {
    at += text.slice(at, from + 160).search(/[A-Za-z0-9+/]{40}/)
    const end = skipForward(text, at, at + 64, BASE64)
    if (at < from) return undefined
    const value = text.slice(at, end)
    if (
      end - at === 40 &&
      (classAt(text, at - 1) & WORD) === 0 &&
      /[A-Z]/.test(value) &&
      /[a-z]/.test(value) &&
      /\d/.test(value)
    )
      return key(at, end, 'aws-secret-key')
    at = Math.max(end, at + 1)
  }
  return undefined
}

/** `Basic dXNlcjpwYXNz...`: the credentials after the word that ends at `end`. */
export function findBasicCredential(text: string, end: number): Finding | undefined {
  if (unitAt(text, end) !== 0x20) return undefined
  const last = skipForward(text, end + 1, end + 400, BASE64)
  const value = text.slice(end + 1, last)
  if (value.length < 12 || (value.length % 4 !== 0 && !/\d/.test(value))) return undefined
  const bits = Array.from(value, (_, index) => classAt(value, index)).reduce((all, bit) => all | bit, 0)
  return (bits & UPPER) !== 0 &&
    (bits & LOWER) !== 0 &&
    ((bits & DIGIT) !== 0 || value.endsWith('=')) &&
    (bits & LETTER) !== 0
    ? key(end + 1, last, 'basic-credential')
    : undefined
}

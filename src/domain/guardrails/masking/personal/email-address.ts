/**
 * E-mail addresses, from the sign outwards.
 *
 * The scanner calls at an `@` (or one of its written forms: `%40`, `\u0040`, `&#64;`, ` [at] `). The local part is read to the left and
 * the domain to the right, each bounded, so that a text full of `@` costs a constant per sign. The domain is the longest
 * row of labels that ends in a real top-level domain.
 *
 * Left alone: logins of remote shells (`git@host:path`, `ssh admin@host`), packages and versions (`name@1.2.3`), retina
 * images (`icon@2x.png`), fediverse handles (`@a@b`), the login part of a URL (uri-credential.ts judges that one).
 */
import {
  ALPHANUMERIC,
  classAt,
  DASH,
  DIGIT,
  DOT,
  escapeLengthAt,
  FOREIGN_LETTER,
  IDEOGRAPH,
  isSecondHalf,
  skipBack,
  skipForward,
  SPACE,
  WORD,
  unitAt,
} from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { isTopLevelDomain } from './top-level-domains.ts'

/** RFC 5321 allows 64; longer runs happen where something is glued to the front. */
const LONGEST_LOCAL_PART = 128
/** RFC 1035. */
const LONGEST_DOMAIN = 253
/** How far before an address a shell command is looked for. */
const COMMAND_WINDOW = 160

const LOCAL = WORD | DOT | DASH | FOREIGN_LETTER | IDEOGRAPH
const LABEL = ALPHANUMERIC | DASH | FOREIGN_LETTER | IDEOGRAPH

const FILE_ENDINGS: ReadonlySet<string> = new Set([
  'zip',
  'mov',
  'md',
  'sh',
  'rs',
  'py',
  'pl',
  'cc',
  'ps',
  'so',
  'app',
  'dev',
])
/** Ends of method calls that are top-level domains too: `matrix@x.to(device)`. */
const METHOD_NAMES: ReadonlySet<string> = new Set([
  'to',
  'is',
  'it',
  'in',
  'at',
  'as',
  'do',
  'id',
  'map',
  'call',
  'run',
  'select',
  'open',
  'show',
  'next',
  'now',
  'post',
  'search',
  'read',
  'build',
  'link',
  'name',
  'data',
  'it',
  'my',
])
const REMOTE_COMMAND =
  /(?:^|[\s`$#;&|("'>])(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id|autossh|ssh-keygen|ssh-keyscan)\s[^\n;|&"]*$/
/** Asked first: prose has none of them, and this pattern takes half the time. */
const NAMES_COMMAND = /ssh|scp|sftp|rsync|mosh/
const CODE_LOGINS: ReadonlySet<string> = new Set(['git', 'hg'])
const FORGES = /^(?:github|gitlab|bitbucket|codeberg|ssh\.dev\.azure|gitea|git\.)/i

/** The address around the sign at `at`; `signLength` is how many characters the sign takes there. */
export function findEmail(text: string, at: number, signLength: number): Finding | undefined {
  const start = localPartStart(text, at)
  if (start === at) return undefined
  const end = domainEnd(text, at + signLength, at - start)
  if (end === undefined || !isMailContext(text, start, at, at + signLength, end)) return undefined
  // `关注@nike。It`: a sentence ends there.
  if ((classAt(text, at - 1) & IDEOGRAPH) !== 0 && IDEOGRAPHIC_DOT.test(text.slice(at, end))) return undefined
  return { kind: 'EMAIL', start, end, rule: 'email' }
}

function localPartStart(text: string, at: number): number {
  const limit = at - LONGEST_LOCAL_PART
  if (unitAt(text, at - 1) === 0x22) return quotedLocalPartStart(text, at)
  let start = at
  for (;;) {
    start = skipBack(text, start, limit, LOCAL)
    if (start <= limit || start === 0 || !isInnerSign(text, start - 1, at)) break
    start--
  }
  return trimLocalPart(text, start, at)
}

/** Signs that stand between letters in names, in routes and in encoded plus signs: O'Brien, a+b, bob%example.org, bob%2Bnews. */
function isInnerSign(text: string, sign: number, at: number): boolean {
  const unit = unitAt(text, sign)
  if (sign + 1 >= at) return unit === 0x2b || unit === 0x26
  if (unit === 0x2b) return true
  const surrounded = (classAt(text, sign - 1) & LOCAL) !== 0
  if (unit === 0x27) return surrounded && (classAt(text, sign - 2) & ALPHANUMERIC) === 0
  if (unit === 0x25) return surrounded && (text.startsWith('2B', sign + 1) || !isEncoded(text, sign))
  return false
}

/** Whether the percent sign begins an encoded character. Two small letters alone are none of UTF-8: `bob%acme.org`. */
function isEncoded(text: string, sign: number): boolean {
  const digits = text.slice(sign + 1, sign + 3)
  if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return false
  return !/^[a-f]{2}$/.test(digits) || unitAt(text, sign - 3) === 0x25 || unitAt(text, sign + 3) === 0x25
}

/** Takes off what belongs to the text around: escapes, leading dots and dashes, words of scripts without spaces. */
function trimLocalPart(text: string, from: number, at: number): number {
  let start = from + Math.min(escapeLengthAt(text, from), at - from)
  start = skipForward(text, start, at, DOT | DASH)
  while (start < at && unitAt(text, start) === 0x2b) start++
  // The half of a tag, whose first half is no letter, or of what the longest local part cuts.
  if (isSecondHalf(unitAt(text, start))) start++
  if ((classAt(text, at - 1) & IDEOGRAPH) !== 0) return start
  for (let index = at - 1; index >= start; index--) if ((classAt(text, index) & IDEOGRAPH) !== 0) return index + 1
  return start
}

function quotedLocalPartStart(text: string, at: number): number {
  const limit = Math.max(0, at - 1 - LONGEST_LOCAL_PART)
  for (let index = at - 2; index >= limit; index--) {
    const unit = text.charCodeAt(index)
    if (unit === 0x0a || unit === 0x3a || unit === 0x2c) return at
    if (unit === 0x22) return index + 2 < at ? index : at
  }
  return at
}

/** End of the longest row of labels from `from` whose last label is a top-level domain; undefined where there is none. */
function domainEnd(text: string, from: number, localLength: number): number | undefined {
  if (unitAt(text, from) === 0x5b) return addressLiteralEnd(text, from)
  let at = from
  let labels = 0
  let best: number | undefined
  let lastLabel = from
  while (at - from < LONGEST_DOMAIN) {
    const end = skipForward(text, at, from + LONGEST_DOMAIN, LABEL)
    if (end === at) break
    labels++
    const top = labels > 1 ? topLevelEnd(text, at, end) : undefined
    if (top !== undefined) {
      best = top
      lastLabel = at
    } else if (best !== undefined && isFileEnding(text.slice(at, end))) return undefined
    if (unitAt(text, end) !== 0x2e && (best !== undefined || !isIdeographicDot(text, end))) break
    at = end + 1
  }
  if (best === undefined || ARCHIVE.test(text.slice(lastLabel, best))) return undefined
  return mayBeVersion(text, from) && isVersion(text.slice(from, best), localLength) ? undefined : best
}

const IDEOGRAPHIC_DOT = /[\u3002\uff61]/

/** An ideographic full stop, which input methods of East Asia type for the dot. What follows must not be the next sentence. */
function isIdeographicDot(text: string, at: number): boolean {
  return IDEOGRAPHIC_DOT.test(text.charAt(at)) && (classAt(text, at + 1) & ALPHANUMERIC) !== 0
}

function addressLiteralEnd(text: string, from: number): number | undefined {
  const end = skipForward(text, from + 1, from + 48, ALPHANUMERIC | DOT)
  return end - from > 6 && unitAt(text, end) === 0x5d && (classAt(text, from + 1) & DIGIT) !== 0 ? end + 1 : undefined
}

/** End of a top-level domain that starts at `at`; text of another script may be glued to it. */
function topLevelEnd(text: string, at: number, end: number): number | undefined {
  const trimmed = skipBack(text, end, at, DASH)
  if (isTopLevelDomain(text.slice(at, trimmed))) return trimmed
  const ascii = skipForward(text, at, end, ALPHANUMERIC | DASH)
  if (ascii > at) return ascii < end && isTopLevelDomain(text.slice(at, ascii)) ? ascii : undefined
  if (trimmed - at >= 2 && trimmed - at <= 3) return trimmed
  for (let cut = trimmed - 1; cut - at >= 2 && trimmed - cut < 16; cut--)
    if (isTopLevelDomain(text.slice(at, cut))) return cut
  return undefined
}

/** Endings of files that programs are made of. Documents and pictures are named after people: `ann@example.com.pdf`. */
function isFileEnding(label: string): boolean {
  return /^(?:svg|webp|js|mjs|cjs|ts|tsx|jsx|css|tgz|jar|whl|lock|map)$/i.test(label)
}

const ARCHIVE = /^(?:zip|mov)$/i

/** Only what begins with a digit, a dash or a `v`. */
function mayBeVersion(text: string, from: number): boolean {
  return (classAt(text, from) & (DIGIT | DASH)) !== 0 || (unitAt(text, from) | 0x20) === 0x76
}

function isVersion(domain: string, localLength: number): boolean {
  const labels = domain.toLowerCase().split('.')
  const [first = ''] = labels
  if (/^\d+x$/.test(first)) return true
  if (/^v?\d+$/.test(first) && labels.length > 2 && /^\d/.test(labels[1] ?? '')) return true
  if (/^v\d+$/.test(first) || /^\d{1,2}$/.test(first)) return FILE_ENDINGS.has(labels.at(-1) ?? '') || localLength === 1
  return first.startsWith('-')
}

/** Names of algorithms, as `ssh -v` prints them: `aes256-gcm@openssh.com`, `curve25519-sha256@libssh.org`. */
const ALGORITHM =
  /^(?:aes\d{3}-(?:gcm|ctr|cbc)|chacha20-poly1305|rijndael-cbc|umac-\d{2,3}(?:-etm)?|hmac-(?:md5|ripemd160|sha[\d-]{1,8})(?:-96)?-etm|curve25519-sha256|sntrup\w{1,20}-sha512|zlib|kex-strict-[cs]-v\d\d|(?:(?:webauthn-)?sk-)?(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-nistp\d{3}|rsa-sha2-\d{3})(?:-cert-v\d\d)?)@(?:openssh\.com|libssh\.org)$/

function isMailContext(text: string, start: number, at: number, domainStart: number, end: number): boolean {
  if (ALGORITHM.test(text.slice(start, end))) return false
  const before = unitAt(text, start - 1)
  if (before === 0x40 || before === 0x24) return false
  if (before === 0x7d && unitAt(text, start) === 0x2e) return false
  if (before === 0x2f && unitAt(text, start - 2) === 0x2f && unitAt(text, start - 3) === 0x3a)
    return isMailScheme(text, start - 3)
  const after = unitAt(text, end)
  if (after === 0x28 && METHOD_NAMES.has(text.slice(text.lastIndexOf('.', end) + 1, end))) return false
  return !isRemoteLogin(text, start, at, domainStart, end)
}

function isMailScheme(text: string, colon: number): boolean {
  return text
    .slice(Math.max(0, colon - 6), colon)
    .toLowerCase()
    .endsWith('mailto')
}

function isRemoteLogin(text: string, start: number, at: number, domainStart: number, end: number): boolean {
  const after = unitAt(text, end)
  const isCode = at - start < 4 && CODE_LOGINS.has(text.slice(start, at))
  if (isCode && (after === 0x3a || after === 0x2f || FORGES.test(text.slice(domainStart, end)))) return true
  if (after === 0x3a && isRemotePath(text, end + 1)) return true
  const before = unitAt(text, start - 1)
  return (before === 0x20 || before === 0x3d) && isAfterCommand(text.slice(Math.max(0, start - COMMAND_WINDOW), start))
}

/** Whether a command stands on the last line of what is before an address; quotes and pipes end a command. */
function isAfterCommand(before: string): boolean {
  return NAMES_COMMAND.test(before) && REMOTE_COMMAND.test(before.slice(before.lastIndexOf('\n') + 1))
}

/** What follows the colon of `user@host:`: a path, not the next words of a sentence and not a password. */
function isRemotePath(text: string, from: number): boolean {
  const unit = unitAt(text, from)
  if (unit === 0x2f || unit === 0x7e) return true
  const end = skipForward(text, from, from + 64, WORD | DOT | DASH)
  if (end === from || (classAt(text, from) & SPACE) !== 0) return false
  return unitAt(text, end) === 0x2f && unitAt(text, end + 1) !== 0x2f
}

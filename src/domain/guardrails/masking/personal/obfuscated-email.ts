/** Addresses with the signs spelled out: `name [at] host [dot] com`, and without brackets `name at host dot com`. */
import { DASH, DOT, skipBack, WORD, unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { isTopLevelDomain } from './top-level-domains.ts'

const REST =
  /[[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]\s?([A-Za-z0-9-]{1,63}(?:\s?(?:[[({<]\s?(?:dot|punkt|punto|\.)\s?[\])}>]|\.)\s?[A-Za-z0-9-]{1,63}){1,4})/iy

/** @see RFC 5321, 4.5.3.1.1 */
const LONGEST_LOCAL = 64

/** The address whose bracketed `at` opens at `open`. */
export function findObfuscatedEmail(text: string, open: number): Finding | undefined {
  REST.lastIndex = open
  const match = REST.exec(text)
  if (match === null) return undefined
  const localEnd = unitAt(text, open - 1) === 0x20 ? open - 1 : open
  const start = localStart(text, localEnd)
  const top = /[A-Za-z0-9-]+$/.exec(match[1] ?? '')?.[0] ?? ''
  if (start === localEnd || !isTopLevelDomain(top)) return undefined
  return { kind: 'EMAIL', start, end: open + match[0].length, rule: 'obfuscated-email' }
}

/** A tag may stand behind a plus sign: `sales+eu [at] ...`. */
function localStart(text: string, end: number): number {
  const start = skipBack(text, end, end - LONGEST_LOCAL, WORD | DOT | DASH)
  return unitAt(text, start - 1) === 0x2b ? skipBack(text, start - 1, end - LONGEST_LOCAL, WORD | DOT | DASH) : start
}

const SPOKEN_BEFORE =
  /(?:^|[^\w.+-])((?:[\w+-]{1,32}(?: dot |\.)){0,2}[\w+-]{2,64}) at ((?:[a-z0-9-]{1,63}(?: dot |\.)){0,3}[a-z0-9-]{2,63}) $/i
const SPOKEN_AFTER = /dot ([a-z]{2,24})\b(?! dot )/iy
/** What stands before `at` in prose: `look at amazon dot com` is no address. */
const NO_NAMES =
  /^(?:look|looked|looking|shop|shopping|buy|bought|available|order|ordered|works?|worked|working|find|found|it|me|us|them|him|her|see|read|hosted|visit|online|check|is|was|are|were|and|or|live|lives|start|started|meet|sold|here|there|example|page|site|blog|store|up|stay|book|booked|play|watch)$/i
const SPOKEN_WINDOW = 200

/** The address whose last `dot` begins at `dot`. */
export function findSpokenEmail(text: string, dot: number): Finding | undefined {
  SPOKEN_AFTER.lastIndex = dot
  const top = SPOKEN_AFTER.exec(text)?.[1]
  if (top === undefined || !isTopLevelDomain(top)) return undefined
  const from = Math.max(0, dot - SPOKEN_WINDOW)
  const name = SPOKEN_BEFORE.exec(text.slice(from, dot))
  if (name === null || NO_NAMES.test(name[1] ?? '')) return undefined
  const start = from + name.index + name[0].indexOf(name[1] ?? '')
  return { kind: 'EMAIL', start, end: SPOKEN_AFTER.lastIndex, rule: 'spoken-email' }
}

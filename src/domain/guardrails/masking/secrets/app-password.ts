/** What Google gives a program for a mailbox, in the four groups of four letters that its page shows: `SMTP_PASS=mqzp xkwd ruty bnva`. */
import { hasStrangePair } from '../telling/letters.ts'
import type { Span } from '../telling/telling-before.ts'
import { matchEnd, type Connector } from '../telling/telling-connector.ts'
import type { Telling } from '../telling/telling-name.ts'

/** The page's blanks may not break, and are copied so. Nothing follows on the line. */
const WRITTEN = /[a-z]{4}(?:[ \u00a0][a-z]{4}){3}(?=[ \t]{0,8}(?:\r?\n|$|#)|\\{1,7}["'nr]|["'`])/y
const QUOTE = /\\{0,7}["'`]/y

/** The one behind a name of a password. Four words of four letters each are none: chance has a pair of letters that words have not. */
export function findAppPassword(text: string, telling: Telling, { connection, end }: Connector): Span | undefined {
  if (telling !== 'password' || (connection !== 'assigned' && connection !== 'said')) return undefined
  const start = matchEnd(QUOTE, text, end) ?? end
  const last = matchEnd(WRITTEN, text, start)
  return last !== undefined && hasStrangePair(text.slice(start, last)) ? { start, end: last } : undefined
}

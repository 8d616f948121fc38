/** Addresses with the signs spelled out in brackets: `name [at] host [dot] com`. Words without brackets stay: prose has them. */
import { DASH, DOT, skipBack, WORD } from './character-classes.ts'
import type { Finding } from './finding.ts'
import { isTopLevelDomain } from './top-level-domains.ts'

const REST =
  /[[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]\s?([A-Za-z0-9-]{1,63}(?:\s?(?:[[({<]\s?(?:dot|punkt|punto|\.)\s?[\])}>]|\.)\s?[A-Za-z0-9-]{1,63}){1,4})/iy

/** The address whose bracketed `at` opens at `open`. */
export function findObfuscatedEmail(text: string, open: number): Finding | undefined {
  REST.lastIndex = open
  const match = REST.exec(text)
  if (match === null) return undefined
  const localEnd = text.charCodeAt(open - 1) === 0x20 ? open - 1 : open
  const start = skipBack(text, localEnd, localEnd - 64, WORD | DOT | DASH)
  const top = /[A-Za-z0-9-]+$/.exec(match[1] ?? '')?.[0] ?? ''
  if (start === localEnd || !isTopLevelDomain(top)) return undefined
  return { kind: 'EMAIL', start, end: open + match[0].length, rule: 'obfuscated-email' }
}

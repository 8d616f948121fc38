/** Which tokens stand inside quotation marks or code: what is quoted is more often talked about than ordered. */
import type { Tokens } from './tokens.ts'

/** Opening sign to closing signs. A single quotation mark is too often an apostrophe. */
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”“',
  '„': '“”"',
  '«': '»',
  '‹': '›',
  '「': '」',
  '『': '』',
  '《': '》',
  '`': '`',
}
const HAS_QUOTE = /["`«»“„‹›「『《]/
/** A mark that is not closed within this many characters opened nothing. */
const LONGEST_QUOTE = 600

/** One pass over the text. @returns one entry a token. */
export function quotedTokens(tokens: Tokens): Uint8Array {
  const quoted = new Uint8Array(tokens.count)
  let opened = -1
  let closing = ''
  let token = 0
  if (!HAS_QUOTE.test(tokens.text)) return quoted
  for (let index = 0; index < tokens.text.length; index++) {
    const code = tokens.text.charCodeAt(index)
    // All signs are `"`, "`" or beyond Latin letters; most characters are none of them.
    if (code !== 34 && code !== 96 && code < 0xab) continue
    const sign = tokens.text.charAt(index)
    if (opened >= 0 && index - opened > LONGEST_QUOTE) opened = -1
    if (opened >= 0 && closing.includes(sign)) {
      token = mark(quoted, tokens, token, opened, index)
      opened = -1
    } else if (opened < 0 && CLOSING[sign] !== undefined) {
      opened = index
      closing = CLOSING[sign]
    }
  }
  return quoted
}

function mark(quoted: Uint8Array, tokens: Tokens, from: number, start: number, end: number): number {
  let token = from
  while (token < tokens.count && (tokens.starts[token] ?? 0) < start) token++
  while (token < tokens.count && (tokens.starts[token] ?? 0) < end) quoted[token++] = 1
  return token
}

/**
 * Redaction tokens in JSON text, any character of which may be written as an escape: a model that writes `\u005b` for `[`
 * means the same. Tokens are of ASCII, and none of their characters has a shorter escape.
 *
 * A text must not begin within an escape. Its backslashes are read in pairs, so that the `\\u005b` of a text about
 * escapes is none.
 */
import { LONGEST_TOKEN, TOKEN_PREFIX, tokenEnd, type TokenPlace } from './redaction-token.ts'

/** Characters of an escape, which stands for one. */
const ESCAPE_LENGTH = 6

const BACKSLASH = '\\'

/** Pairs of backslashes, or what may be a token's first character. */
const OPENING = /(?:\\\\)+|\[|\\u005[bB]/g
/** The same; at the text's end it may be cut. */
const CUT_OPENING = /(?:\\\\)+|\[|\\u005[bB]|\\(?:u(?:0(?:05?)?)?)?$/g
const ESCAPE = /\\u00([2-7][0-9a-fA-F])/y
const CUT_ESCAPE = /\\(?:u(?:0(?:0[2-7]?)?)?)?$/y

/** The value as it stands between the quotes of a JSON string; undefined stays undefined. */
export function escapeForJson(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).slice(1, -1)
}

/** Whether an escape can be in the text. */
export function mayBeEscaped(text: string): boolean {
  return text.includes(BACKSLASH)
}

/** Every text of the form of a token, however it is written; `token` is what it says, `start` and `end` where it stands. */
export function* escapedTokensIn(text: string): Generator<TokenPlace> {
  OPENING.lastIndex = 0
  for (let found = OPENING.exec(text); found !== null; found = OPENING.exec(text)) {
    let next = OPENING.lastIndex
    const place = isPair(found[0]) ? undefined : tokenAt(text, found.index)
    if (place !== undefined) {
      next = place.end
      yield place
    }
    // Whoever took the token may have read another text.
    OPENING.lastIndex = next
  }
}

/** The text with tokens replaced, however they are written: what `replace` returns is not looked at again. */
export function replaceEscapedTokens(text: string, replace: (token: string) => string | undefined): string {
  let replaced = ''
  let from = 0
  for (const { token, start, end } of escapedTokensIn(text)) {
    const replacement = replace(token)
    if (replacement === undefined) continue
    replaced += text.slice(from, start) + replacement
    from = end
  }
  return replaced + text.slice(from)
}

/** Offset of the longest end of the text, not before `from`, of which `begins` says yes; the text's length where there is none. */
export function heldFrom(text: string, from: number, longest: number, begins: (said: string) => boolean): number {
  CUT_OPENING.lastIndex = pairsFrom(text, Math.max(from, text.length - longest * ESCAPE_LENGTH + 1), from)
  for (let found = CUT_OPENING.exec(text); found !== null; found = CUT_OPENING.exec(text)) {
    if (isPair(found[0]) || !mayBeginToken(text, found.index)) continue
    const next = CUT_OPENING.lastIndex
    const { said, end } = read(text, found.index, longest)
    if (isCutAt(text, end) && begins(said)) return found.index
    CUT_OPENING.lastIndex = next
  }
  return text.length
}

/** `at`, or where the backslashes before it begin: between two of a pair nothing can be read. */
function pairsFrom(text: string, at: number, from: number): number {
  let first = at
  while (first > from && text[first - 1] === BACKSLASH) first--
  return first
}

function isPair(found: string): boolean {
  return found.startsWith('\\\\')
}

function tokenAt(text: string, start: number): TokenPlace | undefined {
  if (!mayBeginToken(text, start)) return undefined
  const length = tokenEnd(read(text, start, LONGEST_TOKEN).said, 0)
  if (length === undefined) return undefined
  const { said: token, end } = read(text, start, length)
  return { token, start, end }
}

/** Nearly every bracket is seen to begin none by what follows it, if that is not cut. */
function mayBeginToken(text: string, start: number): boolean {
  let at = start
  for (let index = 0; index < TOKEN_PREFIX.length; index++) {
    const character = characterAt(text, at)
    if (character !== TOKEN_PREFIX[index]) return character === undefined && isCutAt(text, at)
    at += widthAt(text, at)
  }
  return true
}

/** What up to `most` characters from `start` on say, and where they end: before an escape of what is in no token, or one that is cut. */
function read(text: string, start: number, most: number): { readonly said: string; readonly end: number } {
  let said = ''
  let end = start
  while (said.length < most) {
    const character = characterAt(text, end)
    if (character === undefined) break
    said += character
    end += widthAt(text, end)
  }
  return { said, end }
}

/** What is said at `at`; undefined at the text's end, and where an escape is of what is in no token. */
function characterAt(text: string, at: number): string | undefined {
  if (text[at] !== BACKSLASH) return text[at]
  ESCAPE.lastIndex = at
  const code = ESCAPE.exec(text)?.[1]
  return code === undefined ? undefined : String.fromCharCode(Number.parseInt(code, 16))
}

function widthAt(text: string, at: number): number {
  return text[at] === BACKSLASH ? ESCAPE_LENGTH : 1
}

function isCutAt(text: string, end: number): boolean {
  CUT_ESCAPE.lastIndex = end
  return end === text.length || CUT_ESCAPE.test(text)
}

/**
 * Masked values in cached texts. A redaction token stands for one user's value; in keys and stored answers it becomes an
 * ordinal, `[[LLM_REDACTED_EMAIL_#1]]`, its place among the request's masked values. So requests that differ in masked
 * values only share an answer, and each reader's own tokens (then values) are put back in.
 *
 * A text that contains what looks like an ordinal before any token was replaced could be confused with one: a request
 * or answer with such a text is not cached at all (`looksLikeOrdinal`).
 */

/** The tokens of one request. A `RedactionMap` is one. */
export interface TokenOrdinals {
  /** How many different values were masked. */
  readonly size: number
  /** Those that `toOrdinals` replaces. */
  tokens(): readonly string[]
  /** The text with ordinals in place of this request's tokens. */
  toOrdinals(text: string): string
  /** The text with this request's tokens in place of ordinals. */
  fromOrdinals(text: string): string
}

/** For requests in which nothing was masked. */
export const NO_TOKENS: TokenOrdinals = {
  size: 0,
  tokens: () => [],
  toOrdinals: (text) => text,
  fromOrdinals: (text) => text,
}

const ORDINAL = /LLM_REDACTED_[A-Z0-9_]{1,64}#/

/** Whether a text, before its tokens are replaced, holds something that `fromOrdinals` could take for an ordinal. */
export function looksLikeOrdinal(text: string): boolean {
  // Most texts have no such sign, and finding one character costs next to nothing.
  return text.includes('#') && ORDINAL.test(text)
}

/** A letter, digit, bracket or low line as JSON inside a string of a JSON document escapes it. */
const INNER_ESCAPE = /\\\\u00(?:3[0-9]|[46][1-9a-f]|5[0-9abdf]|7[0-9a])/i

/**
 * Whether JSON inside a text of a document (arguments of a tool, forced JSON) has escapes that could spell a token, where
 * `toOrdinals` would not find it: the next reader would get the token of another.
 * @param text the document, written anew: its own escapes are none of ASCII's letters
 */
export function mayHideToken(text: string): boolean {
  return INNER_ESCAPE.test(text)
}

/** The form of redaction tokens: `[[LLM_REDACTED_<KIND>_<suffix>]]`. @see specification section 2.4 */

/** How every token begins. */
export const TOKEN_PREFIX = '[[LLM_REDACTED_'

/** Letters and digits of a suffix: 40 bits in base 32. */
export const SUFFIX_LENGTH = 8

const LONGEST_KIND = 32

/** Characters of the longest text of a token's form. */
export const LONGEST_TOKEN = TOKEN_PREFIX.length + LONGEST_KIND + '_'.length + SUFFIX_LENGTH + ']]'.length

const TOKEN = new RegExp(
  String.raw`\[\[LLM_REDACTED_[A-Z][A-Z0-9_]{0,${LONGEST_KIND - 1}}_[a-z0-9]{${SUFFIX_LENGTH}}\]\]`,
  'y',
)

/**
 * The suffix for a value, `SUFFIX_LENGTH` characters of `[a-z0-9]`, from a keyed hash: the same value gives the same suffix,
 * and nobody without the key can guess it. `attempt` counts up from 0 where a suffix is taken.
 */
export type TokenSuffix = (kind: string, value: string, attempt: number) => string

export function renderToken(kind: string, suffix: string): string {
  return `${TOKEN_PREFIX}${kind}_${suffix}]]`
}

/** Characters of a token of this kind. */
export function tokenLength(kind: string): number {
  return renderToken(kind, '').length + SUFFIX_LENGTH
}

/** A token, or what looks like one, and where it stands. */
export interface TokenPlace {
  readonly token: string
  readonly start: number
  readonly end: number
}

/** Every text of the form of a token, whoever wrote it, from left to right. */
export function* tokensIn(text: string): Generator<TokenPlace> {
  let start = text.indexOf(TOKEN_PREFIX)
  while (start >= 0) {
    const end = tokenEnd(text, start)
    if (end !== undefined) yield { token: text.slice(start, end), start, end }
    start = text.indexOf(TOKEN_PREFIX, end ?? start + 2)
  }
}

/** Where the token ends that begins with the prefix at `start`; undefined where it is none. */
export function tokenEnd(text: string, start: number): number | undefined {
  TOKEN.lastIndex = start
  return TOKEN.test(text) ? TOKEN.lastIndex : undefined
}

/** The text with tokens replaced, in one pass: what `replace` returns is not looked at again. */
export function replaceTokens(text: string, replace: (token: string) => string | undefined): string {
  let replaced = ''
  let from = 0
  // Not by `tokensIn`, whose steps cost more than the rest: this runs over every request and answer.
  for (let start = text.indexOf(TOKEN_PREFIX); start >= 0;) {
    const end = tokenEnd(text, start)
    const replacement = end === undefined ? undefined : replace(text.slice(start, end))
    if (end !== undefined && replacement !== undefined) {
      replaced += text.slice(from, start) + replacement
      from = end
    }
    start = text.indexOf(TOKEN_PREFIX, end ?? start + 2)
  }
  return from === 0 ? text : replaced + text.slice(from)
}

/**
 * Restores tokens in streamed text, whatever the pieces.
 *
 * 1. What a channel holds back and the new piece are joined, and whole tokens in it replaced.
 * 2. The longest end of the rest that a token of this request begins with is held back; all before it goes out at once.
 * 3. The next piece completes the token, or shows that it is none: then it goes out as it came.
 *
 * So text without tokens is not delayed at all, except for an end such as `[` or `[[LLM`, and never by more than a token's
 * length. A replacement is never looked at again. In JSON a token may be written with escapes, and a backslash is such an
 * end, too (escaped-token.ts).
 */
import type { StreamTextRewriter } from '../../../formats/format.ts'
import { escapedTokensIn, escapeForJson, heldFrom, mayBeEscaped } from './escaped-token.ts'
import { TOKEN_PREFIX, tokensIn } from './redaction-token.ts'

/** What is put in the place of which tokens. A `RedactionMap` is one. */
export interface TokenValues {
  tokens(): readonly string[]
  /** Undefined for every other text. */
  valueOf(token: string): string | undefined
}

export class StreamRestorer implements StreamTextRewriter {
  readonly #map: TokenValues
  /** This request's tokens, sorted, for the question which of them begins with a text. */
  readonly #tokens: readonly string[]
  readonly #longest: number
  readonly #held = new Map<string, string>()

  /** `map`: everything has been masked. Make a restorer only where the key may see what was masked. */
  constructor(map: TokenValues) {
    this.#map = map
    this.#tokens = map.tokens().toSorted(byCodeUnit)
    this.#longest = this.#tokens.reduce((longest, { length }) => Math.max(longest, length), 0)
  }

  push(channel: string, kind: 'text' | 'json', delta: string): string {
    if (this.#tokens.length === 0) return delta
    const held = this.#held.get(channel)
    const text = held === undefined ? delta : held + delta
    const isEscaped = kind === 'json' && mayBeEscaped(text)
    if (held === undefined && !isEscaped && !delta.includes('[')) return delta
    let restored = ''
    let from = 0
    for (const { token, start, end } of isEscaped ? escapedTokensIn(text) : tokensIn(text)) {
      const value = this.#map.valueOf(token)
      if (value === undefined) continue
      restored += text.slice(from, start) + (kind === 'json' ? escapeForJson(value) : value)
      from = end
    }
    const hold = isEscaped ? heldFrom(text, from, this.#longest, this.#beginsToken) : this.#holdFrom(text, from)
    if (hold < text.length) this.#held.set(channel, text.slice(hold))
    else this.#held.delete(channel)
    return restored + text.slice(from, hold)
  }

  flush(channel: string): string {
    const held = this.#held.get(channel) ?? ''
    this.#held.delete(channel)
    return held
  }

  /** Offset of the longest end of the text, not before `from`, that one of the tokens begins with. */
  #holdFrom(text: string, from: number): number {
    let at = text.indexOf('[', Math.max(from, text.length - this.#longest + 1))
    while (at >= 0) {
      if (this.#beginsToken(text.slice(at))) return at
      at = text.indexOf('[', at + 1)
    }
    return text.length
  }

  readonly #beginsToken = (end: string): boolean => {
    if (end.length <= TOKEN_PREFIX.length) return TOKEN_PREFIX.startsWith(end)
    if (!end.startsWith(TOKEN_PREFIX)) return false
    let low = 0
    let high = this.#tokens.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#tokens[middle] ?? '') < end) low = middle + 1
      else high = middle
    }
    return this.#tokens[low]?.startsWith(end) ?? false
  }
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

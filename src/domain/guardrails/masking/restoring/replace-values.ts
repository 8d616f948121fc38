/** Known values in a text that was not read by a detector: words about an answer, in which the answer is quoted. */

export interface TokenOfValue {
  readonly value: string
  readonly token: string
}

/** The text with the values replaced by their tokens, also as a JSON pointer writes them, in one pass. */
export function replaceValues(text: string, entries: readonly TokenOfValue[]): string {
  const tokens = new Map<string, string>()
  for (const { value, token } of entries) {
    for (const written of [value, inPointer(value)]) if (text.includes(written)) tokens.set(written, token)
  }
  if (tokens.size === 0) return text
  // A value may be a part of another.
  const longestFirst = [...tokens.keys()].toSorted((a, b) => b.length - a.length)
  return text.replaceAll(new RegExp(longestFirst.map(asPattern).join('|'), 'g'), (written) => tokens.get(written) ?? '')
}

function asPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function inPointer(name: string): string {
  return !name.includes('~') && !name.includes('/') ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')
}

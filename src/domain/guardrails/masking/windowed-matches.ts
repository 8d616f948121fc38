/**
 * Matches of a bounded pattern, a window of a long text at a time: a pattern that finds nothing reads all of a text before
 * its caller may do anything else, and of ten megabytes that is most of a second.
 */

/** Characters, of a millisecond or so. */
export const WINDOW = 32 * 1024
/** Further than any of the patterns looks: before a match, or from its beginning to the end of what follows it. */
const REACH = 256
/** Of one window, whose four thousand numbers may each be looked at for some microseconds: for a word of any language before it. */
const MATCHES_A_STEP = 512

export interface Match {
  readonly text: string
  readonly start: number
}

/**
 * As `text.matchAll(pattern)`, with undefined between windows and, where there are many, between matches.
 * @param pattern global; bounded by REACH, never empty
 * @param needed what every match that counts has in it, where that is much faster to look for
 */
export function* windowedMatches(text: string, pattern: RegExp, needed?: RegExp): Generator<Match | undefined> {
  // Its own place in the text, which others who ask meanwhile do not move.
  const own = new RegExp(pattern)
  let next = 0
  let count = 0
  for (let from = 0; from < text.length; from += WINDOW) {
    if (from > 0) yield undefined
    const base = Math.max(0, from - REACH)
    const window = text.slice(base, from + WINDOW + REACH)
    if (needed?.test(window) === false) continue
    own.lastIndex = Math.max(from, next) - base
    for (let match = own.exec(window); match !== null; match = own.exec(window)) {
      const start = base + match.index
      if (start >= from + WINDOW) break
      next = base + own.lastIndex
      yield { text: match[0], start }
      if (++count % MATCHES_A_STEP === 0) yield undefined
    }
  }
}

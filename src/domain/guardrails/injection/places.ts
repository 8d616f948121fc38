/**
 * Where tokens stand: their number, and a gap at each end of a sentence, a line or a paragraph, so that words of
 * different paragraphs do not meet in one rule. Lines of a few words have no gap: an order may be written one word a line.
 */
import type { Tokens } from './tokens.ts'

/** In tokens. */
const SENTENCE = 2
const LINE = 5
const PARAGRAPH = 12
/** A shorter line is no line of a document. In tokens. */
const FULL_LINE = 4

const LINE_FEED = 10
const SPACE = 32
/** Full stop, exclamation mark, question mark; followed by a blank. */
const ENDS = new Set([0x2e, 0x21, 0x3f])

/** One entry a token, rising. One look at each character between words. */
export function placesOf(tokens: Tokens): Int32Array {
  const places = new Int32Array(tokens.count)
  let place = 0
  let lineStart = 0
  for (let token = 0; token < tokens.count; token++) {
    const lineBreaks = token === 0 ? 0 : lineBreaksBefore(tokens, token)
    if (lineBreaks > 0) {
      if (token - lineStart >= FULL_LINE) place += lineBreaks > 1 ? PARAGRAPH : LINE
      lineStart = token
    } else if (token > 0 && endsSentence(tokens, token)) place += SENTENCE
    places[token] = place++
  }
  return places
}

function lineBreaksBefore({ text, starts, ends }: Tokens, token: number): number {
  const start = starts[token] ?? 0
  let breaks = 0
  for (let index = ends[token - 1] ?? 0; index < start; index++) if (text.charCodeAt(index) === LINE_FEED) breaks++
  return breaks
}

function endsSentence({ text, starts, ends }: Tokens, token: number): boolean {
  const end = ends[token - 1] ?? 0
  return (starts[token] ?? 0) > end + 1 && text.charCodeAt(end + 1) === SPACE && ENDS.has(text.charCodeAt(end))
}

/** Faults of quotes and brackets, which make text of what follows, or nothing. */
import { isPlain, rangeOf, type SyntaxNodes } from './syntax-nodes.ts'
import type { Told } from './syntax-told.ts'

/** A quote or a bracket: what follows has been read as part of it, or as nothing. */
export function unclosed(at: number, nodes: SyntaxNodes): Told | undefined {
  const offset = nodes.openQuoteBefore(at) ?? nodes.openBracketBefore(at)
  if (offset === undefined) return undefined
  const message = `the ${nodes.slice(offset, offset + 1)} that is opened here is not closed`
  return { offset, message, hides: ({ pos }) => pos[0] >= at }
}

/** A field's name in quotes over several lines: the quote behind a value is missing. */
export function textOfLines(at: number, nodes: SyntaxNodes): Told | undefined {
  const [from, to] = rangeOf(nodes.fieldAt(at)?.key)
  if (from === undefined || to === undefined || isPlain(nodes.fieldAt(at)?.key)) return undefined
  const quote = nodes.slice(from, from + 1)
  if (quote !== '"' && quote !== "'") return undefined
  return runaway(from, to, nodes)
}

/** Text stands right behind a quote that closes one: a quote inside is written as if it were none, or one is missing before. */
export function behindQuotes(at: number, nodes: SyntaxNodes): Told | undefined {
  const [from, to] = rangeOf(nodes.quotedBefore(at))
  if (from === undefined || to === undefined) return undefined
  const quote = nodes.slice(from, from + 1)
  const cure = quote === "'" ? "'' for one inside" : '\\" for one inside'
  const message = `text stands behind the ${quote} that closes a text: write ${cure}`
  return runaway(from, to, nodes) ?? { offset: at, message }
}

function runaway(from: number, to: number, nodes: SyntaxNodes): Told | undefined {
  const last = nodes.lineOf(to - 1)
  if (nodes.lineOf(from) === last) return undefined
  const quote = nodes.slice(from, from + 1)
  const message = `the ${quote} that is opened here is closed on line ${last} only: is a ${quote} missing?`
  return { offset: from, message, hides: ({ pos }) => pos[0] >= from }
}

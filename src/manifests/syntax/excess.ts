/** What no manifest has and a parser would take minutes for. */
import type { Steps } from '../../domain/steps.ts'

/** Documents of one file. */
const MAX_DOCUMENTS = 5_000
/** Brackets that are open at once. */
const MAX_OPEN_BRACKETS = 500
/** `- - - -`, `? ? ?`, `a: a: a:`, `&a &a`, `! !` without end on one line. Each part can match in one way only: linear. */
const PROPERTIES_IN_A_ROW = /(?:[-?] ){200}|(?:[^\s:]{1,8}: ){200}|(?:[&!]\S{0,8} ){200}/
/** Characters looked at between two pauses, to the end of the line: some milliseconds. */
const CHARACTERS_A_STEP = 128 * 1024

/**
 * Found by one look at the characters: too many documents, or more brackets, dashes or properties in a row than any manifest
 * has (brackets inside texts count as well: the bound is far off). Undefined: the text may be parsed.
 */
export function* findExcess(text: string): Steps<string | undefined> {
  let documents = 0
  let open = 0
  for (const lines of linesOf(text)) {
    documents += lines.match(/^---/gm)?.length ?? 0
    if (documents > MAX_DOCUMENTS) return `has more than ${MAX_DOCUMENTS} documents`
    if (PROPERTIES_IN_A_ROW.test(lines)) return 'is nested too deeply'
    for (let index = 0; index < lines.length; index += 1) {
      const character = lines.charCodeAt(index)
      if (character === 0x5b || character === 0x7b) open += 1
      else if (character === 0x5d || character === 0x7d) open = Math.max(0, open - 1)
      if (open > MAX_OPEN_BRACKETS) return 'is nested too deeply'
    }
    yield
  }
  return undefined
}

/** The text in pieces that end where a line does. */
function* linesOf(text: string): Generator<string, undefined, undefined> {
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from + CHARACTERS_A_STEP)
    const to = newline === -1 ? text.length : newline + 1
    yield text.slice(from, to)
    from = to
  }
}

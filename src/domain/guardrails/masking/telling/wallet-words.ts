/**
 * The 12, 15, 18, 21 or 24 words of a wallet, without quotes behind a name that tells of them: on one line, over several, numbered, or
 * each in quotes in a list. They have three to eight letters each, and nothing follows them, so that hardly a sentence passes for them.
 */
import type { Span } from './telling-before.ts'
import type { Connector } from './telling-connector.ts'

const NAME = /(?:seed|mnemonic|phrase|words)$/i
const WORD = '[a-z]{3,8}'
const NUMBER = String.raw`(?:\d{1,2}[.):]? ?)`
const END = String.raw`(?=[ \t]{0,8}(?:\r?\n|$|#)|[.;"'\x60<*)\]]|\\{1,7}["nr])`

/** Exact numbers of repetitions leave few ways to read a text. */
function rowOf(blank: string, number: string): RegExp {
  const next = `(?:${blank}${number}${WORD})`
  return new RegExp(`${number}${WORD}${next}{11}(?:${next}{3}){0,4}${END}`, 'y')
}

const BLANK = String.raw`(?:[ \t]{1,2}|,[ \t]?)`
const BREAK = String.raw`(?:[ \t]{0,8}(?:\r?\n|\\{1,7}n)[ \t]{0,8})`
const ROWS = [
  rowOf(BLANK, ''),
  rowOf(BLANK, NUMBER),
  rowOf(`(?:${BREAK}|${BLANK})`, ''),
  rowOf(`(?:${BREAK}|${BLANK})`, NUMBER),
]

const QUOTE = String.raw`\\{0,7}["']`
const NEXT_QUOTED = `${QUOTE},(?:\\s|\\\\{1,7}[nrt]){0,24}${QUOTE}${WORD}`
/** `["legal", "winner", ...]`, from the first word to the last. */
const LIST = new RegExp(
  String.raw`${WORD}(?:${NEXT_QUOTED}){11}(?:(?:${NEXT_QUOTED}){3}){0,4}(?=${QUOTE},?(?:\s|\\{1,7}[nrt]){0,24}\])`,
  'y',
)
const OPENING = new RegExp(String.raw`\[(?:\s|\\{1,7}[nrt]){0,24}${QUOTE}`, 'y')

/** Words of sentences that are none of the list that wallets take theirs from. */
const OF_SENTENCES =
  /\b(?:the|and|for|are|not|from|has|was|were|which|but|his|her|its|your|our|their|been|would|could|should)\b/

/** Where they stand, behind the name `[start, end)`; undefined where there are none. */
export function findWalletWords(text: string, start: number, end: number, connector: Connector): Span | undefined {
  const { connection } = connector
  if (connection === 'called' || (connection === 'beside' && !text.slice(end, connector.end).includes('\n')))
    return undefined
  if (!NAME.test(text.slice(Math.max(start, end - 8), end))) return undefined
  OPENING.lastIndex = connector.end
  if (OPENING.test(text)) return spanOf(LIST, text, OPENING.lastIndex)
  for (const row of ROWS) {
    const span = spanOf(row, text, connector.end)
    if (span !== undefined) return span
  }
  return undefined
}

function spanOf(words: RegExp, text: string, from: number): Span | undefined {
  words.lastIndex = from
  const found = words.exec(text)?.[0]
  return found === undefined || OF_SENTENCES.test(found) ? undefined : { start: from, end: from + found.length }
}

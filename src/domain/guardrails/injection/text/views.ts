/**
 * The readings of a text that are scored: as it stands (folded), with disguised words in plain, and what is encoded or enciphered
 * in it, down to DEPTH layers. The budget bounds the sum of all readings to a fixed multiple of the text, whatever it holds.
 */
import { tokenize } from '../tokens.ts'
import { decipher } from './ciphers.ts'
import { decodeSpans, type Encoding } from './decode.ts'
import { clean, fold } from './fold.ts'
import { plainWords } from './plain-words.ts'

/** One reading of a text. */
export interface View {
  /** Folded text. */
  readonly text: string
  /** As it was before folding to lower case; what decoders and marker patterns read. */
  readonly cased: string
  /** How it was hidden; undefined for the text as it stands. */
  readonly encoding: Encoding | 'plain-words' | undefined
}

/** Layers of encoding that are undone: base64 of hexadecimal is two. */
const DEPTH = 2
/** Total of all readings beside the first, in lengths of the text; and at least, so that short texts get all of theirs. */
const BUDGET_RATIO = 4
const BUDGET_FLOOR = 4096

/** All readings of a text, the text as it stands first. Never throws. */
export function viewsOf(raw: string): View[] {
  const views: View[] = []
  const budget = { left: raw.length * BUDGET_RATIO + BUDGET_FLOOR }
  addViews(raw, undefined, 0, views, budget)
  return views
}

function addViews(
  raw: string,
  encoding: Encoding | undefined,
  depth: number,
  views: View[],
  budget: { left: number },
): void {
  const { text: cased, hidden } = clean(raw)
  const text = fold(cased)
  if (depth > 0) budget.left -= raw.length
  views.push({ text, cased, encoding })
  const plain = plainWords(text)
  if (plain !== undefined && spend(budget, plain.length))
    views.push({ text: plain, cased: plain, encoding: encoding ?? 'plain-words' })
  if (hidden !== '' && spend(budget, 0)) addViews(hidden, 'hidden', depth + 1, views, budget)
  if (depth >= DEPTH) return
  for (const found of decodeSpans(cased))
    if (budget.left >= found.text.length) addViews(found.text, found.encoding, depth + 1, views, budget)
  for (const found of decipher(cased, tokenize(text)))
    if (budget.left >= found.length) addViews(found, 'cipher', depth + 1, views, budget)
}

function spend(budget: { left: number }, amount: number): boolean {
  if (budget.left < amount) return false
  budget.left -= amount
  return true
}

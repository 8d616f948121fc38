/**
 * Whether two questions ask the same thing in other words: the check behind a vector match, because vectors of
 * «flights from Rome to Oslo» and «flights from Oslo to Rome», or of a question and its negation, lie close together.
 *
 * 1. A text is cut into tokens: words, numbers with their units, operators, redaction ordinals, quoted strings.
 * 2. Its language is the one whose short words it has most of.
 * 3. Politeness at the beginning goes, equal wordings are rewritten, that language's fillers are dropped, synonyms and
 *    plurals become one word. Nothing else is ever dropped; quoted text and words in capitals not at all.
 * 4. Two questions ask the same where the sequences that are left are equal.
 *
 * So numbers, dates, units, names, negations, directions and quotations in which two questions differ prevent a hit by
 * construction, in every language. Known limit: true paraphrases with other content words are misses.
 */
import { LANGUAGES, type Language } from './languages.ts'

/** Longer questions are seldom asked twice in other words, and every word of them would have to agree. */
export const MAX_QUESTION_CHARACTERS = 2_000

/** What a question says, in a form that is equal for wordings that mean the same. */
export function wordingOf(question: string): string {
  const tokens = tokensOf(question)
  const language = languageOf(tokens)
  const { fillers, marks, synonyms } = language
  const said = simplified(tokens, language).filter(({ text, kind }) => kind !== 'word' || !fillers.has(text))
  // «Who am I?» and «who are we?»: where only short words are left, every word counts.
  if (said.every(({ text }) => marks.has(text))) return JSON.stringify(tokens.map(({ text }) => text))
  return JSON.stringify(
    said.map(({ text, kind }) => (kind === 'fixed' ? text : singular(synonyms.get(text) ?? text, language))),
  )
}

interface Token {
  readonly text: string
  /**
   * `fixed` is neither dropped nor rewritten: quotations, acronyms, numbers, signs. A `name` is not dropped; German
   * writes every noun like one, so synonyms count for it.
   */
  readonly kind: 'word' | 'name' | 'fixed'
}

const QUOTED = String.raw`"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|‘[^’\n]{1,200}’|\u0060[^\u0060\n]{1,200}\u0060`
const ORDINAL = String.raw`\[\[[^\]\n]{1,80}\]\]`
const ADDRESS = String.raw`[\p{L}\p{N}][\p{L}\p{N}_.+-]*@[\p{L}\p{N}.-]+|https?:\/\/\S+`
const NUMBER = String.raw`\p{N}(?:[\p{N}\p{L}.,:'’/-]*[\p{N}\p{L}])?`
const WORD = String.raw`\p{L}[\p{L}\p{M}\p{N}_]*(?:[-.'’][\p{L}\p{M}\p{N}_]+)*['’]?`
/** What is neither letter, digit, space nor punctuation of sentences: operators, currencies, symbols, emoji. */
const SIGN = String.raw`[^\p{L}\p{M}\p{N}\s.,;:!?¿¡'’"“”«»„‘\u0060…-]|(?<=^|\s)-|(?<=[\p{N})])\s*[-!]`
const TOKEN = new RegExp([QUOTED, ORDINAL, ADDRESS, NUMBER, WORD, SIGN].map((part) => `(${part})`).join('|'), 'gu')

function tokensOf(question: string): Token[] {
  const text = question.normalize('NFKC').replaceAll('’', "'")
  const shouted = text === text.toUpperCase()
  const tokens: Token[] = []
  for (const match of text.matchAll(TOKEN)) {
    const [token, , , , , word] = match
    const begins = tokens.length === 0 || /[.!?:]\s*$/.test(text.slice(0, match.index))
    if (word === undefined) tokens.push({ text: token.trim(), kind: 'fixed' })
    else tokens.push(...wordTokens(word, begins, shouted))
  }
  return tokens
}

/** A capital inside a sentence makes a name, which is never a filler (Will, May); the case itself does not count. */
function wordTokens(word: string, begins: boolean, shouted: boolean): Token[] {
  const lower = word.toLowerCase()
  if (lower === word || shouted) return elided(lower)
  if (word.length > 1 && word === word.toUpperCase()) return [{ text: word, kind: 'fixed' }]
  if (lower === 'i' || lower.startsWith("i'") || begins) return elided(lower)
  return [{ text: stripPossessive(lower), kind: 'name' }]
}

/** `l'adresse` is two words. */
function elided(word: string): Token[] {
  const match = /^(l'|j'|d'|n'|qu'|un'|dell'|all')(.+)$/.exec(word)
  if (match === null) return [{ text: word, kind: 'word' }]
  return [
    { text: match[1] ?? '', kind: 'word' },
    { text: match[2] ?? '', kind: 'word' },
  ]
}

/** Nothing is dropped. */
const UNKNOWN: Language = {
  name: '',
  marks: new Set(),
  fillers: new Set(),
  openings: [],
  rewrites: [],
  synonyms: new Map(),
}

function languageOf(tokens: readonly Token[]): Language {
  let best = UNKNOWN
  let most = 0
  const ascii = tokens.every(({ text }) => !/[^\p{ASCII}]/u.test(text))
  for (const language of LANGUAGES) {
    // The short words of English are other words elsewhere; a letter that it has not tells.
    if (language.name === 'en' && !ascii) continue
    const { fillers, marks } = language
    const count = tokens.filter(({ text, kind }) => kind === 'word' && (fillers.has(text) || marks.has(text))).length
    if (count <= most) continue
    best = language
    most = count
  }
  return best
}

function simplified(tokens: readonly Token[], language: Language): Token[] {
  let left = [...tokens]
  for (let again = true; again;) {
    const opening = language.openings.find((words) => startsWith(left, 0, words.split(' ')))
    again = opening !== undefined && left.length > opening.split(' ').length
    if (again && opening !== undefined) left = left.slice(opening.split(' ').length)
  }
  for (const [from, to] of language.rewrites) left = rewritten(left, from.split(' '), to === '' ? [] : to.split(' '))
  return left
}

function rewritten(tokens: readonly Token[], from: readonly string[], to: readonly string[]): Token[] {
  const result: Token[] = []
  for (let index = 0; index < tokens.length;) {
    const token = tokens[index]
    if (startsWith(tokens, index, from)) {
      result.push(...to.map((text) => ({ text, kind: 'word' as const })))
      index += from.length
    } else {
      if (token !== undefined) result.push(token)
      index++
    }
  }
  return result
}

function startsWith(tokens: readonly Token[], at: number, words: readonly string[]): boolean {
  return words.every((word, index) => tokens[at + index]?.kind === 'word' && tokens[at + index]?.text === word)
}

function singular(word: string, { name }: Language): string {
  const bare = stripPossessive(word)
  if (name !== 'en' || bare.length < 4 || /(?:ss|us|is)$/.test(bare)) return bare
  return bare.endsWith('s') ? bare.slice(0, -1) : bare
}

function stripPossessive(word: string): string {
  return word.replace(/'s?$/, '')
}

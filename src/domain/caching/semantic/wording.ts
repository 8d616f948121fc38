/**
 * Whether two questions ask the same thing in other words: the check behind a vector match, because vectors of
 * «flights from Rome to Oslo» and «flights from Oslo to Rome», or of a question and its negation, lie close together.
 *
 * 1. A text is cut into tokens: words, numbers with their units, operators, redaction ordinals, quoted strings, pauses.
 * 2. Its language is the one whose short words it has most of. Questions of two languages are never equal.
 * 3. Politeness at the beginning goes, equal wordings are rewritten, that language's fillers are dropped, synonyms
 *    become one word. Nothing else is ever dropped; quoted text and words in capitals not at all.
 * 4. Where the words themselves are the subject («translate: I am late»), where a text is handed over after a colon or
 *    on a line of its own, and where fewer than two content words are left («what is time», «what is the time», «how do I
 *    look»), every word counts as it stands.
 * 5. Two questions ask the same where the sequences that are left are equal.
 *
 * A capital inside a sentence counts («polish», «Polish»), one at its beginning does not, nor that of a German noun; a
 * text all in capitals tells neither and equals only others of its kind.
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
  const asked = withoutOpenings(tokens, language)
  // What one language drops is another word in the next.
  const family = isShouted(question) ? `${language.name} in capitals` : language.name
  const written = (words: readonly string[]) => JSON.stringify([family, ...words])
  if (isAboutWords(asked)) return written(asked.map((token) => casedText(token, language)))
  const worded = inEqualWords(asked, language)
  const said = withoutIdlePauses(worded.filter(({ text, kind }) => kind !== 'word' || !fillers.has(text)))
  const content = said.filter(({ text, kind }) => kind !== 'pause' && !marks.has(text)).length
  if (content < LEAST_CONTENT) return written(asked.map((token) => casedText(token, language)))
  return written(
    said.map((token) => {
      const text = casedText(token, language)
      if (token.kind === 'fixed' || token.kind === 'pause') return text
      const word = synonyms.get(text) ?? text
      // Macy's is not Macy.
      return token.kind === 'word' ? stripPossessive(word) : word
    }),
  )
}

/** A word with its capital, where it has one that is not the language's custom. */
function casedText({ text, kind }: Token, { capitalNouns, capitalPronouns }: Language): string {
  const telling = kind === 'name' && (!capitalNouns || capitalPronouns.has(text))
  return telling ? `^${text}` : text
}

function isShouted(text: string): boolean {
  return text === text.toUpperCase() && text !== text.toLowerCase()
}

/** Of one content word an article can make another: time, the time. */
const LEAST_CONTENT = 2

/** Beginnings of words about words, in all languages of the lists: a question with one may be about a filler. */
const ABOUT_WORDS =
  /^(?:translat|sa(?:y|id)$|spell|pronounc|mean|grammar|correct|proofread|re(?:phras|writ|word)|paraphras|conjugat|letter|word|sentence|phrase|syllab|rhym|übersetz|buchstab|aussprech|bedeut|heißt$|korrigier|verbesser|satz|sätze|w[oö]rt|tradu|épel|prononc|signifi|corr[ie]g|corrij|mots?$|deletre|pronunc|frase|palabra|parol[ae]|palavra|verta+l|spel$|uitspre|beteken|woord|zin(?:nen)?$)/

function isAboutWords(tokens: readonly Token[]): boolean {
  return tokens.some(({ text, begins }, index) => (begins && index > 0) || ABOUT_WORDS.test(text))
}

interface Token {
  readonly text: string
  /**
   * `fixed` is neither dropped nor rewritten: quotations, acronyms, numbers, signs. A `name` is not dropped and its
   * capital counts; German writes every noun like one, so synonyms count for it there. A `pause` is `,` or `.`.
   */
  readonly kind: 'word' | 'name' | 'fixed' | 'pause'
  /** It follows a colon or stands on a line of its own: the beginning of a text that is handed over. */
  readonly begins: boolean
}

/** `split("")` is not `split()`. A closing ’ has become an apostrophe by then. */
const QUOTED = String.raw`"[^"\n]{0,200}"|“[^”\n]{0,200}”|«[^»\n]{0,200}»|„[^“”\n]{0,200}[“”]|‘[^'\n]{0,200}'|(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?![\p{L}\p{N}])|\u0060[^\u0060\n]{0,200}\u0060`
const ORDINAL = String.raw`\[\[[^\]\n]{1,80}\]\]`
const ADDRESS = String.raw`[\p{L}\p{N}][\p{L}\p{N}_.+-]*@[\p{L}\p{N}.-]+|https?:\/\/\S+`
const NUMBER = String.raw`(?:(?<![\p{L}\p{M}\p{N}.)])\.)?\p{N}(?:[\p{N}\p{L}.,:'’/-]*[\p{N}\p{L}])?`
const WORD = String.raw`\p{L}[\p{L}\p{M}\p{N}_]*(?:[-.'’][\p{L}\p{M}\p{N}_]+)*['’]?`
/**
 * What is neither letter, digit, space nor punctuation of sentences: operators, currencies, symbols, emoji, and marks that
 * stand on no letter (0.3̅), but for those that choose between two looks of one emoji. Of
 * punctuation: minus but not hyphen, factorial and «not», feet and inches, `.NET`, and what code is made of (`a ?? b`,
 * `a..b`, `[a;b]`).
 */
const SIGN = [
  String.raw`[^\p{L}\p{N}\s.,;:!?¿¡'’"“”«»„‘\u0060…\uFE00-\uFE0F-]`,
  String.raw`(?<![\p{L}\p{M}])-|-(?=\s*\p{N})`,
  String.raw`(?<=[\p{N})])\s*!|!(?=[\p{L}\p{N}(=]|\s*[-+*/^=<>])`,
  String.raw`(?<=\p{N})['"]`,
  String.raw`(?<![\p{L}\p{M}\p{N}.)])\.(?=\p{L})`,
  String.raw`(?<![,;?.])[,;?.]{2,}(?![,;?.])(?=\s*[^\s!])|\?:|::`,
  String.raw`(?<![,;?.])[,;](?=[^\s,;?.!])`,
].join('|')
/** Between two clauses or sentences: «let's eat, Anna», «no, price is too high». */
const PAUSE = String.raw`[,;.!?](?=\s+\S)`
const TOKEN = new RegExp(
  [QUOTED, ORDINAL, ADDRESS, NUMBER, WORD, SIGN, PAUSE].map((part) => `(${part})`).join('|'),
  'gu',
)

function tokensOf(question: string): Token[] {
  // Not the compatibility forms: they make 10² into 102.
  const text = question.normalize('NFC').replaceAll('’', "'")
  const shouted = isShouted(text)
  const tokens: Token[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const [token, , , , , word, , pause] = match
    const between = text.slice(end, match.index)
    const [first, ...others] =
      word === undefined ? [signToken(token, pause)] : wordTokens(word, between, tokens, shouted)
    if (first !== undefined) tokens.push({ ...first, begins: /[:\n]/.test(between) })
    for (const other of others) tokens.push(other)
    end = match.index + token.length
  }
  return tokens
}

function signToken(token: string, pause: string | undefined): Token {
  if (pause === undefined) return fixed(token.trim())
  return { text: /[,;]/.test(pause) ? ',' : '.', kind: 'pause', begins: false }
}

function fixed(text: string): Token {
  return { text, kind: 'fixed', begins: false }
}

/** A capital inside a sentence makes a name, which is never a filler (Will, May). */
function wordTokens(word: string, between: string, before: readonly Token[], shouted: boolean): Token[] {
  const lower = word.toLowerCase()
  if (lower === word || shouted) return elided(lower)
  if (isUnit(word, between, before.at(-1))) return [fixed(word)]
  if (word.length > 1 && word === word.toUpperCase()) return [fixed(word)]
  // Of kB and Kb the case inside tells.
  if (/^.+\p{Lu}/u.test(word)) return [fixed(word)]
  // Not after a colon or a line break: of a text that is handed over the first word's capital counts.
  const starts = before.length === 0 || before.at(-1)?.text === '.' || /[.!?]\s*$/.test(between)
  if (lower === 'i' || lower.startsWith("i'") || starts) return elided(lower)
  return [{ text: lower, kind: 'name', begins: false }]
}

/** Longest unit with a capital in it that the case makes another one: mg, Mg; kb, kB. */
const MAX_UNIT_CHARACTERS = 4

function isUnit(word: string, between: string, last: Token | undefined): boolean {
  return word.length <= MAX_UNIT_CHARACTERS && between.trim() === '' && /\p{N}$/u.test(last?.text ?? '')
}

/** `l'adresse` is two words. */
function elided(word: string): Token[] {
  const match = /^(l'|j'|d'|n'|qu'|un'|dell'|all')(.+)$/.exec(word)
  const texts = match === null ? [word] : [match[1] ?? '', match[2] ?? '']
  return texts.map((text) => ({ text, kind: 'word', begins: false }))
}

/** Nothing is dropped. */
const UNKNOWN: Language = {
  name: '',
  letters: '',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: new Set(),
  fillers: new Set(),
  openings: [],
  rewrites: [],
  synonyms: new Map(),
}

function languageOf(tokens: readonly Token[]): Language {
  let best = UNKNOWN
  let most = 0
  const foreign = new Set(tokens.flatMap(({ text }) => text.toLowerCase().match(/[^\P{L}a-z]/gu) ?? []))
  for (const language of LANGUAGES) {
    const { fillers, marks, letters } = language
    // The short words of one language are other words elsewhere; a letter that it has not tells.
    if ([...foreign].some((letter) => !letters.includes(letter))) continue
    const words = tokens.filter(({ kind }) => kind === 'word')
    const marked = words.filter(({ text }) => marks.has(text)).length
    const count = marked + words.filter(({ text }) => fillers.has(text)).length
    if (marked === 0 || count <= most) continue
    best = language
    most = count
  }
  return best
}

function withoutOpenings(tokens: readonly Token[], { openings }: Language): readonly Token[] {
  let left = tokens
  for (;;) {
    const opening = openings.map((words) => words.split(' ')).find((words) => opens(left, words))
    if (opening === undefined) return left
    left = withoutIdlePauses(left.slice(opening.length))
  }
}

/** Without those at the beginning, at the end, and after another one. */
function withoutIdlePauses(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter(({ kind }, index) => {
    const next = tokens[index + 1]
    return kind !== 'pause' || (index > 0 && next !== undefined && next.kind !== 'pause')
  })
}

/** Something must follow, and no name after a greeting: Hello Kitty. */
function opens(tokens: readonly Token[], words: readonly string[]): boolean {
  const next = tokens.slice(words.length).find(({ kind }) => kind !== 'pause')
  return next !== undefined && startsWith(tokens, 0, words) && (words.length > 1 || next.kind !== 'name')
}

function inEqualWords(tokens: readonly Token[], { rewrites }: Language): readonly Token[] {
  let left = tokens
  for (const [from, to] of rewrites) left = rewritten(left, from.split(' '), to === '' ? [] : to.split(' '))
  return left
}

function rewritten(tokens: readonly Token[], from: readonly string[], to: readonly string[]): Token[] {
  const result: Token[] = []
  for (let index = 0; index < tokens.length;) {
    const token = tokens[index]
    if (startsWith(tokens, index, from)) {
      for (const text of to) result.push({ text, kind: 'word', begins: false })
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

function stripPossessive(word: string): string {
  return word.replace(/'s$|(?<=s)'$/, '')
}

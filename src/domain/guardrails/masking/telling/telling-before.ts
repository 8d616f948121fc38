/**
 * Secrets that stand in front of the word that tells of them, or behind a user's name: `hunter2x is my password`, `use Xy1... as the API
 * key`, `our api key (Xy1...) leaked`, `login with bob / hunter2x`, `echo "bob:hunter2x" | chpasswd`, `login bob password swordfish`.
 * Everything reads a bounded piece of text, so that a row of telling words stays linear.
 */
import { classAt, SPACE, unitAt } from '../character-classes.ts'

/** A value, a verb or sign, at most three small words, and then the name. */
const WINDOW = 160
const MOST_WORDS = 4
const LONGEST_WORD = 16
const VERBS: ReadonlySet<string> = new Set(
  'is was as are ist war als est était comme es era como è é jest är er это был'.split(' '),
)
/** `hunter2x to moje hasło`; in other languages it is none. */
const POLISH = /has[łl]/iy
const PIPED =
  /(?:echo|printf)\s(?:-[ne]\s)?\\{0,7}["']?[\w.-]{1,64}:([^\s"'\\|]{4,128})\\{0,7}["']?\s?\|\s?(?:sudo\s)?$/

export interface Span {
  readonly start: number
  readonly end: number
}

/** The value in front of the name that begins at `start`. */
export function spanBefore(text: string, start: number): Span | undefined {
  if (unitAt(text, start - 1) !== 0x20) return undefined
  if (unitAt(text, start - 2) === 0x7c || text.startsWith('sudo', start - 5)) return spanPiped(text, start)
  let end = start - 1
  for (let count = 0; count <= MOST_WORDS; count++) {
    const from = wordStart(text, end, LONGEST_WORD)
    if (from === undefined || unitAt(text, from - 1) !== 0x20) return undefined
    const word = text.slice(from, end).toLowerCase()
    if (VERBS.has(word) || (word === 'to' && isPolish(text, start))) return spanOfWord(text, from - 1)
    end = from - 1
  }
  return undefined
}

function isPolish(text: string, start: number): boolean {
  POLISH.lastIndex = start
  return POLISH.test(text)
}

function wordStart(text: string, end: number, longest: number): number | undefined {
  const limit = Math.max(0, end - longest)
  let at = end
  while (at > limit && (classAt(text, at - 1) & SPACE) === 0) at--
  return at === end || (at === limit && limit > 0 && (classAt(text, at - 1) & SPACE) === 0) ? undefined : at
}

const OPENING = /^.*(?:["'`(\u201c]|\\n)/

/** The word that ends at `end`, without quotes, brackets and an escaped line end around it. */
function spanOfWord(text: string, end: number): Span | undefined {
  const from = wordStart(text, end, WINDOW)
  if (from === undefined) return undefined
  const word = text.slice(from, end).replace(/[\\"'`)\u201d.,;:?]+$/, '')
  const start = from + (OPENING.exec(word)?.[0].length ?? 0)
  const last = from + word.length
  return last - start >= 4 ? { start, end: last } : undefined
}

function spanPiped(text: string, start: number): Span | undefined {
  const from = Math.max(0, start - WINDOW)
  const match = PIPED.exec(text.slice(from, start))
  const value = match?.[1]
  if (match === null || value === undefined) return undefined
  const at = from + match.index + match[0].indexOf(`:${value}`) + 1
  return { start: at, end: at + value.length }
}

const PAIR =
  /(?:\\{0,7}["'])?(?:s? (?:with|as|is|are|using|mit|als|avec|con|com)| for [\w.-]{1,40}| below| here)?\s?(?::|[-=]>)?(?:\s|\\{1,7}[nrt]){1,8}(?:user(?:name)?[:=]? ?)?(?!(?:get|post|put|patch|delete|head|options) \/)[\w.@+-]{2,64}(?: ?[/|] ?|\n(?:> ?)?|\\{1,7}n|, | : )([^\s"'`,;\\]{6,64})/iy

/** The password of `name / password` behind the word that ends at `end`; `Login: POST /api/v1/login` is a route. */
export function spanOfPair(text: string, end: number): Span | undefined {
  PAIR.lastIndex = end
  const match = PAIR.exec(text)
  const value = match?.[1]?.replace(/[.,;:?)]+$/, '')
  if (match === null || value === undefined || value === '') return undefined
  const at = end + match[0].length - (match[1]?.length ?? 0)
  return { start: at, end: at + value.length }
}

const BRACKETED = /\s\\{0,7}["'`]?\(([^\s()"'`]{12,200})\)/y

/** The value in brackets right behind a name: `our api key (Xy1...)`. */
export function spanInBrackets(text: string, end: number): Span | undefined {
  BRACKETED.lastIndex = end
  const value = BRACKETED.exec(text)?.[1]
  if (value === undefined) return undefined
  return { start: BRACKETED.lastIndex - 1 - value.length, end: BRACKETED.lastIndex - 1 }
}

/** What follows the word in sentences (`username and password options`), in some languages. */
const NO_USER =
  '(?!(?:and|or|id|ids|with|without|plus|names?|login|to|in|on|of|for|by|from|the|a|an|is|has|have|needs?|enters?|types?|must|can|may|who|whose|und|oder|mit|et|ou|avec|y|o|con|e|com|en|of|met|i|lub|и|или)[\\s,])'
const USER_BEFORE = new RegExp(
  String.raw`(?:^|[\s"'\x60]|\\[nrt])(?:login|user|username|account)[ :=]{1,2}${NO_USER}[^\s:=]{1,64}(?:,|\s|\\{1,7}[nrt]|> ){1,12}$`,
)

/** Whether `login bob` or `user: bob` stands right in front of the name: then a password follows it. */
export function isAfterUser(text: string, start: number): boolean {
  return USER_BEFORE.test(text.slice(Math.max(0, start - WINDOW), start))
}

/** `Login/PW`, `Benutzer / Passwort`. */
const USER_AND =
  /(?:^|[^\p{L}])(?:user(?:[ _-]?name)?|log-?in|account|e-?mail|benutzer(?:name)?|utilisateur|identifiant|usuario|usu\u00e1rio|utente|u\u017cytkownik|\u043b\u043e\u0433\u0438\u043d) ?[/&] ?$/iu

/** Whether the name is the second of two, and so is its value: `Login/PW: bob / ...`. */
export function isBesideUser(text: string, start: number): boolean {
  return USER_AND.test(text.slice(Math.max(0, start - 24), start))
}

const AHEAD_WINDOW = 240
const VALUE_AHEAD =
  /"(?:\w{0,12}val(?:ue)?|default)\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"(?=[^"\s]{0,64}\d)([^"\s\\]{4,128})\\{0,7}"\s{0,4},(?:\s|\\{1,7}[nrt]){0,24}\\{0,7}"(?:name|key|id|field|label|variable)\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"$/di

/** The value that stands before its name in JSON: `"value": "...", "name": "password"`. */
export function spanAhead(text: string, start: number): Span | undefined {
  if (unitAt(text, start - 1) !== 0x22) return undefined
  const from = Math.max(0, start - AHEAD_WINDOW)
  const place = VALUE_AHEAD.exec(text.slice(from, start))?.indices?.[1]
  return place && { start: from + place[0], end: from + place[1] }
}

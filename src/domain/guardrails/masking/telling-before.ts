/**
 * Secrets that stand in front of the word that tells of them, or behind a user's name: `hunter2x is my password`, `use Xy1... as the API
 * key`, `our api key (Xy1...) leaked`, `log in with bob / hunter2x`, `echo "bob:hunter2x" | chpasswd`, `login bob password swordfish`.
 * Everything reads a bounded piece of text, so that a row of telling words stays linear.
 */

/** A value, a verb or sign, at most three small words, and then the name. */
const WINDOW = 160
const POSSESSIVE =
  '(?: (?:my|our|your|the|his|her|their|its|a|an|mein|unser|das|der|die|mon|ma|notre|le|la|mi|nuestra|el|il|mia|minha|meu|a|o|мой|наш)){0,1}'
const VERB =
  '(?: (?:is|was|as|for|are|ist|war|als|est|était|comme|es|era|como|è|è la|é|jest|to|är|это|это))(?: (?:still|now|not|also|currently))?'
const BEFORE = new RegExp(
  String.raw`(?:^|[\s"'\x60(\u201c]|\\n)([^\s"'\x60()\u201c\u201d]{4,128})["'\x60\u201d)]{0,2},?${VERB}${POSSESSIVE}(?: [\p{L}-]{1,16}){0,2} $`,
  'u',
)
const PIPED =
  /(?:echo|printf)\s(?:-[ne]\s)?\\{0,7}["']?[\w.-]{1,64}:([^\s"'\\|]{4,128})\\{0,7}["']?\s?\|\s?(?:sudo\s)?$/

export interface Span {
  readonly start: number
  readonly end: number
}

/** The value in front of the name that begins at `start`. */
export function spanBefore(text: string, start: number): Span | undefined {
  const from = Math.max(0, start - WINDOW)
  const before = text.slice(from, start)
  const match = text.charCodeAt(start - 1) === 0x20 ? (BEFORE.exec(before) ?? PIPED.exec(before)) : null
  const value = match?.[1]?.replace(/[.,;:!?]+$/, '')
  if (match === null || value === undefined) return undefined
  const at = from + match.index + match[0].indexOf(value, match[0].startsWith(value) ? 0 : 1)
  return { start: at, end: at + value.length }
}

const PAIR =
  /(?:\\{0,7}["'])?(?:s? (?:with|as|is|are|using|mit|als|avec|con|com)| for [\w.-]{1,40}| below| here)?\s?:?(?:\s|\\{1,7}[nrt]){1,8}(?:user(?:name)?[:=]? ?)?[\w.@+-]{2,64}(?: ?[/|] ?|\n(?:> ?)?|\\{1,7}n|, | : )([^\s"'`,;\\]{6,64})/iy

/** The password of `name / password` behind the word that ends at `end`. */
export function spanOfPair(text: string, end: number): Span | undefined {
  PAIR.lastIndex = end
  const match = PAIR.exec(text)
  const value = match?.[1]?.replace(/[.,;:!?)]+$/, '')
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

const USER_BEFORE =
  /(?:^|[\s"'`]|\\[nrt])(?:login|user|username|account)[ :=]{1,2}[^\s:=]{1,64}(?:,|\s|\\{1,7}[nrt]|> ){1,12}$/

/** Whether `login bob` or `user: bob` stands right in front of the name: then a password follows it. */
export function isAfterUser(text: string, start: number): boolean {
  return USER_BEFORE.test(text.slice(Math.max(0, start - WINDOW), start))
}

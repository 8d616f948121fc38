/**
 * What stands between a telling name and its value: `=`, `": "`, ` is `, `>`, `", "value": "`, or only a space.
 * All patterns are sticky and every repetition in them is bounded, so that one try costs a constant.
 */

import { ALPHANUMERIC, classAt, skipForward, SPACE, unitAt } from '../character-classes.ts'
import { isInCookieFile } from '../secrets/session-cookie.ts'
import { anyOf, ARROW, CLOSERS, ESCAPES, LABEL_END, NEXT_LINE, SPACING, VALUE_BEGIN } from './connector-parts.ts'
import { SAID } from './said-connector.ts'

/**
 * `assigned`: a sign says that a value follows. `said`: words say so. `called`: an argument, quoted. `beside`: only a space
 * between. The weaker the sign, the more the value itself must look like a secret.
 */
export type Connection = 'assigned' | 'said' | 'called' | 'beside'

export interface Connector {
  readonly connection: Connection
  /** Where the value (or its quote) begins. */
  readonly end: number
  /** The value may end at a `<`: it is an element's text. */
  readonly isElement: boolean
  /** It follows a user name: a password, whatever the word before the two is. */
  readonly isPair?: true
}

const BLANK = String.raw`(?:[ \t\u00a0\u3000]|&nbsp;|\\{1,7}[nt]){0,20}`
const OWNER = String.raw`[A-Za-z_]\w{0,31}(?:\.|::)`
const MAKER = anyOf(
  'md5',
  String.raw`sha\d{0,3}`,
  '(?:old_)?password',
  'encrypt',
  'bcrypt',
  'make_?password',
  'generate_password_hash',
  'hash_?password',
  '(?:secret_?)?str(?:ing)?',
  String.raw`(?:${OWNER}){0,2}(?:\w{0,24}(?:string|buffer|bytes|secret|password)(?:\.|::)from|hash(?:er)?(?:\.|::)make|(?:\w{0,24}encoder(?:\(\))?|base64)\.encode)`,
  `(?:${OWNER}){1,2}(?:hash(?:pw|_?sync|_?password)?|quote(?:_plus)?)`,
)
/**
 * What takes a literal and gives a text or a hash of it: `MD5('...')`, `bcrypt.hashSync("...")`, `String::from("...")`. Others of such names
 * take a charset, a table, a class: `password.encode("latin1")`, `db.from("users")`, `Mockery::make('...')`.
 */
const MADE_OF = String.raw`(?:(?:await |new )?${MAKER}\(\s{0,8}(?=[bfrN@]?${ESCAPES}["'\x60]))`
/** Up to a label's sign, as in a printed list: `Password........: `. */
const LEADERS = String.raw`(?:\.{2,40}[ \t]{0,4}(?=:))?`
const SIGN = anyOf(
  // A type stands between: `password: string = "..."`.
  String.raw`:(?![ \t]{0,4}<[a-z]{1,8} )[ \t]{0,4}[\w&*<>\[\]?|' ]{1,40}=(?=[ \t]{0,4}(?:${MADE_OF}|[&bfr@]?${ESCAPES}["'\x60]))`,
  ':=',
  '=>',
  '->',
  String.raw`<-(?=[ \t]{0,4}${ESCAPES}["'])`,
  '=&gt;',
  ARROW,
  '[=!]={1,2}',
  String.raw`\+?=(?:3D)?`,
  // What stands in for a value that is missing: `process.env.PASSWORD ?? "..."`.
  String.raw`(?:\?\?|\|\|)(?:=|(?=[ \t]?${ESCAPES}["'\x60]))`,
  String.raw`\?=`,
  '::?',
  String.raw`\uff1a`,
  String.raw`\uff1d`,
  String.raw`\|(?=[ \t])`,
  '%3D',
  '%3A',
)
/** YAML's signs of a text in lines, PHP's `string(8) "..."`. */
const TEXT_BEGIN = String.raw`(?:[|>][+-]?${SPACING}{1,24}|string\(\d{1,5}\) (?=${ESCAPES}["']))?`

const ASSIGNED = new RegExp(
  [
    CLOSERS,
    BLANK,
    LEADERS,
    SIGN,
    LABEL_END,
    `(?:${SPACING}|&nbsp;){0,24}`,
    TEXT_BEGIN,
    `${MADE_OF}?`,
    VALUE_BEGIN,
  ].join(''),
  'iy',
)
const VALUE_FIELD = new RegExp(
  String.raw`${CLOSERS}(?:[,;]|\s?\{)?(?:[\s>]|\\{1,7}[nrt]){0,24}(?:(?<=\{(?:[ \r\n]|\\{1,7}[nrt]){0,24})(?:[a-z]{2,16} {1,16}= {1,4}(?:"[^"\n]{0,80}"|[\w.]{1,24})(?:[ \r\n]|\\{1,7}[nrt]){1,24}){0,3})?(?:${ESCAPES}["'])?(?:\w{0,12}value|default)(?:${ESCAPES}["'])?\s{0,4}[:=]\s{0,4}`,
  'iy',
)
/** `--name db-password --value ...` */
const VALUE_OPTION = /(?:\\{0,7}["'])? --value[ =]/y
const QUOTED_FIELD = String.raw`${ESCAPES}"[\w.$-]{1,24}${ESCAPES}"\s{0,4}:\s{0,4}(?:${ESCAPES}"[^"\\\n]{0,60}${ESCAPES}"|[\w.+-]{1,24})`
/** What JSON has between a name and a value apart from it; such a value shows a digit, for what forms say of a name is words. */
const VALUE_APART = new RegExp(
  String.raw`${ESCAPES}"\s{0,4}(?::\s{0,4}\{|,)${NEXT_LINE}(?:${QUOTED_FIELD}\s{0,4},${NEXT_LINE}){0,6}(?:${ESCAPES}"value${ESCAPES}"\s{0,4}:\s{0,4}\{${NEXT_LINE})?${ESCAPES}"(?:\w{0,12}val(?:ue)?|default|raw|plain(?:_?text)?|S|\$t?|#text|__?text|_cdata)${ESCAPES}"\s{0,4}:\s{0,4}(?=${ESCAPES}"[^"\s]{0,64}\d)`,
  'iy',
)
/** What types into the field of that name: `getByLabel('Password').fill('...')`. */
const TYPED_INTO = String.raw`\.(?:type|fill|send_?keys|set_?value|type_?text|press_?sequentially|replace_?text)\(\s{0,8}`
const CALLED = new RegExp(
  String.raw`${CLOSERS}(?:\s?[,(](?:[ \t]{9,24}|\s{0,8})|${TYPED_INTO})(?=[bfr@]?${ESCAPES}["'\x60])`,
  'iy',
)
/** `<Password Value="...">` */
const VALUE_ATTRIBUTE = /\s{1,4}(?:[\w:.-]{1,32}="[^"<>\n]{0,64}"\s{1,4}){0,3}val(?:ue)?\s?=\s?(?=["'])/iy
/** Go's `var password string = "..."`, Basic's `Dim password As String = "..."`, SQL's `password VARCHAR(64) := '...'`. */
const TYPED =
  / (?:(?:as|in|constant) )?(?:string|\[\]byte|str|text|n?(?:var)?char2?|character varying)(?:\(\w{1,4}(?: (?:char|byte))?\))?(?: not null)?(?:\s{0,2}:?=\s{0,4}| default )(?=N?\\{0,7}["'`])/iy
const ELEMENT = /(?:\s[^<>\n]{0,60})?>\s{0,8}(?:<!\[CDATA\[)?/y
/** `<entry key="password">...`, `<key>password</key><string>...`: the element that follows, or that the name is an attribute of. */
const NEXT_ELEMENT =
  /(?:\\{0,7}["'](?:\s[^<>\n]{0,60}(?<!=))?>|<\/key>(?:\s|\\{1,7}[nrt]){0,24}<string>)\s{0,8}(?:<value>\s{0,8})?(?:<!\[CDATA\[)?(?=[^\s<])/y
const BESIDE = /(?:\\{0,7}["'`])?(?:[ \t]{1,8}|\s{1,2}|[,;](?=[^\s,;]))/y
/** `auth=("bob", "secret")`, `Credentials("bob", "secret")`: the second argument. */
const PAIR = /\s?(?:=\s?\(|\()\s?\\{0,7}["'][^"'\\\n]{1,64}\\{0,7}["']\s?,\s?(?=[bfr@]?\\{0,7}["'])/y

/** The connector after the name `[start, end)`; the strongest that fits. Undefined where nothing can follow. */
export function findConnector(text: string, start: number, end: number): Connector | undefined {
  if ((classAt(text, end) & SPACE) !== 0 && isInCookieFile(text, start))
    return { connection: 'assigned', end: skipForward(text, end, end + 8, SPACE), isElement: false }
  const isElement = unitAt(text, start - 1) === 0x3c || unitAt(text, start - 1) === 0x3a
  if (unitAt(text, end) === 0x20 && (classAt(text, end + 1) & ALPHANUMERIC) !== 0) {
    if (isOption(text, start, end) || isSet(text, start, end))
      return { connection: 'assigned', end: end + 1, isElement: false }
    const typed = matchEnd(TYPED, text, end) ?? (isElement ? matchEnd(VALUE_ATTRIBUTE, text, end) : undefined)
    if (typed !== undefined) return { connection: 'assigned', end: typed, isElement: false }
    // HTML's `<code class="...">` holds names of programs.
    const own = isElement && text.slice(start, end) !== 'code' ? matchEnd(ELEMENT, text, end) : undefined
    return own === undefined ? findLooseConnector(text, end) : { connection: 'assigned', end: own, isElement: true }
  }
  if (isElement) {
    const own = matchEnd(ELEMENT, text, end)
    if (own !== undefined) return { connection: 'assigned', end: own, isElement: true }
  }
  const argument = isOption(text, start, end) ? matchEnd(NEXT_ARGUMENT, text, end) : undefined
  if (argument !== undefined) return { connection: 'assigned', end: argument, isElement: false }
  const pair = matchEnd(PAIR, text, end)
  if (pair !== undefined) return { connection: 'called', end: pair, isElement: false, isPair: true }
  const field =
    matchEnd(VALUE_APART, text, end) ?? matchEnd(VALUE_FIELD, text, end) ?? matchEnd(VALUE_OPTION, text, end)
  if (field !== undefined) return { connection: 'assigned', end: field, isElement: false }
  const element = matchEnd(NEXT_ELEMENT, text, end)
  if (element !== undefined) return { connection: 'assigned', end: element, isElement: true }
  const assigned = matchEnd(ASSIGNED, text, end)
  if (assigned !== undefined)
    return { connection: strengthOf(text.slice(end, assigned)), end: assigned, isElement: false }
  return findLooseConnector(text, end)
}

/** `--token ...`, whose value is the next word; a name of two words may have begun before it. */
const OPTION = /[\s"']--[\w.-]+$/
/** In a list of arguments, `"--token", "..."`. */
const NEXT_ARGUMENT = /\\{0,7}["'],\s{0,24}(?=\\{0,7}["'][^\s"'-])/y

function isOption(text: string, start: number, end: number): boolean {
  return OPTION.test(text.slice(Math.max(0, start - 1), end))
}

/** How shells without `=` set a variable: `setx NAME value`, `setenv NAME value`, `set -gx NAME value`. */
const SET = /(?:^|[\s"'`;&|>]|\\[nrt])(?:setx|setenv|set -[gUux]{1,3}) [\w.-]+$/i

/** A name of two words (`API key`) may have begun with the command. */
function isSet(text: string, start: number, end: number): boolean {
  return SET.test(text.slice(Math.max(0, start - 12), end))
}

/** `process.env.TOKEN ?? '...'` */
const FALLBACK = /(?:\?\?|\|\|)[ \t]{0,4}$/

/** A bar may be a table's or a type's, a line's end may end a heading. */
function strengthOf(connector: string): Connection {
  if (FALLBACK.test(connector)) return 'called'
  if (connector.includes('|') && !/[:=]/.test(connector)) return 'beside'
  return /\n|\\n/.test(connector) ? 'said' : 'assigned'
}

function findLooseConnector(text: string, end: number): Connector | undefined {
  const called = matchEnd(CALLED, text, end)
  if (called !== undefined) return { connection: 'called', end: called, isElement: false }
  const said = matchEnd(SAID, text, end)
  if (said !== undefined) return { connection: 'said', end: said, isElement: false }
  const beside = matchEnd(BESIDE, text, end)
  return beside === undefined ? undefined : { connection: 'beside', end: beside, isElement: false }
}

/** Where what `pattern` (sticky) finds at `at` ends. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/**
 * What stands between a telling name and its value: `=`, `": "`, ` is `, `>`, `", "value": "`, or only a space.
 * All patterns are sticky and every repetition in them is bounded, so that one try costs a constant.
 */

import { ALPHANUMERIC, classAt, skipForward, SPACE, unitAt } from '../character-classes.ts'
import { isInCookieFile } from '../secrets/session-cookie.ts'

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

/** Quotes in a text that was put into JSON, and that into JSON again, have one, three, seven backslashes before them. */
const ESCAPES = String.raw`\\{0,7}`
const CLOSERS = String.raw`(?:${ESCAPES}["'\x60]|\[\d{0,4}\](?=\s?=\s?${ESCAPES}["'])|[\])*_]|&quot;|&#39;|%22|</?(?:b|strong|code|em|td|th|dt|span|label)>){0,4}`
const BLANK = String.raw`(?:[ \t\u00a0\u3000]|&nbsp;|\\{1,7}[nt]){0,20}`
/** A character of white space, or, in a text inside JSON, its escape. */
const SPACING = String.raw`(?:\s|\\{1,7}[nrt])`
const IS =
  "(?:is|are|was|were|will be|should be|used to be|changed to|set to|reset to|became|becomes|reads|equals|to be|ist|war|lautet|sind|est|sont|es|son|é|è|e'|são|este|jest|je|to(?! [a-z]{3,20}(?: [a-z]{3,20})?:)|är|er|on(?! (?:\\S{1,64} ){1,3}(?:is|was)\\b| \\S{1,64}: )|olan|это|был|была|är|adalah|ialah|là|é:|są|isto é|είναι|है|היא|הוא|هي|هو)"
/** What some languages put behind the name: whose it is, and which. */
const WHICH =
  '(?: (?:mea|saya|anda|của tôi|của bạn|μου|σου|μας|שלי|שלך|temporal|provisional|inicial|actual|provisoire|temporaire|actuel|initial|provisóri[ao]|temporári[ao]|temporane[ao]|provvisori[ao]|iniziale|attuale|tymczasowe|такой))?'
const NOW =
  '(?: (?:now|set to|changed to|reset to|currently|still|just|simply|called|jetzt|ahora|agora|maintenant|been (?:changed|set|reset) to))?'
const LETTERS_OF_NAME = String.raw`[^\s:=.,;!?"'\x60]`
/** Of a thing's name: `Bob's`, `db1.example.org:5432`, `10.0.0.5`, `https://example.org/a`, a link; or in quotes, as code is in Markdown. */
const WORD_OF_NAME = String.raw`(?:${LETTERS_OF_NAME}{1,24}(?:(?:'${LETTERS_OF_NAME}{1,24}){1,2}|(?:\.${LETTERS_OF_NAME}{1,40}){1,6})?(?::\d{2,5}(?=[\s:]))?|${ESCAPES}["'\x60][^\s"'\x60\\]{1,64}${ESCAPES}["'\x60]|${ESCAPES}"[^"\n\\]{1,40}${ESCAPES}"|[a-z]{2,8}://[^\s"'\x60<>]{1,120}|\[[^[\]\n]{1,40}\]\([^\s()]{1,120}\))`
/** What stands before such a name; and what needs nothing before it (`Password wifi: ...`). */
const OF =
  'for|of|to|on|in|at|used by|für|fuer|fürs|im|beim|von|vom|zum|zur|de|del|des|du|da|do|à|para|pour|per|di|della|al|voor|van|op|dla|na|k|ke|za|för|til|till|på|hos|pentru|az|untuk|cho|για|στο|του|της|для|от|до|к|на|в|за|we use|you|i use|i have|that|que|che'
const THING = 'wi-?fi|wlan|vpn|rdp|ssh|ftp|root|admin|router|server|pc|nas'
const FOR = String.raw`(?: \([^()\n]{1,40}\)| \[[^[\]\n]{1,40}\]| #\d{1,2}|\(s\)| (?:${THING})(?![\w-])| (?:(?:${OF}) |@ ?|(?:d|dell|all|nell|sull)['\u2019])${WORD_OF_NAME}(?: ${WORD_OF_NAME}){0,6}?)?`

/** Of a label that its sign is a part of: `**Password:** ...`, `<b>Password:</b> ...`. A value's own emphasis has no blank behind it. */
const LABEL_END = String.raw`(?:(?:\*{1,3}|_{1,3}|</(?:b|strong|em|td|th|dt|span|label|p|div)>){1,3}(?=[\s<]|\\{1,7}[nrt]))?`
const FENCE = String.raw`(?:\x60{3}|~{3})`
/** The element that the value stands in or begins behind, or a block of code that holds nothing else: others begin with a command (`python3 manage.py ...`). */
const VALUE_BEGIN = String.raw`(?:(?:${SPACING}{0,4}<(?:b|br|strong|em|i|u|p|div|td|dd|span|font|kbd|tt|samp)(?: [^<>\n]{0,60}|/)?>){1,2}${SPACING}{0,4}|${SPACING}{0,4}${FENCE}\w{0,12}${SPACING}{1,4}(?=[^\s\\\x60]{1,256}${SPACING}{1,4}${FENCE})|${SPACING}{0,4}<pre(?: [^<>\n]{0,60})?>(?:<code(?: [^<>\n]{0,60})?>)?${SPACING}{0,4}(?=[^\s\\<]{1,256}${SPACING}{0,4}</))?`

/** `→`, `⇒`, and those of Dingbats and emoji. */
const ARROW = String.raw`(?:[\u2192\u21d2\u2794\u279c\u27a1\u27a4]\ufe0f?|\ud83d\udc49)`
/** What takes a literal and gives a text or a hash of it: `MD5('...')`, `bcrypt.hashSync("...")`, `String::from("...")`. */
const MADE_OF = String.raw`(?:(?:await |new )?(?:md5|sha\d{0,3}|(?:old_)?password|encrypt|bcrypt|make_?password|generate_password_hash|hash_?password|(?:secret_?)?str(?:ing)?|(?:[A-Za-z_]\w{0,31}(?:\.|::)){1,2}(?:make|hash(?:pw|_?sync|_?password)?|encode|from|quote(?:_plus)?))\(\s{0,8}(?=[bfrN@]?${ESCAPES}["'\x60]))`
/** Up to a label's sign, as in a printed list: `Password........: `. */
const LEADERS = String.raw`(?:\.{2,40}[ \t]{0,4}(?=:))?`

const ASSIGNED = new RegExp(
  String.raw`${CLOSERS}${BLANK}${LEADERS}(?::(?![ \t]{0,4}<[a-z]{1,8} )[ \t]{0,4}[\w&*<>\[\]?|' ]{1,40}=(?=[ \t]{0,4}(?:${MADE_OF}|[&bfr@]?${ESCAPES}["'\x60]))|:=|=>|->|<-(?=[ \t]{0,4}${ESCAPES}["'])|=&gt;|${ARROW}|[=!]={1,2}|\+?=(?:3D)?|(?:\?\?|\|\|)(?:=|(?=[ \t]?${ESCAPES}["'\x60]))|\?=|::?|\uff1a|\uff1d|\|(?=[ \t])|%3D|%3A)${LABEL_END}(?:${SPACING}|&nbsp;){0,24}(?:[|>][+-]?${SPACING}{1,24}|string\(\d{1,5}\) (?=${ESCAPES}["']))?${MADE_OF}?${VALUE_BEGIN}`,
  'iy',
)
const VALUE_FIELD = new RegExp(
  String.raw`${CLOSERS}(?:[,;]|\s?\{)?(?:[\s>]|\\{1,7}[nrt]){0,24}(?:(?<=\{(?:[ \r\n]|\\{1,7}[nrt]){0,24})(?:[a-z]{2,16} {1,16}= {1,4}(?:"[^"\n]{0,80}"|[\w.]{1,24})(?:[ \r\n]|\\{1,7}[nrt]){1,24}){0,3})?(?:${ESCAPES}["'])?(?:\w{0,12}value|default)(?:${ESCAPES}["'])?\s{0,4}[:=]\s{0,4}`,
  'iy',
)
/** `--name db-password --value ...` */
const VALUE_OPTION = /(?:\\{0,7}["'])? --value[ =]/y
const QUOTED_FIELD = String.raw`${ESCAPES}"[\w.$-]{1,24}${ESCAPES}"\s{0,4}:\s{0,4}(?:${ESCAPES}"[^"\\\n]{0,60}${ESCAPES}"|[\w.+-]{1,24})`
const NEXT_LINE = String.raw`${SPACING}{0,24}`
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
/** Of a table, `<td>Password</td><td>...`, or an element of one word behind the name's. The cell's own tags may have been read as what closes the name. */
const NEXT_CELL = String.raw`(?:(?:</(?:div|p)>)?${NEXT_LINE}<(?:div|p|span|code|b|strong|i|em)(?: [^<>\n]{0,60})?>(?![A-Za-z_]{1,64}\d{0,2}<|[^<>]{0,64}&nbsp;)(?=[^\s<>]{4,64}${SPACING}{0,4}</)|(?<=</t[dh]>\s{0,8}<td>)|(?:${NEXT_LINE}</(?:t[dh]|dt)>)?${NEXT_LINE}<(?:td|dd)(?: [^<>\n]{0,60})?>)${NEXT_LINE}(?:<(?:b|strong|code|span)>)?`
/** That the value follows. */
const BELOW =
  'the following|as follows|below|here|wie folgt|le suivant|la siguiente|la seguente|a seguinte|als volgt|następujące|следующий'
/** A blank, but before an element. */
const BEHIND_SIGN = String.raw`(?:${SPACING}{1,4}|(?=<))`
const SAID = new RegExp(
  String.raw`${CLOSERS}${WHICH}${FOR}(?:,? (?:is|was|has been) (?:generated|created|set) for [^\s:]{1,64}: |,? ${IS}(?: (?:${BELOW})(?=\s?:)|${NOW})\s?:?${LABEL_END}${BEHIND_SIGN}|${NOW.slice(0, -1)}\s?:${LABEL_END}${BEHIND_SIGN}|\s?(?:[:=\u2013\u2014]|${ARROW}|[-=]>)${SPACING}{1,4}| - |(?:は|是|为|為|는|은|：)\s{0,2}|${NEXT_CELL})${VALUE_BEGIN}`,
  'iy',
)
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

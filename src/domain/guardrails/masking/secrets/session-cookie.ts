import { classAt, DIGIT, SPACE } from '../character-classes.ts'

/** Whether a name is a session's or a login's (of ASP.NET before Core, too) in a list of cookies: what it holds there lets anyone in, as short and plain as it may be. */
const SESSION = /(?:session|session_?id|sess|sid|\.(?:application|shared|external)cookie)$/i

/** Of logins that last: Spring's and others', Laravel's, ASP.NET's, WordPress's. Elsewhere than in a list they name a box to tick or a program's part. */
const LOGIN =
  /(?:remember[-_]?me|^(?:__(?:secure|host)-)?(?:remember_[a-z_]{1,32}_[\da-f]{32,64}|\.aspnet(?:core)?\.(?:cookies|identity\.(?:application|external|twofactoruserid))(?:c\d)?|wordpress_(?:(?:logged_in|sec)_)?[\da-f]{32}))$/i
/** How those of them end that are no word with an underscore or digit, and no telling one. */
export const LOGIN_ENDS: readonly string[] = [
  'rememberme',
  'remember-me',
  'net.cookies',
  'core.cookies',
  'identity.application',
  'identity.external',
  'twofactoruserid',
]

/** A header, its field in JSON or a program, or an option of curl: what stands behind it on its line is a list of cookies. */
const COOKIES = /cookies?["'\\]{0,8}\s?[:=]|--cookie[ =]|\s-b ["']/i
/** Without quotes it is an option of other programs as well. */
const COOKIES_OF_CURL = /\s-b /
/** A header as a browser's archive has it, `"name": "Cookie", "value": "`, on one line or two. */
const COOKIES_OF_ARCHIVE = /cookie\\{0,7}["'],\s{0,24}\\{0,7}["']value\\{0,7}["']\s{0,4}:\s{0,4}\\{0,7}["']$/i
const LONGEST_ARCHIVED = 80

/** A call or an element of a program's, up to the cookie's name: `cookies.set('`, `setCookie("`, `$_COOKIE['`, `add_cookie({"name": "`. */
const COOKIE_OF_CODE =
  /cookies?(?:\.(?:set|put|add|append))?\s?[([]\s{0,4}(?:\{\s{0,4}\\{0,7}["']?name\\{0,7}["']?\s{0,2}[:=]\s{0,4})?\\{0,7}["']$/i
/** The same as a member: `req.cookies.sid`. */
const MEMBER = /cookies?\.\w{1,64}$/i

/** How far a list of cookies is read back, characters. */
const LONGEST_LIST = 1024

/** Cookies by their names, and a list of them with a name and a value each. */
const JAR_BY_NAME = /cookies?\\{0,7}["']?\s?[:=]\s{0,8}\{/i
const JAR_IN_LIST = /cookies?\\{0,7}["']?\s?[:=]\s{0,8}\[/i
/** What only a cookie has beside its name, as browsers and what steers them write it. */
const ATTRIBUTE = /\b(?:http_?only|host_?only|same_?site)\b/i

/** A line of a file of cookies, as curl writes it, up to the cookie's name. */
const LINE_OF_FILE =
  /^(?:#HttpOnly_)?[\w.:-]{1,253}[\t ]{1,8}(?:TRUE|FALSE)[\t ]{1,8}[^\s]{1,200}[\t ]{1,8}(?:TRUE|FALSE)[\t ]{1,8}\d{1,20}(?:\.\d{1,9})?[\t ]{1,8}$/
const LONGEST_LINE_OF_FILE = 512

/** The name `[start, end)`. */
export function isSessionCookie(text: string, start: number, end: number): boolean {
  return SESSION.test(text.slice(start, end)) && isInList(text, start, end)
}

/** The name `[start, end)`. */
export function isLoginCookie(text: string, start: number, end: number): boolean {
  return LOGIN.test(text.slice(start, end)) && isInList(text, start, end)
}

/** Whether it is a session's or a login's, where what holds it says that it is a cookie's. */
export function isTellingCookie(name: string): boolean {
  return SESSION.test(name) || LOGIN.test(name)
}

/** Whether the name at `start` is one in a file of cookies: its value stands behind the blank. */
export function isInCookieFile(text: string, start: number): boolean {
  if ((classAt(text, start - 1) & SPACE) === 0 || (classAt(text, start - 2) & (DIGIT | SPACE)) === 0) return false
  return LINE_OF_FILE.test(lineBefore(text, start, LONGEST_LINE_OF_FILE))
}

function isInList(text: string, start: number, end: number): boolean {
  const line = lineBefore(text, start, LONGEST_LIST)
  if (COOKIES.test(line) || COOKIE_OF_CODE.test(line.slice(-LONGEST_ARCHIVED)) || MEMBER.test(text.slice(start, end)))
    return true
  if (line.includes('curl') && COOKIES_OF_CURL.test(line)) return true
  return isInCookieFile(text, start) || isInJar(text, start, end) || isInArchive(text, start)
}

function lineBefore(text: string, start: number, longest: number): string {
  const before = text.slice(Math.max(0, start - longest), start)
  return before.slice(before.lastIndexOf('\n') + 1)
}

/** In quotes, among the cookies of an object or list, or beside what only cookies have. */
function isInJar(text: string, start: number, end: number): boolean {
  if (!QUOTES.includes(text.charAt(start - 1))) return false
  const before = text.slice(Math.max(0, start - LONGEST_LIST), start)
  if (JAR_BY_NAME.test(before.slice(before.lastIndexOf('}') + 1))) return true
  if (JAR_IN_LIST.test(before.slice(before.lastIndexOf(']') + 1))) return true
  const behind = text.slice(end, end + LONGEST_LIST)
  const close = behind.indexOf('}')
  return (
    ATTRIBUTE.test(before.slice(before.lastIndexOf('{') + 1)) ||
    ATTRIBUTE.test(close < 0 ? behind : behind.slice(0, close))
  )
}

function isInArchive(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_LIST), start)
  const open = Math.max(before.lastIndexOf('"'), before.lastIndexOf("'"))
  return open >= 0 && COOKIES_OF_ARCHIVE.test(before.slice(Math.max(0, open - LONGEST_ARCHIVED), open + 1))
}

const QUOTES = `"'`

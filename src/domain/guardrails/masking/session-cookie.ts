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

/** How far a list of cookies is read back, characters. */
const LONGEST_LIST = 1024

/** The name `[start, end)`. */
export function isSessionCookie(text: string, start: number, end: number): boolean {
  return SESSION.test(text.slice(start, end)) && isInList(text, start)
}

/** The name `[start, end)`. */
export function isLoginCookie(text: string, start: number, end: number): boolean {
  return LOGIN.test(text.slice(start, end)) && isInList(text, start)
}

function isInList(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_LIST), start)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  return COOKIES.test(line) || (line.includes('curl') && COOKIES_OF_CURL.test(line))
}

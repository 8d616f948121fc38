/** Whether a name is a session's in a list of cookies: what it holds there lets anyone in, as short and plain as it may be. */
const SESSION = /(?:session|session_?id|sess|sid)$/i

/** A header, its field in JSON or a program, or an option of curl: what stands behind it on its line is a list of cookies. */
const COOKIES = /cookies?["'\\]{0,8}\s?[:=]|--cookie[ =]|\s-b ["']/i

/** How far a list of cookies is read back, characters. */
const LONGEST_LIST = 1024

/** The name `[start, end)`. */
export function isSessionCookie(text: string, start: number, end: number): boolean {
  if (!SESSION.test(text.slice(start, end))) return false
  const before = text.slice(Math.max(0, start - LONGEST_LIST), start)
  return COOKIES.test(before.slice(before.lastIndexOf('\n') + 1))
}

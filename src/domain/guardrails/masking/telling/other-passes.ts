/**
 * `pass` where it is no password: the verb in front of what is handed on (`pass user2Id to it`), the result of a test
 * (`--- PASS: TestIndexAny (0.00s)`), how many passed (`pass: 1203, fail: 4`, `pass: 12/12`), one of several (`first pass: inline2`).
 */
import { matchEnd, type Connection } from './telling-connector.ts'

const WINDOW = 80
/** What stands in front of the noun, and never of the verb. */
const NOUN = /\b(?:my|your|our|his|her|their|root|admin|wi-?fi|db|ssh|vpn) $/i
/** What stands before the name on the line of a result. */
const BEFORE_RESULT = /(?:^|\n|\\{1,7}n|["'\x60])[ \t>|+#-]{0,24}$/
const RUN_OF_GO = /--- $/
const RESULT = String.raw`(?:PASS|FAIL|XFAIL|XPASS|SKIP|ERROR|TODO|UNSUPPORTED|UNTESTED|UNRESOLVED)\b`
const LINE_BREAK = String.raw`(?:\r?\n|\\{1,7}n)[ \t>|+#-]{0,24}`
/** The line before is one as well, or the one after, or it says how long the test took. */
const RESULT_BEFORE = new RegExp(
  String.raw`(?:^|\n|\\{1,7}n)[ \t>|+#-]{0,24}(?:--- )?${RESULT}[^\n]{0,200}\n[ \t>|+#-]{0,24}$`,
)
const RESULT_AFTER = new RegExp(String.raw`[^\n\\]{0,200}${LINE_BREAK}(?:--- )?${RESULT}`, 'y')
const DURATION = /[^\n\\]{0,80}[([ ]\d+(?:\.\d+)? ?(?:m?s|sec|seconds)\b/y
/** A path of a file or of PHP's classes. */
const TEST_FILE = /^[\w.-]+(?:[\\/][\w.-]+)+$/
const LONGEST_LINE = 256

/** `pass to` what takes it; a password is changed to another. */
const TO = /^\s{1,2}to\s/i
const FAILED = /\bfail/i
/** An option, a text that a program reads in its own quotes, a call: pass `-Dfoo=no` to it, pass `"proxy"`, pass `logger.V(3)`. */
const OF_PROGRAM = /^(?:-{1,2}[A-Za-z]|(["'])[\w.-]*\1$|[A-Za-z_][\w.]*\([^()]*\)$)/
/** `pass %lu/%lu` */
const FORMAT = /^\W{0,2}%l{0,2}[disux]\b/
const ONE_OF_SEVERAL =
  /\b(?:first|second|third|fourth|last|final|next|same|each|every|single|one|two|render(?:ing)?|shadow|lighting|compute|compiler|optimi[sz](?:er|ation)|analysis|combined|forward|backward|boarding|ski) $/i
/** No name or literal of a program has one; and what may be anybody's code, `wifi=4711`. */
const OF_PASSWORD = /[!@#%^&+?~|]|^[a-z_]+=\d+$/
/** The same with a digit: `last pass: done!` */
const OF_PASSWORD_ALONE = /^(?=.*\d)(?=.*[A-Za-z]).*[!@#%^&+?~|]/

/** @param value from the name `[start, end)`; `isLast`: nothing follows it on its line */
export function isOtherPass(
  text: string,
  start: number,
  end: number,
  value: { readonly start: number; readonly end: number },
  connection: Connection,
  isLast: boolean,
): boolean {
  const content = text.slice(value.start, value.end)
  if (connection === 'said' && TO.test(text.slice(end, value.start))) return true
  const before = text.slice(Math.max(0, start - WINDOW), start)
  if (value.end <= start && /\bto $/i.test(before)) return true
  if (connection === 'beside' && OF_PROGRAM.test(content)) return true
  if (connection === 'beside' && !isLast && !OF_PASSWORD.test(content) && !NOUN.test(before)) return true
  if ((ONE_OF_SEVERAL.test(before) && !OF_PASSWORD_ALONE.test(content)) || FORMAT.test(content)) return true
  if (/^\d+\/\d+$/.test(content)) return true
  if (/^\d+$/.test(content)) return FAILED.test(before.slice(-40)) || FAILED.test(text.slice(value.end, value.end + 40))
  return text.slice(start, end) === 'PASS' && isResult(text, start, value.end, content)
}

function isResult(text: string, start: number, valueEnd: number, content: string): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_LINE), start)
  if (RUN_OF_GO.test(before)) return true
  if (!BEFORE_RESULT.test(before)) return false
  return (
    TEST_FILE.test(content) ||
    RESULT_BEFORE.test(before) ||
    matchEnd(RESULT_AFTER, text, valueEnd) !== undefined ||
    matchEnd(DURATION, text, valueEnd) !== undefined
  )
}

/**
 * Texts whose lines have something in front that a program has put there: a number (`cat -n`, and how coding agents read files), a
 * place (`grep -n`), the sign of a diff or a quotation, a container's name, the time of a log; and the sign of a comment. What a word
 * tells of over a line's end (a table, a list of YAML, a wallet's words, a private key that was cut) shows only in the text without
 * them, which is read beside the text as it is. Before what is left may stand another: `12: + `.
 *
 * A line's beginning counts where the line before or after has the same, with the next number. Comments and times stand in most code
 * and logs, so these count only in texts in which a line with one ends with what tells of the next.
 */
import type { Steps } from '../../../steps.ts'
import type { Finding } from '../finding.ts'
import { TELLING_STEMS } from '../telling/telling-name.ts'

/** Characters of a step. */
const WINDOW = 32 * 1024
/** Of a line, to see how it begins. */
const LONGEST_PREFIX = 240
const NUMBER = String.raw` {0,8}(\d{1,7})(?:[\t\u2192]|: ?| {1,2}[|\u2502] ?)`
const PLACE = String.raw`(?!\d{4}-\d\d-\d\dT\d\d:)[\w./@+-]{1,200}:(\d{1,7}):`
/** Of a line beside one that was found: `grep -C 2`. */
const CONTEXT = String.raw`[\w./@+-]{1,180}\.[A-Za-z]\w{0,7}-(\d{1,7})-`
const CONTAINER = String.raw`[\w.-]{1,40} {1,24}\| `
/** Of several, whose lines stand among one another, with the bars below one another: `web-1    | `. */
const OF_SEVERAL = /^[\w.-]{1,36}[-_]\d{1,3} {1,24}\| $/
const QUOTATION = '(?:> ?){1,4}'
const ADDED = String.raw`\+(?!\+)`
const COMMENT = String.raw`[ \t]{0,24}(?:#{1,3}(?!#)|//[/!]?|--(?!-)|;{1,2}|(?<=[ \t])\*(?!\*)|(?:REM|rem)(?=\s)) ?`
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`
const TIME = String.raw`(?:\[?(?:\d{4}-\d\d-\d\d[T ])?${CLOCK}(?:Z|[+-]\d\d:?\d\d)?\]?(?: std(?:out|err) [FP])?|[A-Z][a-z]{2} [ \d]\d ${CLOCK} [\w.-]{1,64} [\w./-]{1,64}(?:\[\d{1,7}\])?:) `
const PREFIX = new RegExp(
  `^(?:(?<numbered>${NUMBER})|(?<place>${PLACE})|(?<context>${CONTEXT})|${CONTAINER}|${QUOTATION}|${ADDED}|(?<comment>${COMMENT})|(?<time>(?:[^\t\n]{1,60}\t){0,2}${TIME}))`,
)
const HUNK = '@@ -'
const HUNK_MARK = '@@'.length
const LIKELY = new RegExp(String.raw`\n(?:${NUMBER}|${HUNK}|${PLACE}|${CONTEXT}|${CONTAINER}|${QUOTATION}|${ADDED})`)
const LONGEST_STEM = Math.max(...TELLING_STEMS.map(({ length }) => length))
const STEM = `(?:${TELLING_STEMS.join('|')})`
/** How a line ends that tells of the next: a name and a sign, the name of a field called `name`, a table's names, a private key's first line. */
const TELLS_OF_NEXT = [
  String.raw`[^\n]{0,120}?${STEM}[\w-]{0,12}(?: (?:phrase|words|codes?|key)| (?:to|for)(?: [\w@.-]{1,24}){1,4})?["'\x60*)\]]{0,3}[ \t]{0,4}[:=>|{\[]{1,3}[+-]?[ \t]{0,4}\r?\n`,
  String.raw`[ \t]{0,24}(?:- )?["']?(?:name|key)["']?[:=] {0,4}["']?[\w.-]{0,40}?${STEM}[\w-]{0,12}["']?,?\r?\n`,
  String.raw`(?=[^\n]{0,120}?${STEM})(?:[\w"']{1,40}(?:[,;][\w"'-]{1,40}){1,20}|\|?[\w "']{1,40}(?:[|\t][\w "'-]{1,40}){1,20}\|?)\r?\n`,
  String.raw`(?=[^\n]{0,120}?${STEM})\w{1,40}(?: {2,24}\w{1,40}){1,12} {0,24}\r?\n`,
  String.raw`[^\n]{0,16}BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY`,
].join('|')
const COMMENT_OR_TIME = String.raw`(?:${COMMENT}|(?:(?:[^\t\n]{1,60}\t){1,2}(?=20))?${TIME})`
/** What most texts have no line of: asked before their words. */
const HAS_COMMENT_OR_TIME = new RegExp(String.raw`\n${COMMENT_OR_TIME}`)
/** At the beginning of a line. */
const LIKELY_TO_TELL = new RegExp(`${COMMENT_OR_TIME}(?:${TELLS_OF_NEXT})`, 'iy')
/** What each of these has: searched for first, as few lines of logs and comments do. */
const TELLING_WORD = new RegExp(STEM, 'gi')
/** Of a line, up to such a word in what tells of the next. */
const LONGEST_TELLING = 512

interface Prefix {
  /** The same for lines that go on with it. */
  readonly form: string
  readonly number: number | undefined
  readonly length: number
}

/** The text without them; undefined where it has none. */
export function* withoutPrefixes(text: string): Steps<string | undefined> {
  if (!(yield* isLikely(text))) return undefined
  const lines = new PrefixedLines(text)
  let plain = ''
  // Of a step: a text may be nothing but line ends.
  let rests: string[] = []
  let stepEnd = WINDOW
  while (lines.next()) {
    rests.push(text.slice(lines.start + lines.cut, lines.end))
    if (lines.end < stepEnd) continue
    stepEnd = lines.end + WINDOW
    plain += rests.join('')
    rests = []
    yield
  }
  plain += rests.join('')
  return plain.length === text.length ? undefined : plain
}

/** Findings of what `withoutPrefixes` gives, in order of place, at their places in the text. */
export function* amongPrefixes(text: string, findings: readonly Finding[]): Steps<Finding[]> {
  const lines = new PrefixedLines(text)
  /** Where the line's rest begins in the plain text. */
  let plainStart = 0
  let stepEnd = WINDOW
  lines.next()
  function* placeOf(offset: number): Steps<number> {
    while (offset >= plainStart + lines.end - lines.start - lines.cut) {
      plainStart += lines.end - lines.start - lines.cut
      if (!lines.next()) break
      if (lines.end < stepEnd) continue
      stepEnd = lines.end + WINDOW
      yield
    }
    return lines.start + lines.cut + offset - plainStart
  }
  const places: Finding[] = []
  for (const finding of findings) {
    const start = yield* placeOf(finding.start)
    const end = (yield* placeOf(finding.end - 1)) + 1
    places.push({ ...finding, start, end })
  }
  return places
}

const PLACE_HERE = new RegExp(`${PLACE}|${CONTEXT}`, 'y')

/** Whether a line begins at `at` with its place, as `grep -n` and compilers write it. */
export function isPlaceOfLine(text: string, at: number): boolean {
  if (at > 0 && text.charCodeAt(at - 1) !== 0x0a) return false
  PLACE_HERE.lastIndex = at
  return PLACE_HERE.test(text)
}

/** What a word only tells of, and may be such a beginning itself. A column's value is none: its header has no such beginning. */
const TOLD = /-value$/

/** Findings of the text, in order of place, but for those that a word tells of in what stands in front of the next line: `password:\na.txt:12:`. */
export function* outsidePrefixes(text: string, findings: readonly Finding[]): Steps<Finding[]> {
  const lines = new PrefixedLines(text)
  let stepEnd = WINDOW
  const outside: Finding[] = []
  for (const finding of findings) {
    while (finding.start >= lines.end && lines.next()) {
      if (lines.end < stepEnd) continue
      stepEnd = lines.end + WINDOW
      yield
    }
    if (finding.start >= lines.start + lines.cut || !TOLD.test(finding.rule)) outside.push(finding)
  }
  return outside
}

function* isLikely(text: string): Steps<boolean> {
  if (!text.includes('\n')) return false
  for (let from = 0; from < text.length; from += WINDOW) {
    if (from > 0) yield
    // With what stands before it: where it begins no line may.
    const window = from === 0 ? `\n${text.slice(0, WINDOW)}` : text.slice(from - 1, from + WINDOW + LONGEST_PREFIX)
    if (LIKELY.test(window) || (HAS_COMMENT_OR_TIME.test(window) && mayTellOfNext(text, from))) return true
  }
  return false
}

/** Whether a line that begins as a comment or with a time ends with what tells of the next, of those with a telling word in the window. */
function mayTellOfNext(text: string, from: number): boolean {
  const window = text.slice(from, from + WINDOW + LONGEST_STEM)
  TELLING_WORD.lastIndex = 0
  for (let word = TELLING_WORD.exec(window); word !== null; word = TELLING_WORD.exec(window)) {
    const at = from + word.index
    const before = text.slice(Math.max(0, at - LONGEST_TELLING), at)
    LIKELY_TO_TELL.lastIndex = at - before.length + before.lastIndexOf('\n') + 1
    if (LIKELY_TO_TELL.test(text)) return true
    const lineEnd = window.indexOf('\n', word.index)
    if (lineEnd < 0) return false
    TELLING_WORD.lastIndex = lineEnd
  }
  return false
}

/** The lines of a text, one after the other. */
class PrefixedLines {
  readonly #text: string
  #isInHunk = false
  #before: Prefix | undefined
  #upcoming: Prefix | undefined
  /** Of the line, with its break. */
  start = 0
  end = 0
  /** How much stands in front of it. */
  cut = 0

  constructor(text: string) {
    this.#text = text
    this.#upcoming = prefixAt(text, 0)
  }

  /** On to the next line; whether there is one. */
  next(): boolean {
    const text = this.#text
    if (this.end >= text.length) return false
    this.start = this.end
    const lineBreak = text.indexOf('\n', this.start)
    this.end = lineBreak < 0 ? text.length : lineBreak + 1
    const prefix = this.#upcoming
    this.#upcoming = prefixAt(text, this.end)
    this.cut = this.#cutOf(prefix)
    this.#before = prefix
    return true
  }

  #cutOf(prefix: Prefix | undefined): number {
    if (this.#text.startsWith(HUNK, this.start)) {
      this.#isInHunk = true
      // So that the text without its signs is no diff again, of which the first blank of every line would be taken.
      return HUNK_MARK
    }
    this.#isInHunk &&= ' +-\\\r\n'.includes(this.#text.charAt(this.start) || ' ')
    if (this.#isInHunk) return this.end - this.start > 1 && ' +-'.includes(this.#text.charAt(this.start)) ? 1 : 0
    if (prefix === undefined) return 0
    return goesOn(this.#before, prefix) || goesOn(prefix, this.#upcoming) ? prefix.length : 0
  }
}

function prefixAt(text: string, at: number): Prefix | undefined {
  const match = PREFIX.exec(text.slice(at, at + LONGEST_PREFIX))
  if (match === null) return undefined
  const [prefix, , ofLine, , ofPlace, , ofContext] = match
  const digits = ofLine ?? ofPlace ?? ofContext
  const { length } = prefix
  if (match.groups?.['comment'] !== undefined) return { form: prefix.trimEnd(), number: undefined, length }
  if (OF_SEVERAL.test(prefix)) return { form: String(length), number: undefined, length }
  if (match.groups?.['time'] !== undefined) return { form: prefix.replace(/\d/g, '0'), number: undefined, length }
  // Of an empty line that is quoted, the blank may be missing.
  if (digits === undefined) return { form: prefix.trimEnd(), number: undefined, length }
  if (ofLine === undefined) return { form: prefix.replace(/.\d+.$/, '::'), number: Number(digits), length }
  return { form: prefix.trimStart().replace(/\d+(?=\D*$)/, ''), number: Number(digits), length }
}

function goesOn(one: Prefix | undefined, next: Prefix | undefined): boolean {
  if (one === undefined || next === undefined || one.form !== next.form) return false
  return one.number === undefined || next.number === one.number + 1
}

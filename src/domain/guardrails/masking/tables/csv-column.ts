/**
 * Tables in text: where the first line names a column that tells of a secret (`user,password`), that column of the lines below.
 * The line break may be an escaped one (`\n`), as in a table inside a JSON string, and lines may be quoted (`> `).
 * Lines are read once: a table ends where the number of fields changes, and no line of it is taken for a header again.
 */
import { Rows, type Column, type Field, type Row } from './table-rows.ts'

const LONGEST_HEADER = 512
const LONGEST_LINE = 2048
/** Lines of prose and code have as many by chance. */
const FEW_FIELDS = 3
const LINE_BREAK = /\n|(?:\\{1,7}r)?\\{1,7}n/
/** Every field begins with a letter after its separator, so a line is read in one way only. */
const HEADER =
  /^(?:> ?)?\s*[|\u2502]?\s*["']?[\p{L}_][\w\p{L} .()-]{0,40}["']?(?:[,;\t|\u2502]\s*["']?[\p{L}_][\w\p{L} .()-]{0,40}["']?){1,40}[|\u2502]?\s*$/u

/** Names parted by two blanks and more, as `column -t` and `kubectl` write them. */
const ALIGNED =
  /^[ \t>]*[\p{L}_][\w\p{L}.()-]{0,40}(?: [\w\p{L}.()-]{1,40}){0,2}(?: {2,40}[\p{L}_][\w\p{L}.()-]{0,40}(?: [\w\p{L}.()-]{1,40}){0,2}){1,12}[ \r]*$/u
/** One of the others: whose secret it is, without which such lines are a list of settings (`type   password`). */
const OWNER =
  /^[ \t>]*(?:.{0,40} {2})?(?:user[ _-]?(?:name|id)?|usr|log-?in|name|account|(?:e-?)?mail|host(?:name)?|service|server|site|system|benutzer|nom|usuario|nome|utilisateur)(?: {2}|[ \r]*$)/i
const OF_SECRET = /^(?=.*[A-Za-z])(?=.*[\d!@#$%^&*?+=])\S+$|^\d{4,}$/
const BLANKS = / {2,}/
/** As `psql`, `mysql` and programs with lines of Unicode draw it. */
const RULER =
  /^[ \t>]*(?:\+?-{2,}(?:\+-{2,})*\+?|[\u251c\u255e\u2560]?[\u2500\u2501\u2550]{2}[\u2500-\u257f]*)[ \t\r]*$/

/**
 * The column below the name `[start, end)`; undefined where its line is no header of a table. Where the next line has the same in
 * front of its only bar, that is a container's name (`app-1  | new password`).
 */
export function readColumn(text: string, start: number, end: number): Column | undefined {
  const windowStart = Math.max(0, start - LONGEST_HEADER)
  const found = LINE_BREAK.exec(text.slice(end, end + LONGEST_HEADER))
  if (found === null) return undefined
  const lineBreak = found[0]
  const lineStart = lineStartOf(text, windowStart, start, lineBreak)
  if (lineStart === windowStart && windowStart > 0) return undefined
  const lineEnd = end + found.index
  const header = text.slice(lineStart, lineEnd)
  const separator = separatorOf(header)
  if (separator === undefined) return readAligned(text, start, end, lineStart, lineEnd, lineBreak)
  if (!HEADER.test(header)) return undefined
  const names = header.split(separator)
  if (!names.every(isClosed)) return undefined
  const [first = ''] = names
  if (names.length === 2 && text.startsWith(`${first}|`, lineEnd + lineBreak.length) && !OWNER.test(first))
    return undefined
  const index = header.slice(0, end - lineStart).split(separator).length - 1
  const shape = { lineBreak, separator, count: names.length, index }
  return { headerEnd: lineEnd, rows: new Rows(lineEnd + lineBreak.length, (at) => readLine(text, at, shape)) }
}

/** The column of a table whose columns two blanks and more part; the name has to be a column's whole one. */
function readAligned(
  text: string,
  start: number,
  end: number,
  lineStart: number,
  lineEnd: number,
  lineBreak: string,
): Column | undefined {
  const header = text.slice(lineStart, lineEnd)
  if (!/ {2}/.test(header) || !/^(?: {2}|[ \r]*$)/.test(text.slice(end, lineEnd))) return undefined
  const before = text.slice(lineStart, start)
  if (!/(?:^[ \t>]*| {2})(?:[A-Z]{2,12} )?$/.test(before) || !ALIGNED.test(header) || !OWNER.test(header))
    return undefined
  const count = header
    .replace(/^[ \t>]+/, '')
    .trimEnd()
    .split(BLANKS).length
  const index = before.replace(/^[ \t>]+/, '').split(BLANKS).length - 1
  return {
    headerEnd: lineEnd,
    rows: new Rows(lineEnd + lineBreak.length, (at) =>
      readAlignedLine(text, at, { lineBreak, separator: ' ', count, index }),
    ),
  }
}

/** A row of such a table; its value has a digit or a sign, as other words may be aligned below names. */
function readAlignedLine(text: string, at: number, { lineBreak, count, index }: TableShape): Row | undefined {
  const lineEnd = lineEndOf(text, at, lineBreak)
  if (at >= text.length || lineEnd - at > LONGEST_LINE) return undefined
  const line = text.slice(at, lineEnd)
  const next = text.startsWith(lineBreak, lineEnd) ? lineEnd + lineBreak.length : undefined
  if (/^[ \t>]*-{2,}(?: +-{2,})*[ \r]*$/.test(line)) return { field: undefined, end: lineEnd, next }
  const open = /^[ \t>]*/.exec(line)?.[0].length ?? 0
  const fields = line.slice(open).trimEnd().split(BLANKS)
  const value = fields[index] ?? ''
  if (fields.length !== count) return undefined
  let start = open
  for (const field of fields.slice(0, index)) start = line.indexOf(field, start) + field.length
  start = at + line.indexOf(value, start)
  const field = OF_SECRET.test(value) ? { start, end: start + value.length } : undefined
  return { field, end: lineEnd, next }
}

/** Whether each bracket closes in the name itself: in `mix(seed, hash)`, a call, none does. */
function isClosed(name: string): boolean {
  return name.split('(').length === name.split(')').length
}

/** The last line break before `start`, or for an escaped one also the quote that the string begins with. */
function lineStartOf(text: string, from: number, start: number, lineBreak: string): number {
  const before = text.slice(from, start)
  const last = before.lastIndexOf(lineBreak)
  if (lineBreak === '\n') return from + last + 1
  return from + Math.max(last < 0 ? 0 : last + lineBreak.length, before.lastIndexOf('"') + 1)
}

function separatorOf(header: string): string | undefined {
  return [',', ';', '\t', '|', '\u2502'].find((separator) => header.includes(separator))
}

export interface TableShape {
  readonly lineBreak: string
  readonly separator: string
  /** Fields of a row. */
  readonly count: number
  /** Of the column's field. */
  readonly index: number
}

/**
 * The row that begins at `at`; undefined where it has another number of fields. A ruler between lines is a row without any, and so is one
 * of another number (an empty one, a comma too many) where the next is as it should be.
 */
export function readLine(text: string, at: number, shape: TableShape): Row | undefined {
  const row = readRow(text, at, shape)
  if (row !== undefined || shape.count < FEW_FIELDS) return row
  const other = rowOf(text, lineEndOf(text, at, shape.lineBreak), shape.lineBreak, undefined)
  return other.next !== undefined && readRow(text, other.next, shape) !== undefined ? other : undefined
}

function readRow(text: string, at: number, shape: TableShape): Row | undefined {
  const { lineBreak } = shape
  const lineEnd = lineEndOf(text, at, lineBreak)
  if (at >= text.length || lineEnd - at > LONGEST_LINE) return undefined
  if (RULER.test(text.slice(at, lineEnd))) return rowOf(text, lineEnd, lineBreak, undefined)
  const row = rowUpTo(text, at, lineEnd, shape)
  if (row !== undefined) return row
  // Nearly every row is its line.
  const quotedEnd = quotedEndOf(text, at, lineEnd, lineBreak)
  return quotedEnd === lineEnd ? undefined : rowUpTo(text, at, quotedEnd, shape)
}

function rowUpTo(text: string, at: number, end: number, shape: TableShape): Row | undefined {
  const fields = fieldsOf(text.slice(at, end), shape.separator)
  return fields.length === shape.count ? rowOf(text, end, shape.lineBreak, spanOfField(fields, at, shape)) : undefined
}

function rowOf(text: string, end: number, lineBreak: string, field: Field | undefined): Row {
  return { field, end, next: text.startsWith(lineBreak, end) ? end + lineBreak.length : undefined }
}

function spanOfField(fields: readonly string[], at: number, { index, separator }: TableShape): Field | undefined {
  const field = fields[index] ?? ''
  const start = at + fields.slice(0, index).reduce((sum, { length }) => sum + length + separator.length, 0)
  const open = /^(?:[\s"'>]|\\{1,7}["'])*/.exec(field)?.[0].length ?? 0
  const close = /(?:[\s"']|\\{1,7}["'])*$/.exec(field)?.[0].length ?? 0
  return open + close < field.length ? { start: start + open, end: start + field.length - close } : undefined
}

/** What a field begins with that may hold separators, and line ends. */
const QUOTE = /^[\s>]*\\{0,7}"/

/** Up to the separators outside of quotes: `2,"Souza, Anna",hunter2`. Where a quote never closes it is a sign like others. */
function fieldsOf(row: string, separator: string): readonly string[] {
  const parts = row.split(separator)
  if (!row.includes('"')) return parts
  const fields: string[] = []
  let open: string | undefined
  let quotes = 0
  for (const part of parts) {
    // Of a field that begins with none, quotes are not counted.
    if (open === undefined) quotes = QUOTE.test(part) ? 0 : NaN
    open = open === undefined ? part : open + separator + part
    quotes += part.split('"').length - 1
    if (quotes % 2 === 1) continue
    fields.push(open)
    open = undefined
  }
  return open === undefined ? fields : parts
}

/** Where the row ends if line ends in quotes are its own, as exports have notes and addresses. */
function quotedEndOf(text: string, at: number, lineEnd: number, lineBreak: string): number {
  const most = at + LONGEST_LINE
  let quotes = 0
  let from = at
  for (let end = lineEnd; end <= most; end = lineEndOf(text, from, lineBreak)) {
    quotes += text.slice(from, end).split('"').length - 1
    if (quotes % 2 === 0 || !text.startsWith(lineBreak, end)) return end
    from = end + lineBreak.length
  }
  return lineEnd
}

/** A table inside a string ends with it, whose quote has fewer backslashes than its line breaks. The search is bounded, as longer lines end the table anyway. */
function lineEndOf(text: string, at: number, lineBreak: string): number {
  const line = text.slice(at, at + LONGEST_LINE + 1)
  const found = line.indexOf(lineBreak)
  const end = found < 0 ? line.length : found
  if (lineBreak === '\n') return at + end
  const backslashes = lineBreak.search(/[rn]/)
  for (const { 0: quote, index } of line.slice(0, end).matchAll(/\\{0,7}"/g))
    if (quote.length - 1 < backslashes) return at + index
  return at + end
}

/**
 * The values of a column that SQL inserts: `INSERT INTO users (name, password) VALUES ('bob', '...'), ('alice', crypt('...', 'salt'))`,
 * and those of a dump of PostgreSQL: `COPY users (name, password) FROM stdin;` with a row on each line.
 */
import { readLine } from './csv-column.ts'
import { Rows, type Column, type Field, type Row } from './table-rows.ts'
import { classifyName } from '../telling/telling-name.ts'

const LONGEST_HEADER = 512
/** That tell: the rows are read once for each. */
const MOST_COLUMNS = 4
/** A row with more has more than the names before it can be. */
const MOST_FIELDS = 512
const INSERT = /\b(?:insert|replace)\s{1,4}(?:ignore\s{1,4})?into\s{1,4}[^\s()]{1,128}\s{0,4}$/i
const VALUES = /[^()]{0,512}\)(?:\s|\\{1,7}[nrt]){0,24}values?(?:\s|\\{1,7}[nrt]){0,24}(?=\()/iy
const NEXT_ROW = /\)(?:\s|\\{1,7}[nrt]){0,24},(?:\s|\\{1,7}[nrt]){0,24}(?=\()/y
/** A text in quotes, in which a quote is doubled or escaped; a call; or anything else up to a comma or the row's end. */
const FIELD =
  /\s{0,24}(?:(?:[BENXbenx]|_\w{1,16}\s?)?'((?:[^'\\]|''|\\[^]){0,4096})'|\\{0,7}"((?:[^"\\]|""){0,4096})\\{0,7}"|[\w.]{1,32}\([^()']{0,64}\)|[^,()']{0,256})[^,()']{0,64}/y

/** A call, of whose arguments the first is the text that it makes a hash of. */
const CALL = /\s{0,24}[\w.]{1,32}\(\s{0,4}(?:[ENen]?'((?:[^'\\]|''|\\[^]){0,512})')?/y
const LONGEST_CALL = 1024

const COPY = /\bcopy\s{1,4}[^\s()]{1,128}\s{0,4}$/i
const FROM_STDIN =
  /([^()]{0,512})\)\s{1,4}from\s{1,4}stdin(?=[\s;])([^;\\\n]{0,128});?[ \t]{0,4}(?:\r|\\{1,7}r)?(\n|\\{1,7}n)/iy

/** The column named `[start, end)`; undefined where its name stands in no such list. */
export function readInsertColumn(text: string, start: number, end: number): Column | undefined {
  const windowStart = Math.max(0, start - LONGEST_HEADER)
  const before = text.slice(windowStart, start)
  const open = before.lastIndexOf('(')
  if (open < 0) return undefined
  const command = before.slice(Math.max(0, open - 192), open)
  const isCopy = COPY.test(command)
  // Asked before the names are: nearly every bracket is another one.
  if (!isCopy && !INSERT.test(command)) return undefined
  const names = before.slice(open + 1).split(',')
  if (names.filter(tells).length > MOST_COLUMNS) return undefined
  if (isCopy) return readCopied(text, end, names.length - 1)
  VALUES.lastIndex = end
  if (!VALUES.test(text)) return undefined
  const headerEnd = VALUES.lastIndex
  return { headerEnd, rows: new Rows(headerEnd, (at) => readRow(text, at, names.length - 1)) }
}

function readCopied(text: string, end: number, index: number): Column | undefined {
  FROM_STDIN.lastIndex = end
  const [, names = '', format = '', lineBreak = ''] = FROM_STDIN.exec(text) ?? []
  const headerEnd = FROM_STDIN.lastIndex
  if (headerEnd === 0) return undefined
  const tab = lineBreak === '\n' ? '\t' : lineBreak.replace('n', 't')
  const separator = /\bcsv\b/i.test(format) ? ',' : tab
  const shape = { lineBreak, separator, count: index + names.split(',').length, index }
  return { headerEnd, rows: new Rows(headerEnd, (at) => readLine(text, at, shape)) }
}

function tells(name: string): boolean {
  return classifyName(name.replaceAll(/[^\w-]/g, '')) !== undefined
}

/** The row whose bracket opens at `open`. Of its fields the one at `index` counts, where that is a text. */
function readRow(text: string, open: number, index: number): Row {
  let field: Field | undefined
  let at = open + 1
  for (let count = 0; ; count++, at++) {
    const called = readCall(text, at)
    if (called !== undefined && count === index) field = called.text
    FIELD.lastIndex = called?.end ?? at
    const match = FIELD.exec(text)
    const value = match?.[1] ?? match?.[2]
    if (match !== null && value !== undefined && value !== '' && count === index) {
      const start = at + match[0].indexOf(value, match[0].search(/["']/) + 1)
      field = { start, end: start + value.length }
    }
    at = match === null ? (called?.end ?? at) : FIELD.lastIndex
    if (text.charAt(at) !== ',' || count === MOST_FIELDS) break
  }
  NEXT_ROW.lastIndex = at
  return { field, end: at, next: NEXT_ROW.test(text) ? NEXT_ROW.lastIndex : undefined }
}

/** The call at `at`, with the text in it; undefined where there is none that ends. */
function readCall(text: string, at: number): { readonly text: Field | undefined; readonly end: number } | undefined {
  CALL.lastIndex = at
  const match = CALL.exec(text)
  if (match === null) return undefined
  const [written, value] = match
  const start = CALL.lastIndex - 1 - (value?.length ?? 0)
  const end = callEnd(text, at + written.indexOf('('))
  if (end === undefined) return undefined
  return { text: value === undefined || value === '' ? undefined : { start, end: start + value.length }, end }
}

/** Behind the bracket that closes the one at `open`. */
function callEnd(text: string, open: number): number | undefined {
  const limit = Math.min(text.length, open + LONGEST_CALL)
  let depth = 0
  let isQuoted = false
  for (let at = open; at < limit; at++) {
    const sign = text.charAt(at)
    if (sign === "'") isQuoted = !isQuoted
    else if (isQuoted) at += sign === '\\' ? 1 : 0
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) return at + 1
  }
  return undefined
}

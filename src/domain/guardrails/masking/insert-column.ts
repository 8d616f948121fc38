/** The values of a column that SQL inserts: `INSERT INTO users (name, password) VALUES ('bob', '...'), ('alice', '...')`. */
import { Rows, type Column, type Field, type Row } from './table-rows.ts'
import { classifyName } from './telling-name.ts'

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
  /\s{0,24}(?:'((?:[^'\\]|''|\\[^]){0,4096})'|\\{0,7}"((?:[^"\\]|""){0,4096})\\{0,7}"|[\w.]{1,32}\([^()']{0,64}\)|[^,()']{0,256})[^,()']{0,64}/y

/** The column named `[start, end)`; undefined where its name stands in no such list. */
export function readInsertColumn(text: string, start: number, end: number): Column | undefined {
  const windowStart = Math.max(0, start - LONGEST_HEADER)
  const before = text.slice(windowStart, start)
  const open = before.lastIndexOf('(')
  if (open < 0 || !INSERT.test(before.slice(Math.max(0, open - 192), open))) return undefined
  const names = before.slice(open + 1).split(',')
  if (names.filter(tells).length > MOST_COLUMNS) return undefined
  VALUES.lastIndex = end
  if (!VALUES.test(text)) return undefined
  const headerEnd = VALUES.lastIndex
  return { headerEnd, rows: new Rows(headerEnd, (at) => readRow(text, at, names.length - 1)) }
}

function tells(name: string): boolean {
  return classifyName(name.replaceAll(/[^\w-]/g, '')) !== undefined
}

/** The row whose bracket opens at `open`. Of its fields the one at `index` counts, where that is a text. */
function readRow(text: string, open: number, index: number): Row {
  let field: Field | undefined
  let at = open + 1
  for (let count = 0; ; count++, at++) {
    FIELD.lastIndex = at
    const match = FIELD.exec(text)
    const value = match?.[1] ?? match?.[2]
    if (match !== null && value !== undefined && value !== '' && count === index) {
      const start = at + match[0].indexOf(value, match[0].search(/["']/) + 1)
      field = { start, end: start + value.length }
    }
    at += match?.[0].length ?? 0
    if (text.charAt(at) !== ',' || count === MOST_FIELDS) break
  }
  NEXT_ROW.lastIndex = at
  return { field, end: at, next: NEXT_ROW.test(text) ? NEXT_ROW.lastIndex : undefined }
}

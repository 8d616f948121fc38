/** Rows as text: a table for people, CSV for spreadsheets, JSON for programs. */
import { asObject, asString } from '../json.ts'
import { formatMicroUsd } from '../quota/money.ts'
import type { AuditEntry } from './audit-entry.ts'

/** Cells with the titles of their columns, in order. */
export type TableRow = readonly (readonly [title: string, value: string | number])[]

/** Widest cell of a table; longer text is cut there, nowhere else. */
const MAX_CELL_WIDTH = 48

/** One record in the few columns that a person looks for. `result`: the error's code, else the outcome, which has no more to say then. */
export function rowOfEntry(entry: AuditEntry): TableRow {
  const model = asObject(entry.document['model'])
  const served = asString(model?.['served'])
  const provider = asString(model?.['provider'])
  return [
    ['time', asString(entry.document['time']) ?? ''],
    ['request', entry.requestId],
    ['organization', entry.organization ?? ''],
    ['project', entry.project ?? ''],
    ['key', entry.virtualKey ?? ''],
    ['model', served === undefined ? (asString(model?.['requested']) ?? '') : `${provider ?? ''}/${served}`],
    ['result', asString(entry.document['error']) ?? asString(entry.document['outcome']) ?? ''],
    ['input_tokens', entry.inputTokens],
    ['output_tokens', entry.outputTokens],
    ['cost_usd', entry.costMicroUsd === undefined ? '' : formatMicroUsd(entry.costMicroUsd)],
    [
      'tags',
      Object.entries(entry.tags)
        .map((pair) => pair.join('='))
        .join(' '),
    ],
  ]
}

/** Columns as wide as their widest cell, numbers to the right; empty for no rows. */
export function renderTable(rows: readonly TableRow[]): string {
  const [first] = rows
  if (first === undefined) return ''
  const cells = [first.map(([title]) => title), ...rows.map((row) => row.map(([, value]) => printable(String(value))))]
  const widths = first.map((_, column) => cells.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0))
  const isNumber = first.map(([title, value]) => typeof value === 'number' || title === 'cost_usd')
  const pad = (text: string, column: number) => {
    const width = widths[column] ?? 0
    return isNumber[column] === true ? text.padStart(width) : text.padEnd(width)
  }
  return cells.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** RFC 4180, with `\n`. */
export function renderCsvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\n`
}

export function titlesOf(row: TableRow): string[] {
  return row.map(([title]) => title)
}

export function valuesOf(row: TableRow): (string | number)[] {
  return row.map(([, value]) => value)
}

/** A client writes tags and model names: what would act on a terminal is shown as a question mark. */
function printable(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
  return plain.length <= MAX_CELL_WIDTH ? plain : `${plain.slice(0, MAX_CELL_WIDTH - 3)}...`
}

/** Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Results as Markdown: the ratios first, then a table a section. */
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Bar, Report } from '../sections/section.ts'
import { canPin, findCommand } from './processes.ts'

export interface SectionResult {
  readonly title: string
  readonly report: Report
}

/** The whole of results.md. `notes` are the contenders that are missing and why. */
export function resultsMarkdown(results: readonly SectionResult[], notes: readonly string[], quick: boolean): string {
  const bars = results.flatMap(({ report }) => report.bars)
  const lines = [
    `# Benchmark, Tollgate ${ownVersion()}`,
    '',
    ...(quick ? ['**Quick run: rounds too short for numbers to keep.**', ''] : []),
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [''] : []),
    ...table(['ratio or bar', 'measured', 'wanted', ''], bars.map(barRow)),
    '',
    ...results.flatMap(({ title, report }) => [
      `## ${title}`,
      '',
      ...table(report.columns, report.rows),
      '',
      ...report.remarks.flatMap((remark) => [remark, '']),
    ]),
  ]
  return lines.join('\n')
}

/** The whole of machine.md: what a reader needs to judge whether numbers compare. */
export function machineMarkdown(): string {
  const processor = cpus()[0]
  const rows = [
    ['processor', `${processor?.model ?? 'unknown'}, ${cpus().length} cores`],
    ['memory', `${(totalmem() / 2 ** 30).toFixed(1)} GiB`],
    ['kernel', release()],
    [
      'cores',
      canPin
        ? 'gateway under test on core 0; load, mock and Redis on core 1'
        : 'not pinned: one core only, or no taskset',
    ],
    ['node', process.version],
    ['nginx', versionOf('nginx', ['-v'])],
    ['redis', versionOf('redis-server', ['--version'])],
    ['portkey', portkeyVersion()],
  ]
  return ['# Machine', '', ...table(['', ''], rows), ''].join('\n')
}

/** Whether a bar of the design was measured and missed. */
export function isMissed({ value, limit }: Bar): boolean {
  if (limit === undefined || Number.isNaN(value)) return false
  return 'atLeast' in limit ? value < limit.atLeast : value > limit.atMost
}

/** The product's version, which names the folder of results. */
export function ownVersion(): string {
  return versionIn(join(import.meta.dirname, '../../../package.json'))
}

function barRow(bar: Bar): string[] {
  const { text, value, limit, unit } = bar
  if (Number.isNaN(value)) return [text, 'not measured', wanted(bar), '']
  const verdict = limit === undefined ? '' : isMissed(bar) ? '**missed**' : 'met'
  return [text, `${value.toFixed(2)} ${unit}`, wanted(bar), verdict]
}

function wanted({ limit, unit }: Bar): string {
  if (limit === undefined) return ''
  return 'atLeast' in limit ? `>= ${limit.atLeast} ${unit}` : `<= ${limit.atMost} ${unit}`
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)]
}

function versionOf(command: string, args: readonly string[]): string {
  if (findCommand(command) === undefined) return 'not installed'
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  return (stdout + stderr).trim().split('\n')[0] ?? ''
}

function portkeyVersion(): string {
  try {
    return versionIn(join(import.meta.dirname, '../node_modules/@portkey-ai/gateway/package.json'))
  } catch {
    return 'not installed'
  }
}

function versionIn(path: string): string {
  const document: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const hasVersion = typeof document === 'object' && document !== null && 'version' in document
  return hasVersion && typeof document.version === 'string' ? document.version : 'unknown'
}

/** Process entry of `tollgate audit`: reads audit records from Redis or from log lines, filters them, sums them. */
import { createReadStream } from 'node:fs'
import {
  parseChoice,
  parseFlags,
  parseKeyId,
  parseName,
  parseRedis,
  UsageError,
  type FlagSpec,
  type Flags,
} from './command-line.ts'
import { withoutLogins } from './domain/logins.ts'
import { parseAuditEntry, type AuditEntry } from './domain/audit/audit-entry.ts'
import { matchesFilter, parseMoment, type AuditFilter } from './domain/audit/audit-filter.ts'
import { AuditSums, isTagName, parseDimension, SUM_FIELDS, type SumDimension } from './domain/audit/audit-sums.ts'
import {
  renderCsvLine,
  renderTable,
  rowOfEntry,
  titlesOf,
  valuesOf,
  type TableRow,
} from './domain/audit/audit-table.ts'
import { isJsonObject } from './domain/json.ts'
import { printable } from './domain/printable.ts'
import { endWithOutput } from './standard-output.ts'

export const AUDIT_FLAGS = {
  redis: { type: 'text', help: 'address of the Redis that the gateways share' },
  file: { type: 'text', help: "read a gateway's output instead; - is standard input" },
  organization: { type: 'text', help: 'whose records; with --redis `default` unless given' },
  project: { type: 'text', help: 'only those of this project' },
  key: { type: 'text', help: 'only those of this virtual key, as namespace/name' },
  tag: { type: 'list', help: 'only those with this tag, as name=value; may be repeated' },
  since: { type: 'text', help: 'from here on: 2026-01-31, 2026-01-31T08:00Z, or 90s, 15m, 24h, 7d ago' },
  until: { type: 'text', help: 'before this moment, written likewise' },
  'sum-by': { type: 'list', help: `sum cost and tokens by ${SUM_FIELDS.join(', ')} or tag:NAME; may be repeated` },
  format: { type: 'text', default: 'table', help: 'table, csv or json' },
} as const satisfies Record<string, FlagSpec>

const FORMATS = ['table', 'csv', 'json'] as const
type Format = (typeof FORMATS)[number]

/** The organization of keys that name none. */
const DEFAULT_ORGANIZATION = 'default'
const CONNECT_TIMEOUT_MS = 5_000
/** The clocks of gateways and Redis may differ by so much. */
const CLOCK_SKEW_MS = 60_000
/** Records of a table whose columns are fitted together. */
const TABLE_PAGE = 200
/** Requests that are remembered, to know a record that was written twice. */
const MAX_REMEMBERED = 200_000

/** Returns the exit code: 0 read, 1 the source could not be read to its end. @throws {UsageError} */
export async function runAudit(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const flags = parseFlags(args, AUDIT_FLAGS, environment)
  const file = fileOf(args, flags)
  const format = parseChoice('format', FORMATS, flags.format)
  const filter = filterOf(flags)
  const dimensions = [...new Set(flags['sum-by'].flatMap((names) => names.split(',')))].map(dimensionOf)
  const seen = { records: 0 }
  const records = counted(parsed(file === undefined ? fromRedis(flags, filter) : fromFile(file)), seen)
  const entries = toldIfNone(once(filtered(records, filter)), () => {
    if (file === undefined)
      return `no audit record of organization "${flags.organization ?? DEFAULT_ORGANIZATION}" matches`
    if (seen.records > 0) return 'no audit record matches'
    return `${file === '-' ? 'standard input' : file} holds no audit record`
  })
  return print(dimensions.length === 0 ? renderEntries(entries, format) : renderSums(entries, dimensions, format))
}

/** Undefined: from Redis. @throws {UsageError} */
function fileOf(args: readonly string[], { redis, file }: AuditFlags): string | undefined {
  const given = parseFlags(args, AUDIT_FLAGS, {})
  if (given.redis !== undefined && given.file !== undefined)
    throw new UsageError('--redis and --file exclude each other')
  // The environment of a gateway may well name its Redis; a file is then meant instead.
  if (file !== undefined && given.redis === undefined) return file
  if (redis === undefined) throw new UsageError('--redis URL or --file PATH is required')
  parseRedis('redis', redis)
  return undefined
}

async function print(pieces: AsyncIterable<string>): Promise<number> {
  // A reader that has seen enough (head) is no failure.
  endWithOutput(0)
  try {
    for await (const piece of pieces) {
      if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
    }
    return 0
  } catch (error) {
    process.stderr.write(`tollgate: ${withoutLogins(error instanceof Error ? error.message : String(error))}\n`)
    return 1
  }
}

async function* fromRedis(
  { redis: url = '', organization }: AuditFlags,
  { sinceMs }: AuditFilter,
): AsyncGenerator<string> {
  const [{ connectRedis }, { readAuditStream }] = await Promise.all([
    import('./proxy/stores/redis/redis-client.ts'),
    import('./proxy/stores/audit/read-audit-stream.ts'),
  ])
  const redis = connectRedis(url)
  try {
    await redis.requireReady(CONNECT_TIMEOUT_MS)
    yield* readAuditStream(redis, organization ?? DEFAULT_ORGANIZATION, (sinceMs ?? 0) - CLOCK_SKEW_MS)
  } finally {
    await redis.close()
  }
}

async function* fromFile(path: string): AsyncGenerator<string> {
  const { readLines } = await import('./proxy/stores/audit/read-lines.ts')
  try {
    yield* readLines(path === '-' ? process.stdin : createReadStream(path))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    // The system's own words do not name it.
    if (code === 'EISDIR') throw new Error(`--file ${path} is a folder; name a file`, { cause })
    if (code === 'ENOENT') throw new Error(`--file ${path}: no such file; name one with a gateway's output`, { cause })
    throw cause
  }
}

/** The audit records among the lines; a gateway's log stands between them. */
async function* parsed(lines: AsyncIterable<string>): AsyncGenerator<AuditEntry> {
  for await (const line of lines) {
    const entry = line.startsWith('{') ? parseLine(line) : undefined
    if (entry !== undefined) yield entry
  }
}

function parseLine(line: string): AuditEntry | undefined {
  try {
    const document: unknown = JSON.parse(line)
    return isJsonObject(document) ? parseAuditEntry(document) : undefined
  } catch {
    return undefined
  }
}

async function* filtered(entries: AsyncIterable<AuditEntry>, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  for await (const entry of entries) if (matchesFilter(entry, filter)) yield entry
}

/** A record whose writing was not confirmed may stand in the stream twice, not far apart. */
async function* once(entries: AsyncIterable<AuditEntry>): AsyncGenerator<AuditEntry> {
  const seen = new Set<string>()
  for await (const entry of entries) {
    if (seen.has(entry.requestId)) continue
    seen.add(entry.requestId)
    if (seen.size > MAX_REMEMBERED) forgetOldest(seen)
    yield entry
  }
}

async function* counted(entries: AsyncIterable<AuditEntry>, seen: { records: number }): AsyncGenerator<AuditEntry> {
  for await (const entry of entries) {
    seen.records++
    yield entry
  }
}

/** Says where there is none, which a wrong file or filter may be the reason of. Standard output stays as it is. */
async function* toldIfNone(entries: AsyncIterable<AuditEntry>, what: () => string): AsyncGenerator<AuditEntry> {
  let isEmpty = true
  for await (const entry of entries) {
    isEmpty = false
    yield entry
  }
  if (isEmpty) process.stderr.write(`tollgate: ${what()}\n`)
}

function forgetOldest(seen: Set<string>): void {
  const [oldest] = seen
  if (oldest !== undefined) seen.delete(oldest)
}

async function* renderEntries(entries: AsyncIterable<AuditEntry>, format: Format): AsyncGenerator<string> {
  let rows: TableRow[] = []
  let isFirst = true
  for await (const entry of entries) {
    if (format === 'json') {
      yield `${printable(JSON.stringify(entry.document))}\n`
      continue
    }
    const row = rowOfEntry(entry)
    if (format === 'csv') {
      yield (isFirst ? renderCsvLine(titlesOf(row)) : '') + renderCsvLine(valuesOf(row))
      isFirst = false
      continue
    }
    rows.push(row)
    if (rows.length < TABLE_PAGE) continue
    yield renderTable(rows)
    rows = []
  }
  yield renderTable(rows)
}

async function* renderSums(
  entries: AsyncIterable<AuditEntry>,
  dimensions: readonly SumDimension[],
  format: Format,
): AsyncGenerator<string> {
  const sums = new AuditSums(dimensions)
  for await (const entry of entries) sums.add(entry)
  const rows = sums.rows()
  switch (format) {
    case 'json':
      yield `${JSON.stringify({ groups: rows.map((row) => Object.fromEntries(row)), total: Object.fromEntries(sums.total()) })}\n`
      return
    case 'csv':
      yield renderCsvLine(titlesOf(sums.total()))
      for (const row of rows) yield renderCsvLine(valuesOf(row))
      return
    case 'table':
      yield renderTable([...rows, sums.total()])
      return
    default:
      format satisfies never
  }
}

type AuditFlags = Flags<typeof AUDIT_FLAGS>

function filterOf({ organization, project, key: virtualKey, tag, since, until }: AuditFlags): AuditFilter {
  const nowMs = Date.now()
  const [sinceMs, untilMs] = [momentOf('since', since, nowMs), momentOf('until', until, nowMs)]
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs)
    throw new UsageError('--since must be before --until')
  return {
    organization: parseName('organization', organization),
    project: parseName('project', project),
    virtualKey: virtualKey === undefined ? undefined : parseKeyId('key', virtualKey),
    tags: tag.map(pairOf),
    sinceMs,
    untilMs,
  }
}

function pairOf(text: string): [string, string] {
  const mark = text.indexOf('=')
  if (!isTagName(text.slice(0, Math.max(0, mark)))) throw new UsageError(`--tag must be name=value, not ${text}`)
  return [text.slice(0, mark), text.slice(mark + 1)]
}

function momentOf(flag: string, text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const moment = parseMoment(text, nowMs)
  if (moment === undefined) {
    throw new UsageError(`--${flag} must be a time such as 2026-01-31, 2026-01-31T08:00Z or 24h, not ${text}`)
  }
  return moment
}

function dimensionOf(name: string): SumDimension {
  const dimension = parseDimension(name)
  if (dimension === undefined) {
    throw new UsageError(`--sum-by must be one of ${SUM_FIELDS.join(', ')} or tag:NAME, not ${name}`)
  }
  return dimension
}

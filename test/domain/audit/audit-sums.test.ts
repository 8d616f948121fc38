import t from 'tap'
import { parseAuditEntry, type AuditEntry } from '../../../src/domain/audit/audit-entry.ts'
import { matchesFilter, parseMoment } from '../../../src/domain/audit/audit-filter.ts'
import { AuditSums, MAX_GROUPS, parseDimension, type SumDimension } from '../../../src/domain/audit/audit-sums.ts'
import { renderCsvLine, renderTable, rowOfEntry } from '../../../src/domain/audit/audit-table.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const RECORD: JsonObject = {
  type: 'audit',
  time: '2026-01-15T12:00:00.000Z',
  requestId: 'r1',
  outcome: 'answered',
  organization: 'acme',
  project: 'search',
  virtualKey: 'team/app',
  tags: { team: 'blue' },
  model: { requested: 'auto', served: 'm', provider: 'p' },
  tokens: { input: 1, cachedInput: 2, cacheWrite: 4, output: 8, reasoning: 3, estimated: true },
  costMicroUsd: 1_500_000,
}

function entry(fields: JsonObject = {}): AuditEntry {
  const parsed = parseAuditEntry({ ...RECORD, ...fields })
  if (parsed === undefined) throw new Error('no audit record')
  return parsed
}

function dimensions(...names: string[]): SumDimension[] {
  return names.map((name) => parseDimension(name)).filter((dimension) => dimension !== undefined)
}

t.test('an entry has all prompt tokens, and none for an answer from the cache', async (t) => {
  t.match(entry(), { inputTokens: 7, outputTokens: 8, costMicroUsd: 1_500_000, isEstimated: true })
  t.match(entry({ cache: 'hit-l2', costMicroUsd: 0 }), { inputTokens: 0, outputTokens: 0, costMicroUsd: 0 })
})

t.test('what is no audit record is none', async (t) => {
  for (const document of [
    null,
    [],
    { type: 'log' },
    { ...RECORD, time: 'yesterday' },
    { ...RECORD, time: 5 },
    { ...RECORD, requestId: 7 },
  ]) {
    t.equal(parseAuditEntry(document), undefined, JSON.stringify(document))
  }
  t.match(entry({ tags: 'x', tokens: [], costMicroUsd: 'dear', model: 3 }), { inputTokens: 0, costMicroUsd: undefined })
})

t.test('a filter takes what fits all of it', async (t) => {
  const atMs = Date.UTC(2026, 0, 15, 12)
  const fits: [object, boolean][] = [
    [{}, true],
    [{ organization: 'acme', project: 'search', virtualKey: 'team/app' }, true],
    [{ organization: 'other' }, false],
    [{ project: 'other' }, false],
    [{ virtualKey: 'team/other' }, false],
    [{ tags: [['team', 'blue']] }, true],
    [{ tags: [['team', 'red']] }, false],
    [{ tags: [['toString', 'x']] }, false],
    [{ sinceMs: atMs }, true],
    [{ sinceMs: atMs + 1 }, false],
    [{ untilMs: atMs }, false],
    [{ untilMs: atMs + 1 }, true],
  ]
  for (const [filter, expected] of fits) {
    t.equal(matchesFilter(entry(), { tags: [], ...filter }), expected, JSON.stringify(filter))
  }
})

t.test('a moment is a date, a time or how long ago', async (t) => {
  const now = Date.UTC(2026, 0, 15, 12)
  const moments: [string, number | undefined][] = [
    ['2026-01-15', Date.UTC(2026, 0, 15)],
    ['2026-01-15T08:30', Date.UTC(2026, 0, 15, 8, 30)],
    ['2026-01-15T08:30:05Z', Date.UTC(2026, 0, 15, 8, 30, 5)],
    ['2026-01-15T08:30+02:00', Date.UTC(2026, 0, 15, 6, 30)],
    ['90s', now - 90_000],
    ['15m', now - 900_000],
    ['24h', now - 86_400_000],
    ['7d', now - 7 * 86_400_000],
    ['2024-02-29T08:30+14:00', Date.UTC(2024, 1, 28, 18, 30)],
    ['2026-13-45', undefined],
    ['2026-02-29', undefined],
    ['2026-04-31T08:30-11:00', undefined],
    ['yesterday', undefined],
    ['7w', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of moments) t.equal(parseMoment(text, now), expected, text)
})

t.test('sums are by any field or tag, the dearest first, and exact', async (t) => {
  const sums = new AuditSums(dimensions('tag:team', 'model'))
  sums.add(entry({ costMicroUsd: 1 }))
  sums.add(entry({ costMicroUsd: 2 }))
  sums.add(entry({ tags: { team: 'red' }, costMicroUsd: 9 }))
  const { costMicroUsd: _, ...unpriced } = RECORD
  const without = parseAuditEntry({ ...unpriced, tags: {}, tokens: { input: 5, output: 0 } })
  if (without !== undefined) sums.add(without)
  t.strictSame(
    sums.rows().map((row) => row.map(([, value]) => value)),
    [
      ['red', 'm', 1, 7, 8, '0.000009', 0, 1],
      ['blue', 'm', 2, 14, 16, '0.000003', 0, 2],
      ['', 'm', 1, 5, 0, '0.000000', 1, 0],
    ],
  )
  t.strictSame(Object.fromEntries(sums.total()), {
    'tag:team': 'total',
    model: '',
    requests: 4,
    input_tokens: 26,
    output_tokens: 24,
    cost_usd: '0.000012',
    unpriced: 1,
    estimated: 3,
  })
})

t.test('every field sums by what the record says', async (t) => {
  const expected: Record<string, string> = {
    organization: 'acme',
    project: 'search',
    key: 'team/app',
    model: 'm',
    provider: 'p',
    outcome: 'answered',
    day: '2026-01-15',
    hour: '2026-01-15T12:00Z',
    'tag:team': 'blue',
    'tag:constructor': '',
  }
  for (const [name, value] of Object.entries(expected)) {
    const sums = new AuditSums(dimensions(name))
    sums.add(entry())
    t.equal(sums.rows()[0]?.[0]?.[1], value, name)
  }
  for (const wrong of ['', 'tag:', 'tag:a b', `tag:${'x'.repeat(65)}`, 'team', 'constructor'])
    t.equal(parseDimension(wrong), undefined, wrong)
})

t.test('groups are bounded; what is beyond is added up together', async (t) => {
  const sums = new AuditSums(dimensions('tag:n'))
  for (let index = 0; index < MAX_GROUPS + 5; index++) sums.add(entry({ tags: { n: `v${index}` }, costMicroUsd: 1 }))
  t.equal(sums.rows().length, MAX_GROUPS + 1)
  t.strictSame(sums.rows()[0]?.slice(0, 2), [
    ['tag:n', '(others)'],
    ['requests', 5],
  ])
})

t.test('the result of a listed record is its error, else its outcome', async (t) => {
  const resultOf = (document: JsonObject) => new Map(rowOfEntry(entry(document))).get('result')
  t.equal(resultOf({ outcome: 'refused', error: 'budget_exceeded' }), 'budget_exceeded')
  t.equal(resultOf({ outcome: 'client-gone' }), 'client-gone')
})

t.test('a table shows nothing that acts on a terminal, CSV nothing that a spreadsheet would run', async (t) => {
  const row = rowOfEntry(entry({ tags: { team: '\u001b[2J\u202eevil' } }))
  const table = renderTable([row])
  t.match(table, /team=\?\[2J\?evil/)
  t.match(table, /1\.500000/)
  t.equal(table.split('\n').length, 3)
  t.equal(renderTable([]), '')
  t.equal(renderCsvLine(['=cmd()', 'a,"b"', 'line\nend', -1, 'plain']), `'=cmd(),"a,""b""","line\nend",-1,plain\n`)
})

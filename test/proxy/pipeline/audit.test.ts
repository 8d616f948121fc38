import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { renderAudit } from '../../../src/proxy/pipeline/audit.ts'
import { endedRequests } from '../../helpers/ended-requests.ts'

const GOLDEN = join(import.meta.dirname, '..', '..', 'fixtures', 'telemetry', 'audit.jsonl')

t.test('the audit record of every way in which a request ends keeps its fields and their order', async (t) => {
  const expected = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n')
  const requests = endedRequests()
  t.equal(requests.length, expected.length)
  requests.forEach(({ record, outcome, endedAtMs }, index) => {
    t.equal(JSON.stringify(renderAudit(record, outcome, endedAtMs)), expected[index], record.incoming.requestId)
  })
})

t.test('requests under one policy say the same of it, those under another do not', async (t) => {
  const [first, second] = endedRequests()
  if (first === undefined || second === undefined) return t.fail('no requests')
  const billingOf = ({ record, outcome, endedAtMs }: typeof first) =>
    renderAudit(record, outcome, endedAtMs).policy?.billing
  t.equal(billingOf(first), 'sync')
  second.record.policy = first.record.policy
  t.equal(billingOf(second), 'sync')
  if (first.record.policy === undefined) return t.fail('no policy')
  second.record.policy = { ...first.record.policy, billing: 'async' }
  t.equal(billingOf(second), 'async')
  t.equal(billingOf(first), 'sync')
})

t.test('the time is when the request came, to the millisecond, in whatever order they end', async (t) => {
  const [request] = endedRequests()
  if (request === undefined) return t.fail('no request')
  const { record, outcome, endedAtMs } = request
  for (const dateMs of [999.99, 1_000, 1_999.5, 1_769_846_400_007, 1_769_846_399_999.9, 1_769_846_400_000]) {
    const other = Object.assign(record, { incoming: { ...record.incoming, dateMs } })
    t.equal(renderAudit(other, outcome, endedAtMs).time, new Date(dateMs).toISOString())
  }
})

t.test(
  'of fields that were lost in translation as many and as much are told as a client cannot drive up',
  async (t) => {
    const [request] = endedRequests()
    if (request === undefined) return t.fail('no request')
    const { record, outcome, endedAtMs } = request
    record.warnings.length = 0
    record.warnings.push({ field: 'n'.repeat(1_000_000), message: 'it was left out' })
    for (let index = 0; index < 1_000; index++) record.warnings.push({ field: `f${index}`, message: 'it was left out' })
    const { warnings } = renderAudit(record, outcome, endedAtMs)
    t.same(warnings.slice(0, 2), ['n'.repeat(200), 'f0'])
    t.equal(warnings.length, 64)
  },
)

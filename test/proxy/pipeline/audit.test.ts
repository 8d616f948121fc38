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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addCostHeaders, traceHeaders } from '../../../src/proxy/pipeline/trace.ts'
import { endedRequests } from '../../helpers/ended-requests.ts'

const GOLDEN = join(import.meta.dirname, '..', '..', 'fixtures', 'telemetry', 'headers.jsonl')

t.test('every way in which a request ends has its headers, in their order', async (t) => {
  const expected = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n')
  const requests = endedRequests()
  t.equal(requests.length, expected.length)
  requests.forEach(({ record }, index) => {
    const headers = traceHeaders(record)
    addCostHeaders(headers, record)
    t.equal(JSON.stringify(headers), expected[index], record.incoming.requestId)
  })
})

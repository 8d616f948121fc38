import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addCostHeaders, answerHeaders } from '../../../src/proxy/pipeline/answer-headers.ts'
import { endedRequests } from '../../helpers/ended-requests.ts'

const GOLDEN = join(import.meta.dirname, '..', '..', 'fixtures', 'telemetry', 'headers.jsonl')

t.test('every way in which a request ends has its headers, in their order', async (t) => {
  const expected = readFileSync(GOLDEN, 'utf8').trimEnd().split('\n')
  const requests = endedRequests()
  t.equal(requests.length, expected.length)
  requests.forEach(({ record }, index) => {
    const headers = answerHeaders(record)
    addCostHeaders(headers, record)
    t.equal(JSON.stringify(headers), expected[index], record.incoming.requestId)
  })
})

import t from 'tap'
import { judgeReply, parseRetryAfter } from '../../../src/proxy/providers/provider-family.ts'
import { familyOf } from '../../../src/proxy/providers/registry.ts'
import { provider } from '../../domain/routing/samples.ts'

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0)

const RETRY_AFTER: readonly [string, Record<string, string | string[]>, number | undefined][] = [
  ['seconds', { 'retry-after': '20' }, 20_000],
  ['fractions of a second', { 'retry-after': '1.5' }, 1_500],
  ['milliseconds, which are more exact', { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  ['more than numbers hold exactly', { 'retry-after': '4'.padEnd(20, '0') }, 4e22],
  ['a date', { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' }, 30_000],
  ['a date that has passed', { 'retry-after': 'Thu, 15 Jan 2026 11:00:00 GMT' }, 0],
  ['nothing', {}, undefined],
  ['an empty value', { 'retry-after': '' }, undefined],
  ['a negative number', { 'retry-after': '-5' }, undefined],
  ['an exponent', { 'retry-after': '1e9' }, undefined],
  ['a word', { 'retry-after': 'soon' }, undefined],
  ['too many digits', { 'retry-after': '9'.repeat(400) }, undefined],
  ['two values', { 'retry-after': ['1', '2'] }, undefined],
]

for (const [name, headers, expected] of RETRY_AFTER) {
  t.test(`Retry-After as ${name} is ${expected === undefined ? 'not understood' : `${expected} ms`}`, async (t) => {
    t.equal(parseRetryAfter(headers, NOW), expected)
  })
}

function judge(status: number, retryOnStatus: readonly number[] = [429, 500, 503], body = '') {
  const base = provider('one', [])
  const entry = { ...base, failover: { ...base.failover, retryOnStatus } }
  return judgeReply(familyOf('OpenAI'), entry, { status, headers: { 'retry-after': '7' }, body, nowMs: NOW })
}

t.test('a refused request is neither retried nor failed over', async (t) => {
  t.same(judge(400), { kind: 'request', failover: false, retrySame: false, retryAfterMs: undefined })
})

t.test('a refused request fails over where the manifest says so', async (t) => {
  t.match(judge(400, [400]), { failover: true, retrySame: false })
})

t.test('an account without credit is not tried again, though its status is listed', async (t) => {
  const body = '{"error":{"type":"insufficient_quota"}}'
  t.match(judge(429, [429], body), { kind: 'our-fault', failover: true, retrySame: false })
})

t.test('a listed failure may be retried on the same provider, others only fail over', async (t) => {
  t.same(judge(503), { kind: 'unavailable', failover: true, retrySame: true, retryAfterMs: 7000 })
  t.match(judge(502), { failover: true, retrySame: false })
  t.match(judge(429), { kind: 'rate-limited', failover: true, retrySame: true, retryAfterMs: 7000 })
  t.match(judge(401, [401]), { kind: 'our-fault', failover: true, retrySame: false })
  t.match(judge(418), { kind: 'our-fault', failover: true, retrySame: false })
  t.match(judge(418, [418]), { kind: 'unavailable', failover: true, retrySame: true }, 'a status of a proxy in between')
})

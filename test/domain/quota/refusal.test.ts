import t from 'tap'
import { refusalError } from '../../../src/domain/quota/refusal.ts'
import type { Refused } from '../../../src/domain/quota/outcome.ts'
import { rateLimitHeaders } from '../../../src/domain/quota/rate.ts'

const REFUSED: Refused = {
  type: 'refused',
  reason: 'budget',
  scope: 'key',
  window: 'Day',
  unit: 'cost',
  limit: 1_500_000,
  retryAfterMs: undefined,
  resetAtMs: 1_000,
  rateLimits: { requests: undefined, tokens: undefined },
}

t.test('a spent budget cannot be retried and says when it starts anew', async (t) => {
  const error = refusalError(REFUSED)
  t.match(error, {
    code: 'budget_exceeded',
    status: 429,
    type: 'insufficient_quota',
    retryable: false,
    details: { resetAtMs: 1_000 },
  })
  t.equal(error.message, 'the day budget of 1.500000 USD of this key leaves too little for this request')
  t.notOk('retryAfterSeconds' in error.details)
})

t.test('a token quota has its own code', async (t) => {
  const error = refusalError({
    ...REFUSED,
    reason: 'token-quota',
    scope: 'project',
    unit: 'output',
    limit: 500,
    window: 'Minute',
  })
  t.match(error, { code: 'token_quota_exceeded', retryable: false })
  t.equal(
    error.message,
    'the minute quota of 500 output tokens of the project of this key leaves too little for this request',
  )
})

t.test('a budget held by requests in flight can be retried', async (t) => {
  const error = refusalError({
    ...REFUSED,
    reason: 'reserved',
    unit: 'total',
    limit: 9,
    retryAfterMs: 1_000,
    resetAtMs: undefined,
  })
  t.match(error, { code: 'budget_reserved', retryable: true, details: { retryAfterSeconds: 1 } })
  t.equal(error.message, 'the day quota of 9 tokens of this key is held by requests in flight')
})

t.test('rate refusals round waiting times up to whole seconds and carry the figures', async (t) => {
  const rateLimits = { requests: { limit: 60, remaining: 0, resetMs: 59_001 }, tokens: undefined }
  const error = refusalError({
    ...REFUSED,
    reason: 'rate-limit',
    unit: 'requests',
    limit: 60,
    window: undefined,
    retryAfterMs: 1_001,
    resetAtMs: undefined,
    rateLimits,
  })
  t.match(error, { code: 'rate_limit_exceeded', retryable: true, details: { retryAfterSeconds: 2 } })
  t.strictSame(error.details.headers, {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '60s',
  })
  t.equal(error.message, 'rate limit of this key exceeded: 60 requests a minute')
  t.match(
    refusalError({ ...REFUSED, reason: 'rate-limit', unit: 'total', limit: 10, retryAfterMs: 1 }).message,
    '10 tokens a minute',
  )
})

t.test('concurrency is a rate limit', async (t) => {
  const error = refusalError({
    ...REFUSED,
    reason: 'concurrency',
    scope: 'organization',
    unit: 'requests',
    limit: 3,
    retryAfterMs: 1_000,
  })
  t.match(error, {
    code: 'rate_limit_exceeded',
    message: 'the organization of this key has its maximum of 3 concurrent requests open',
  })
})

t.test('no figure, no header', async (t) => {
  t.strictSame(rateLimitHeaders({ requests: undefined, tokens: undefined }), {})
  t.match(rateLimitHeaders({ requests: undefined, tokens: { limit: 5, remaining: 5, resetMs: 0 } }), {
    'x-ratelimit-reset-tokens': '0s',
  })
})

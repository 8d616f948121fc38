import t from 'tap'
import { refusalError } from '../../../src/domain/quota/refusal.ts'
import type { QuotaNeed } from '../../../src/domain/quota/need.ts'
import type { Refused } from '../../../src/domain/quota/outcome.ts'
import { plannedScope, planOf } from '../../../src/domain/quota/limits.ts'
import { rateLimitHeaders } from '../../../src/domain/quota/rate.ts'
import type { RateLimits } from '../../../src/domain/snapshot/snapshot.ts'

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

const NEED = { inputTokens: 1, outputTokens: 0, costMicroUsd: 1, rateTokens: 1 }

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

t.test('a limit that is too small for the request, however little of it is spent, says so', async (t) => {
  const asked = { plan: planOf('acme', []), need: { ...NEED, costMicroUsd: 1_500_000 } }
  t.match(refusalError(REFUSED, asked).message, /leaves too little for this request/, 'it fits when nothing is spent')
  const tooLarge = refusalError(
    { ...REFUSED, resetAtMs: undefined },
    { ...asked, need: { ...NEED, outputTokens: 1, costMicroUsd: 1_500_001 } },
  )
  t.match(tooLarge, { code: 'budget_exceeded', retryable: false })
  t.equal(
    tooLarge.message,
    'the day budget of 1.500000 USD of this key is too small for this request (it may cost 1.500001 USD for 1 input and 1 output tokens), however little of it is spent: send less, or ask for a shorter answer',
  )
  const open = { choices: 2, minTokens: 256, maxTokens: 9_000, price: 0 }
  const quota = { ...REFUSED, reason: 'token-quota', unit: 'output', limit: 511, resetAtMs: undefined } as const
  t.match(refusalError(quota, { ...asked, need: { ...NEED, open } }).message, /is too small for this request/)
})

t.test('a refusal says what the request may take, as a document counts for more than its bytes tell', async (t) => {
  const plan = planOf('acme', [])
  const open = { choices: 2, minTokens: 256, maxTokens: 9_000, price: 4_000_000_000 }
  const boundIn = (unit: 'cost' | 'input' | 'output' | 'total', need: QuotaNeed) =>
    refusalError(
      { ...REFUSED, reason: unit === 'cost' ? 'budget' : 'token-quota', unit },
      { plan, need },
    ).message.replace(/.*for this request/, '')
  const stated = { inputTokens: 1_000, outputTokens: 20, costMicroUsd: 70, rateTokens: 1 }
  t.equal(boundIn('cost', stated), ', which may cost 0.000070 USD for 1000 input and 20 output tokens')
  t.equal(boundIn('input', stated), ', which may take 1000 input tokens')
  t.equal(boundIn('output', stated), ', which may take 20 output tokens')
  t.equal(boundIn('total', stated), ', which may take 1000 input and 20 output tokens')
  const unstated = { ...stated, outputTokens: 0, open }
  t.equal(
    boundIn('cost', unstated),
    ', which may cost 0.002118 USD for 1000 input and 512 output tokens',
    'the shortest answer that would have been admitted, twice',
  )
})

t.test('a limit that is too small advises only what would make the request fit', async (t) => {
  const adviceFor = (unit: 'cost' | 'input' | 'output' | 'total', outputTokens: number, inputTokens = 1, limit = 1) =>
    refusalError(
      { ...REFUSED, reason: unit === 'cost' ? 'budget' : 'token-quota', unit, limit },
      { plan: planOf('acme', []), need: { ...NEED, inputTokens, outputTokens, costMicroUsd: 2 } },
    ).message.replace(/.*: /, '')
  t.equal(adviceFor('total', 9, 9, 10), 'send less, or ask for a shorter answer')
  t.equal(adviceFor('total', 9, 11, 10), 'send less')
  t.equal(adviceFor('total', 11, 9, 10), 'ask for a shorter answer')
  t.equal(adviceFor('total', 11, 11, 10), 'send less, and ask for a shorter answer')
  t.equal(adviceFor('input', 9, 9), 'send less')
  t.equal(adviceFor('output', 9), 'ask for a shorter answer')
  t.equal(adviceFor('cost', 0), 'send less', 'embeddings have no answer that has a length')
})

t.test('a limit of nothing advises nothing, as no request is small enough', async (t) => {
  const messageFor = (unit: 'cost' | 'input' | 'output' | 'total', asked: boolean) =>
    refusalError(
      { ...REFUSED, reason: unit === 'cost' ? 'budget' : 'token-quota', unit, limit: 0, resetAtMs: undefined },
      asked ? { plan: planOf('acme', []), need: { ...NEED, outputTokens: 9 } } : undefined,
    ).message
  for (const asked of [true, false]) {
    t.equal(messageFor('cost', asked), 'the day budget of 0.000000 USD of this key admits nothing that costs')
    t.equal(messageFor('input', asked), 'the day quota of 0 input tokens of this key admits nothing')
    t.equal(messageFor('output', asked), 'the day quota of 0 output tokens of this key admits no answer')
    t.equal(messageFor('total', asked), 'the day quota of 0 tokens of this key admits nothing')
  }
})

t.test('a rate limit names the burst where one is stated, as that is what was exceeded', async (t) => {
  const limits = (rateLimits: RateLimits) => ({ budgets: [], tokenQuotas: [], rateLimits })
  const messageFor = (unit: 'requests' | 'total', rateLimits: RateLimits) =>
    refusalError(
      { ...REFUSED, reason: 'rate-limit', window: undefined, unit, limit: 60, retryAfterMs: 900 },
      {
        plan: planOf('acme', [
          plannedScope('key', 'key/default/k', limits(rateLimits)),
          plannedScope('project', 'project/p', limits({ requestsPerMinute: 60, burst: 2 })),
        ]),
        need: NEED,
      },
    ).message
  const plain = 'rate limit of this key exceeded: 60 requests a minute'
  t.equal(messageFor('requests', { requestsPerMinute: 60, burst: 10 }), `${plain}, 10 at once (burst)`)
  t.equal(messageFor('requests', { requestsPerMinute: 60, burst: 1 }), `${plain}, 1 at once (burst)`)
  t.equal(messageFor('requests', { requestsPerMinute: 60, burst: 60 }), plain, 'it says nothing more')
  t.equal(messageFor('requests', { requestsPerMinute: 60 }), plain)
  t.match(messageFor('total', { tokensPerMinute: 60, burst: 10 }), /60 tokens a minute$/)
})

t.test('one is not told as many', async (t) => {
  const one = { ...REFUSED, window: undefined, limit: 1, retryAfterMs: 900 } as const
  const messageOf = (refused: Partial<Refused>) => refusalError({ ...one, ...refused }).message
  t.match(messageOf({ reason: 'rate-limit', unit: 'requests' }), /: 1 request a minute$/)
  t.match(messageOf({ reason: 'rate-limit', unit: 'total' }), /: 1 token a minute$/)
  t.match(messageOf({ reason: 'concurrency', unit: 'requests' }), /maximum of 1 concurrent request open$/)
  t.match(messageOf({ reason: 'token-quota', unit: 'output', window: 'Day' }), /^the day quota of 1 output token of /)
  const need = { ...NEED, inputTokens: 1, outputTokens: 1 }
  const figuresIn = (unit: 'input' | 'output') =>
    refusalError({ ...one, reason: 'token-quota', unit }, { plan: planOf('acme', []), need }).message
  t.match(figuresIn('input'), /may take 1 input token$/)
  t.match(figuresIn('output'), /may take 1 output token$/)
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

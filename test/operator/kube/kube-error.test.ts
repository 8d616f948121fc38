import t from 'tap'
import { errorOfResponse, errorOfStatus } from '../../../src/operator/kube/kube-error.ts'

t.test('a Status object gives its reason and message', async (t) => {
  const body = JSON.stringify({
    kind: 'Status',
    code: 409,
    reason: 'AlreadyExists',
    message: 'secrets "a" already exists',
  })
  t.match(errorOfResponse(409, body, undefined), {
    status: 409,
    reason: 'AlreadyExists',
    message: 'secrets "a" already exists',
    isConflict: true,
    retryAfterMs: undefined,
  })
})

t.test('a wait is taken from the header, else from the details, and is bounded', async (t) => {
  const status = {
    kind: 'Status',
    code: 429,
    reason: 'TooManyRequests',
    message: 'x',
    details: { retryAfterSeconds: 3 },
  }
  t.equal(errorOfResponse(429, JSON.stringify(status), '7').retryAfterMs, 7_000)
  t.equal(errorOfStatus(status).retryAfterMs, 3_000)
  t.equal(errorOfResponse(429, '', '999999').retryAfterMs, 300_000)
  t.equal(errorOfResponse(503, '', 'Wed, 21 Oct 2026 07:28:00 GMT').retryAfterMs, undefined)
})

t.test('an answer of something else than the API server is told shortly', async (t) => {
  const error = errorOfResponse(502, `<html>${'x'.repeat(1_000)}`, undefined)
  t.match(error, { status: 502, reason: 'InternalError' })
  t.ok(error.message.length < 250)
  t.equal(errorOfResponse(500, '', undefined).message, 'HTTP 500')
})

t.test('a reason is never missing', async (t) => {
  const reasons = [401, 403, 404, 409, 410, 429, 400, 503].map(
    (status) => errorOfResponse(status, '[]', undefined).reason,
  )
  t.strictSame(reasons, [
    'Unauthorized',
    'Forbidden',
    'NotFound',
    'Conflict',
    'Gone',
    'TooManyRequests',
    'Unknown',
    'InternalError',
  ])
  t.match(errorOfStatus({ code: 404, reason: '' }), { reason: 'NotFound', isNotFound: true, message: 'status 404' })
  t.equal(errorOfStatus({ code: 410 }).isExpired, true)
})

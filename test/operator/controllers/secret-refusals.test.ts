import t from 'tap'
import { SecretRefusals } from '../../../src/operator/controllers/secret-refusals.ts'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'

const ATTEMPT = { key: 'team/app', secretName: 'app-virtual-key', fingerprint: 'one' }

function fixture(random = 0.999) {
  let nowMs = 0
  const refusals = new SecretRefusals({ ...SYSTEM_TIMING, elapsed: () => nowMs, random: () => random })
  const fail = (status: number, message = 'no', retryAfterMs?: number) =>
    refusals.judge(ATTEMPT, new KubeError(message, { status, reason: 'Why', retryAfterMs }))
  return { refusals, fail, advance: (ms: number) => void (nowMs += ms) }
}

t.test('a refusal is told at once', async (t) => {
  for (const status of [400, 403, 405, 413, 422]) {
    const problem = { reason: 'SecretWriteFailed', message: 'Secret app-virtual-key cannot be written: no' }
    t.match(fixture().fail(status), { problem }, String(status))
  }
})

t.test('what may be over at the next attempt is told when it lasts', async (t) => {
  for (const status of [404, 409, 429, 500, 503, 504]) {
    const { fail, refusals, advance } = fixture()
    t.equal(fail(status), undefined, String(status))
    advance(4_999)
    t.equal(fail(status), undefined, String(status))
    advance(1)
    t.match(fail(status), { problem: { reason: 'SecretWriteFailed' } }, String(status))
    refusals.forget(ATTEMPT.key)
    t.equal(fail(status), undefined, 'after a success the patience begins anew')
  }
})

t.test('what is not about the Secret is never told', async (t) => {
  const { refusals, fail, advance } = fixture()
  for (const status of [0, 401]) {
    t.equal(fail(status), undefined)
    advance(60_000)
    t.equal(fail(status), undefined)
  }
  t.equal(refusals.judge(ATTEMPT, new TypeError('a fault of ours')), undefined)
})

t.test('attempts become rarer, down to one a minute, and obey what the server asks for', async (t) => {
  const { fail } = fixture()
  const waits = Array.from({ length: 10 }, () => fail(403)?.againMs ?? 0)
  t.strictSame(
    waits,
    waits.toSorted((a, b) => a - b),
  )
  t.ok(waits.every((wait) => wait >= 1_000 && wait <= 60_000))
  t.ok((waits.at(-1) ?? 0) > 50_000)
  t.equal(fail(403, 'no', 90_000)?.againMs, 90_000)
})

t.test('the same attempt waits for its time, another one does not', async (t) => {
  const { refusals, fail, advance } = fixture(0)
  t.equal(refusals.waitOf(ATTEMPT), 0)
  t.equal(fail(403)?.againMs, 1_000)
  t.equal(refusals.waitOf(ATTEMPT), 1_000)
  t.equal(refusals.waitOf({ ...ATTEMPT, fingerprint: 'two' }), 0)
  advance(1_000)
  t.equal(refusals.waitOf(ATTEMPT), 0)
})

t.test('a long message is shortened', async (t) => {
  const message = fixture().fail(403, '🙂'.repeat(9_999))?.problem.message ?? ''
  t.ok(message.length < 600)
  t.ok(message.isWellFormed())
})

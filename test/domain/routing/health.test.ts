import t from 'tap'
import * as fc from 'fast-check'
import {
  afterCompletion,
  afterEntry,
  afterFailure,
  afterFirstContent,
  afterProbeWithoutVerdict,
  afterStraggler,
  afterSuccess,
  coolingDownUntil,
  latencyOf,
  mayTry,
  refusesUs,
  UNKNOWN_HEALTH,
} from '../../../src/domain/routing/health.ts'
import type { Failure, Health } from '../../../src/domain/routing/health.ts'

const SETTINGS = { consecutiveFailures: 3, openForMs: 1000 }
const fail = (health: Health, nowMs: number, failure: Failure = {}): Health =>
  afterFailure(health, failure, SETTINGS, nowMs)
const failTimes = (times: number, nowMs: number): Health =>
  Array.from({ length: times }).reduce<Health>((health) => fail(health, nowMs), UNKNOWN_HEALTH)

t.test('an unknown deployment may be tried and has no latency', async (t) => {
  t.ok(mayTry(UNKNOWN_HEALTH, 0))
  t.equal(latencyOf(UNKNOWN_HEALTH, 0), undefined)
})

t.test('the breaker opens at the threshold of consecutive failures, and not before', async (t) => {
  t.ok(mayTry(failTimes(2, 0), 0))
  const open = failTimes(3, 0)
  t.equal(coolingDownUntil(open, 999), 1000)
  t.notOk(mayTry(open, 999))
  t.equal(coolingDownUntil(open, 1000), undefined)
})

t.test('a success in between starts the count anew', async (t) => {
  const health = fail(fail(afterSuccess(failTimes(2, 0), 10, 0), 0), 0)
  t.same(health.breaker, { type: 'closed', failures: 2 })
})

t.test('an open breaker lets one probe through when its time is over', async (t) => {
  const open = failTimes(3, 0)
  t.equal(afterEntry(open, 999), open, 'not before')
  const probing = afterEntry(open, 1000)
  t.same(probing.breaker, { type: 'half-open' })
  t.notOk(mayTry(probing, 5000), 'a second one waits')
})

t.test('the probe decides: success closes, failure opens again', async (t) => {
  const probing = afterEntry(failTimes(3, 0), 1000)
  t.same(afterSuccess(probing, 10, 1500).breaker, { type: 'closed', failures: 0 })
  t.same(fail(probing, 1500).breaker, { type: 'open', untilMs: 2500 })
})

t.test('a probe without a verdict gives its place to the next one', async (t) => {
  const again = afterProbeWithoutVerdict(afterEntry(failTimes(3, 0), 1000), 1500)
  t.ok(mayTry(again, 1500))
  t.same(afterEntry(again, 1500).breaker, { type: 'half-open' })
  t.same(
    afterSuccess(again, 10, 1500).breaker,
    { type: 'closed', failures: 0 },
    'a verdict that comes after its release counts',
  )
  t.same(fail(again, 1500).breaker, { type: 'open', untilMs: 2500 })
  t.equal(afterProbeWithoutVerdict(UNKNOWN_HEALTH, 0), UNKNOWN_HEALTH)
})

t.test('after the breaker was open, an attempt of before tells all but how it ends', async (t) => {
  for (const before of [afterEntry(failTimes(3, 0), 1000), failTimes(2, 0)]) {
    const failed = afterStraggler(before, fail(before, 1500, { retryAfterMs: 9_000 }))
    t.same(failed.breaker, before.breaker)
    t.equal(coolingDownUntil(failed, 1500), 10_500)
    const answered = afterStraggler(before, afterSuccess(before, 10, 1500))
    t.same(answered.breaker, before.breaker)
    t.equal(latencyOf(answered, 1500), 10)
  }
  const open = failTimes(3, 0)
  t.ok(
    refusesUs(afterStraggler(open, fail(open, 500, { ourFault: true })), 1200),
    'while it is open, that it refuses us',
  )
})

t.test('stragglers of before do not move an open breaker', async (t) => {
  const open = failTimes(3, 0)
  t.same(fail(open, 500).breaker, open.breaker)
  t.same(afterSuccess(open, 10, 500).breaker, open.breaker)
})

t.test('what the provider has against us opens at once', async (t) => {
  t.same(fail(UNKNOWN_HEALTH, 7, { ourFault: true }).breaker, { type: 'open', untilMs: 1007, isOurFault: true })
})

t.test('a breaker remembers that it opened as the provider refuses us, for as long as it is open', async (t) => {
  const refused = fail(UNKNOWN_HEALTH, 0, { ourFault: true })
  t.ok(refusesUs(refused, 999))
  t.notOk(refusesUs(refused, 1000))
  t.ok(refusesUs(fail(failTimes(3, 0), 500, { ourFault: true }), 1200), 'also where it was open for another reason')
  t.ok(refusesUs(fail(refused, 500), 900), 'whatever ends meanwhile')
  t.notOk(refusesUs(failTimes(3, 0), 500), 'another reason')
  t.notOk(refusesUs(fail(afterEntry(refused, 1000), 1000), 1500), 'the probe failed for another reason')
  t.notOk(refusesUs(fail(UNKNOWN_HEALTH, 0, { retryAfterMs: 9_000 }), 500), 'it asks for a pause')
})

t.test(
  'who refuses us and asks for a longer pause than a breaker is open, refuses us until that is over',
  async (t) => {
    const refused = fail(UNKNOWN_HEALTH, 0, { ourFault: true, retryAfterMs: 9_000 })
    t.ok(refusesUs(refused, 8_999), 'nobody could ask it meanwhile')
    t.notOk(refusesUs(refused, 9_000))
    t.ok(refusesUs(fail(refused, 1_500), 2_000), 'a late failure for another reason says nothing new')
    t.ok(refusesUs(fail(refused, 1_500, { ourFault: true }), 8_999), 'nor does a late refusal that asks for less')
  },
)

t.test('who asks others for a longer pause than it refuses us for, only rests after that', async (t) => {
  const refused = fail(UNKNOWN_HEALTH, 0, { ourFault: true })
  const limited = fail(refused, 900, { retryAfterMs: 9_000 })
  t.ok(refusesUs(limited, 999))
  t.notOk(refusesUs(limited, 1_000))
  t.equal(coolingDownUntil(limited, 1_000), 9_900)
})

t.test('who refuses us does so for all others while one of them tries it anew', async (t) => {
  const refused = fail(UNKNOWN_HEALTH, 0, { ourFault: true })
  const probing = afterEntry(refused, 1_000)
  t.ok(refusesUs(probing, 1_500))
  const untold = afterProbeWithoutVerdict(probing, 1_500)
  t.notOk(refusesUs(untold, 1_500), 'the next one may try')
  t.ok(refusesUs(afterEntry(untold, 1_500), 1_600))
  t.notOk(refusesUs(afterEntry(failTimes(3, 0), 1_000), 1_500), 'it failed for another reason')
  t.notOk(refusesUs(fail(probing, 1_500), 1_600), 'by now it fails for another reason')
})

t.test('Retry-After cools down at once, for an hour at most, and needs no probe afterwards', async (t) => {
  const cooled = fail(UNKNOWN_HEALTH, 0, { retryAfterMs: 20_000 })
  t.equal(coolingDownUntil(cooled, 0), 20_000)
  t.equal(afterEntry(cooled, 20_000).breaker.type, 'closed')
  t.equal(coolingDownUntil(fail(UNKNOWN_HEALTH, 0, { retryAfterMs: 1e12 }), 0), 3_600_000)
  t.equal(coolingDownUntil(fail(cooled, 0, { retryAfterMs: 5 }), 0), 20_000, 'a shorter one does not shorten it')
  for (const retryAfterMs of [0, -1, Number.NaN]) t.ok(mayTry(fail(UNKNOWN_HEALTH, 0, { retryAfterMs }), 0))
})

t.test('latency is a moving average that forgets after ten minutes', async (t) => {
  const once = afterSuccess(UNKNOWN_HEALTH, 100, 0)
  t.equal(latencyOf(once, 0), 100)
  const twice = afterSuccess(once, 200, 1)
  t.equal(latencyOf(twice, 1), 120)
  t.equal(latencyOf(twice, 600_002), undefined)
  t.equal(latencyOf(afterSuccess(twice, 50, 600_002), 600_002), 50)
  t.equal(latencyOf(fail(twice, 2), 2), 120, 'a failure says nothing about it')
})

t.test('whatever happens, a deployment may be tried again within an hour and the open time', async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('fail' as const), retryAfterMs: fc.double(), ourFault: fc.boolean() }),
    fc.record({ type: fc.constantFrom('succeed' as const, 'enter' as const, 'leave' as const) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let health = UNKNOWN_HEALTH
      let nowMs = 0
      for (const event of steps) {
        nowMs += 100
        if (event.type === 'fail') health = fail(health, nowMs, event)
        else if (event.type === 'succeed') health = afterSuccess(health, 1, nowMs)
        else if (event.type === 'enter') health = afterEntry(health, nowMs)
        else health = afterProbeWithoutVerdict(health, nowMs)
      }
      return mayTry(afterProbeWithoutVerdict(health, nowMs), nowMs + 3_600_000)
    }),
  )
})

t.test("a stream's first content ends the probe, and one break opens the breaker again", async (t) => {
  const begun = afterFirstContent(afterEntry(failTimes(3, 0), 1000), 10, SETTINGS, 1500)
  t.ok(mayTry(begun, 1500))
  t.equal(latencyOf(begun, 1500), 10)
  t.same(fail(begun, 1600).breaker, { type: 'open', untilMs: 2600 })
  t.same(afterCompletion(begun, 1600).breaker, { type: 'closed', failures: 0 })
})

t.test('streams that begin and break off open the breaker, however well they began', async (t) => {
  const broken = (health: Health) => fail(afterFirstContent(health, 10, SETTINGS, 0), 0)
  t.same(broken(broken(broken(UNKNOWN_HEALTH))).breaker, { type: 'open', untilMs: 1000 })
  const between = afterCompletion(broken(broken(UNKNOWN_HEALTH)), 0)
  t.same(broken(between).breaker, { type: 'closed', failures: 1 }, 'one that comes whole starts the count anew')
})

t.test('a stream of before does not close a breaker that is open', async (t) => {
  const open = failTimes(3, 0)
  t.same(afterFirstContent(open, 10, SETTINGS, 500).breaker, open.breaker)
  t.equal(afterCompletion(open, 500), open)
})

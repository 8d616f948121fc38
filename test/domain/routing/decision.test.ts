import t from 'tap'
import * as fc from 'fast-check'
import { hasFailedOver, renderDecision } from '../../../src/domain/routing/decision.ts'
import type { AttemptRecord } from '../../../src/domain/routing/decision.ts'

const failed: AttemptRecord = { deploymentId: 'one/gpt', result: 'error', status: 500, ms: 812.4 }
const won: AttemptRecord = { deploymentId: 'two/gpt', result: 'ok', status: 200, ms: 640 }

t.test('lists the attempts in order, the winner last, then why and what was removed', async (t) => {
  t.equal(
    renderDecision({ attempts: [failed, won], why: 'failover', removed: 3 }),
    'one/gpt;result=error;status=500;ms=812, two/gpt;result=ok;status=200;ms=640;why=failover;removed=3',
  )
})

t.test('leaves out the status where there was none', async (t) => {
  const attempts: AttemptRecord[] = [{ deploymentId: 'one/gpt', result: 'timeout', ms: 30_000, reason: 'first-byte' }]
  t.equal(
    renderDecision({ attempts, why: 'priority', removed: 0 }),
    'one/gpt;result=timeout;ms=30000;why=priority;removed=0',
  )
})

t.test('says none where nothing was attempted', async (t) => {
  t.equal(renderDecision({ attempts: [], why: 'cache-hit', removed: 1 }), 'none;why=cache-hit;removed=1')
})

t.test('escapes what would break the list', async (t) => {
  const attempts: AttemptRecord[] = [{ ...won, deploymentId: 'a/b, c;d=é\r\n\ud800' }]
  t.match(renderDecision({ attempts, why: 'x', removed: 0 }), /^a\/b%2C%20c%3Bd%3D%C3%A9%0D%0A%EF%BF%BD;result=ok/)
})

t.test('drops items in the middle, with their number, and keeps the winner', async (t) => {
  const attempts = [...Array.from({ length: 100 }, () => failed), won]
  const header = renderDecision({ attempts, why: 'failover', removed: 0 })
  t.ok(header.length <= 2048)
  t.match(header, /^one\/gpt;/)
  t.match(header, /, two\/gpt;result=ok;status=200;ms=640;why=failover;removed=0$/)
  const kept = header.match(/one\/gpt/g)?.length ?? 0
  t.match(header, `omitted;attempts=${100 - kept}, two`)
})

t.test('is printable ASCII of at most 2 KiB whatever it is given', async () => {
  const attempt = fc.record({
    deploymentId: fc.string({ unit: 'binary', maxLength: 300 }),
    result: fc.constant('ok' as const),
    ms: fc.double(),
  })
  fc.assert(
    fc.property(
      fc.array(attempt, { maxLength: 40 }),
      fc.string({ unit: 'binary' }),
      fc.nat(),
      (attempts, why, removed) => {
        const header = renderDecision({ attempts, why, removed })
        return header.length <= 2048 && /^[\x20-\x7e]+$/.test(header)
      },
    ),
  )
})

t.test('a try that follows a good one is no failover', async (t) => {
  const ended = (...results: ('ok' | 'timeout')[]) => results.map((result) => ({ deploymentId: 'p/m', result, ms: 1 }))
  t.equal(hasFailedOver(ended()), false)
  t.equal(hasFailedOver(ended('timeout')), false)
  t.equal(hasFailedOver(ended('ok', 'ok')), false, 'a repair')
  t.equal(hasFailedOver(ended('ok', 'timeout', 'ok')), true)
  t.equal(hasFailedOver(ended('timeout', 'ok')), true)
})

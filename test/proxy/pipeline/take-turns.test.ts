import t from 'tap'
import { GatewayError } from '../../../src/domain/errors.ts'
import { CallCancellation } from '../../../src/proxy/pipeline/call-cancellation.ts'
import { takeTurns } from '../../../src/proxy/pipeline/take-turns.ts'
import type { Steps } from '../../../src/domain/steps.ts'

function* steps(count: number, taken: (step: number) => void): Steps<string> {
  for (let step = 0; step < count; step++) {
    taken(step)
    yield
  }
  return 'done'
}

/** A clock on which every look takes a millisecond. */
function slowClock(): () => number {
  let now = 0
  return () => now++
}

t.test('what waits has its turn before long work has ended', async (t) => {
  const order: string[] = []
  const work = takeTurns(
    steps(100, (step) => order.push(`step ${step}`)),
    slowClock(),
    new CallCancellation(),
  )
  setImmediate(() => order.push('other'))
  t.equal(await work, 'done')
  t.ok(order.includes('other'))
  t.ok(order.indexOf('other') < order.indexOf('step 99'))
})

t.test('work of one turn is done in one', async (t) => {
  let others = 0
  const work = takeTurns(
    steps(5, () => {}),
    () => 0,
    new CallCancellation(),
  )
  setImmediate(() => others++)
  t.equal(await work, 'done')
  t.equal(others, 0)
})

t.test('a client that leaves ends the work', async (t) => {
  const client = new CallCancellation()
  let last = 0
  const work = takeTurns(
    steps(1000, (step) => (last = step)),
    slowClock(),
    client,
  )
  client.abort()
  await t.rejects(work, new GatewayError('client_closed_request', 'The client closed the request.'))
  t.ok(last < 999)
})

t.test('what a step throws is thrown', async (t) => {
  const work = takeTurns(
    steps(3, () => {
      throw new Error('broken')
    }),
    slowClock(),
    new CallCancellation(),
  )
  await t.rejects(work, /broken/)
})

t.test('however many wait, one turn is taken between two looks at what has come', async (t) => {
  let since = 0
  let most = 0
  const turn = (): number => since++
  const waiting = Array.from({ length: 20 }, () => takeTurns(steps(50, turn), slowClock(), new CallCancellation()))
  // Their first turns are taken at once.
  since = 0
  let looking = true
  const look = (): void => {
    most = Math.max(most, since)
    since = 0
    if (looking) setImmediate(look)
  }
  setImmediate(look)
  await Promise.all(waiting)
  looking = false
  t.ok(most > 0)
  t.ok(most <= 11, `${most} steps, of which a turn has ten`)
})

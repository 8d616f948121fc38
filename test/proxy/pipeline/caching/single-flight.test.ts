import t from 'tap'
import type { StoredAnswer } from '../../../../src/domain/caching/stored-answer.ts'
import { Flights, MAX_FLIGHT_WAIT_MS, type Joined } from '../../../../src/proxy/pipeline/caching/single-flight.ts'
import { FIRST_BYTE_MS } from '../../../../src/proxy/providers/attempt-clocks.ts'
import { createTestClock } from '../../../helpers/clock.ts'

const ANSWER: StoredAnswer = {
  format: 'messages',
  document: new Uint8Array(),
  deployment: '',
  virtualKey: '',
  storedAtMs: 0,
  purges: [0, 0, 0],
}
const STAYS = new AbortController().signal

function lead(joined: Joined) {
  if (joined.type !== 'lead') throw new Error('does not lead')
  return joined.lead
}

function wait(joined: Joined, signal = STAYS, timeoutMs = 10_000, wants: 'parts' | 'whole' = 'whole') {
  if (joined.type !== 'follow') throw new Error('does not follow')
  return joined.wait(signal, timeoutMs, wants)
}

t.test('all who follow get what the first one lands, and the flight is over', async (t) => {
  const flights = new Flights(createTestClock().now)
  const first = lead(flights.join('a'))
  const others = [wait(flights.join('a')), wait(flights.join('a'))]
  t.equal(flights.join('b').type, 'lead', 'another key is another flight')
  first.land(ANSWER, 0.97)
  first.land(undefined)
  for (const other of others) t.strictSame(await other, { type: 'answer', answer: ANSWER, similarity: 0.97 })
  t.equal(flights.join('a').type, 'lead')
  t.equal(flights.size, 2)
})

t.test('a leader that lands nothing or leaves lets the others go on', async (t) => {
  const flights = new Flights(createTestClock().now)
  const failing = lead(flights.join('a'))
  const one = wait(flights.join('a'))
  failing.land(undefined)
  t.strictSame(await one, { type: 'none' })
  const leaving = lead(flights.join('a'))
  const two = wait(flights.join('a'))
  leaving.leave()
  t.strictSame(await two, { type: 'left' })
  t.equal(flights.size, 0)
})

t.test('those who wait do so longer than for the first one to give up a frozen provider', async (t) => {
  t.ok(MAX_FLIGHT_WAIT_MS >= 1.5 * FIRST_BYTE_MS)
})

t.test('who waits leaves when its time is over or its client has gone', async (t) => {
  const flights = new Flights(createTestClock().now)
  lead(flights.join('a'))
  t.strictSame(await wait(flights.join('a'), STAYS, 1), { type: 'late' })
  const gone = new AbortController()
  const waiting = wait(flights.join('a'), gone.signal)
  gone.abort()
  t.strictSame(await waiting, { type: 'late' })
  t.strictSame(await wait(flights.join('a'), gone.signal), { type: 'late' })
})

t.test('who waits for the end of a stream that stands still goes on, and one leads for all', async (t) => {
  const flights = new Flights(createTestClock().now, 1)
  const leader = lead(flights.join('a'))
  const early = wait(flights.join('a'))
  leader.reads({ restsAt: 7 })
  t.strictSame(await Promise.all([early, wait(flights.join('a'))]), [{ type: 'left' }, { type: 'left' }])
  leader.land(ANSWER)
  const next = lead(flights.join('a'))
  const other = wait(flights.join('a'))
  next.land(ANSWER)
  t.match(await other, { type: 'answer' })
})

t.test('a stream that goes on, or whose provider is waited for, does not stand still', async (t) => {
  for (const restsAt of [(looks: number) => looks, () => undefined]) {
    const flights = new Flights(createTestClock().now, 1)
    const leader = lead(flights.join('a'))
    const looked = Promise.withResolvers<void>()
    let looks = 0
    leader.reads({
      get restsAt() {
        if (++looks === 10) looked.resolve()
        return restsAt(looks)
      },
    })
    const other = wait(flights.join('a'))
    await looked.promise
    leader.land(ANSWER)
    t.match(await other, { type: 'answer' })
  }
})

t.test('nobody looks whether a stream goes on that begins when its flight has ended', async (t) => {
  const flights = new Flights(createTestClock().now, 1)
  const leader = lead(flights.join('a'))
  const other = wait(flights.join('a'))
  leader.leave()
  let looks = 0
  leader.reads({
    get restsAt() {
      looks++
      return undefined
    },
  })
  t.strictSame(await other, { type: 'left' })
  t.equal(looks, 0)
})

t.test('a flight that its leader has forgotten is replaced', async (t) => {
  const clock = createTestClock()
  const flights = new Flights(clock.now)
  const forgotten = lead(flights.join('a'))
  clock.advance(30_000)
  const next = lead(flights.join('a'))
  forgotten.land(undefined)
  const follower = wait(flights.join('a'))
  next.land(ANSWER)
  t.match(await follower, { type: 'answer' })
  t.equal(flights.size, 0)
})

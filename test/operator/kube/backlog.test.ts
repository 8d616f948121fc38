import t from 'tap'
import { Backlog } from '../../../src/operator/kube/backlog.ts'
import { ManualTiming, settle } from './manual-timing.ts'

function begin(depth: number) {
  const timing = new ManualTiming()
  const state = { depth }
  const backlog = new Backlog({ timing, depth: () => state.depth })
  const done: boolean[] = []
  const wait = () => void backlog.over().then((may) => done.push(may))
  return { timing, state, backlog, done, wait }
}

t.test('where nothing waits that goes before, nobody waits', async (t) => {
  const { done, wait, timing } = begin(0)
  wait()
  await settle()
  t.strictSame(done, [true])
  t.equal(timing.timers, 0)
})

t.test('what can wait goes on when the last before it has been handed out', async (t) => {
  const { timing, state, done, wait } = begin(5_000)
  wait()
  wait()
  await timing.advance(30_000)
  t.strictSame(done, [])
  state.depth = 0
  await timing.advance(1_000)
  t.strictSame(done, [true, true])
})

t.test(
  'a backlog without an end holds nobody for more than a minute in all, and a later one counts anew',
  async (t) => {
    const { timing, state, done, wait } = begin(7)
    wait()
    await timing.advance(59_000)
    t.strictSame(done, [])
    await timing.advance(1_250)
    t.strictSame(done, [true])
    wait()
    await settle()
    t.strictSame(done, [true, true], 'who comes after that does not wait a minute each')
    state.depth = 0
    wait()
    await settle()
    state.depth = 7
    wait()
    await timing.advance(59_000)
    t.equal(done.length, 3)
    await timing.advance(1_250)
    t.equal(done.length, 4)
  },
)

t.test('a backlog of long ago, whose end nobody saw, does not make the next one a lasting one', async (t) => {
  const { timing, state, done, wait } = begin(7)
  wait()
  await timing.advance(61_000)
  t.strictSame(done, [true])
  state.depth = 0
  await timing.advance(3_600_000)
  state.depth = 5_000
  wait()
  await timing.advance(59_000)
  t.strictSame(done, [true])
  await timing.advance(1_250)
  t.strictSame(done, [true, true])
})

t.test('who comes from a slow call to the API server does not wait for a lasting backlog anew', async (t) => {
  const { timing, done, wait } = begin(7)
  wait()
  await timing.advance(61_000)
  t.strictSame(done, [true])
  await timing.advance(30_000)
  wait()
  await settle()
  t.strictSame(done, [true, true])
})

t.test('who waits when all ends does not begin', async (t) => {
  const { backlog, done, wait, timing } = begin(7)
  wait()
  await settle()
  backlog.stop()
  await settle()
  t.strictSame(done, [false])
  t.equal(timing.timers, 0)
})

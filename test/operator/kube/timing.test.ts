import t from 'tap'
import { pause, SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import { ManualTiming } from './manual-timing.ts'

t.test('a delay longer than Node can count does not fire at once', async (t) => {
  let fired = false
  const cancel = SYSTEM_TIMING.after(2 ** 33, () => (fired = true))
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(fired, false)
  cancel()
})

t.test('a pause ends in time, or at once with its signal, and leaves no timer', async (t) => {
  const timing = new ManualTiming()
  const stop = new AbortController()
  const paused = Promise.all([pause(timing, 100), pause(timing, 1_000, stop.signal)])
  await timing.advance(100)
  stop.abort()
  await paused
  await pause(timing, 1_000, stop.signal)
  t.equal(timing.timers, 0)
})

t.test("the machine's clock goes forward", async (t) => {
  const before = SYSTEM_TIMING.elapsed()
  await pause(SYSTEM_TIMING, 1)
  t.ok(SYSTEM_TIMING.elapsed() > before)
  t.ok(SYSTEM_TIMING.now() > 0)
  t.ok(SYSTEM_TIMING.random() < 1)
})

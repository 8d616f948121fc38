import t from 'tap'
import { AttemptClocks, attemptTimeouts } from '../../../src/proxy/providers/attempt-clocks.ts'
import type { Clock } from '../../../src/proxy/providers/attempt-clocks.ts'

const FOREVER = Number.MAX_SAFE_INTEGER
const LIMITS = { connectMs: FOREVER, firstByteMs: FOREVER, streamIdleMs: FOREVER, totalMs: FOREVER }

/** The clock that runs out first. */
function first(limits: Partial<typeof LIMITS>, drive: (clocks: AttemptClocks) => void): Promise<Clock> {
  return new Promise((resolve) => drive(new AttemptClocks({ ...LIMITS, ...limits }, resolve)))
}

t.test('each phase has its own clock, and total runs over all', async (t) => {
  t.equal(await first({ connectMs: 5 }, () => undefined), 'connect')
  t.equal(await first({ connectMs: 50, firstByteMs: 5 }, (clocks) => clocks.enter('first-byte')), 'first-byte')
  t.equal(await first({ streamIdleMs: 5 }, (clocks) => clocks.enter('idle')), 'idle')
  t.equal(await first({ totalMs: 5 }, (clocks) => clocks.enter('first-byte')), 'total')
})

t.test('a pause stops the clock of the phase, not the total one', async (t) => {
  const limits = { streamIdleMs: 5, totalMs: 40 }
  const paused = await first(limits, (clocks) => {
    clocks.enter('idle')
    clocks.pause()
  })
  t.equal(paused, 'total')
  const resumed = await first(limits, (clocks) => {
    clocks.enter('idle')
    clocks.pause()
    clocks.resume()
  })
  t.equal(resumed, 'idle')
})

t.test('what may come after the answer is not waited for longer than in the middle of it', async (t) => {
  t.equal(await first({}, (clocks) => clocks.close(5)), 'closing')
  t.equal(await first({ streamIdleMs: 5 }, (clocks) => clocks.close(FOREVER)), 'closing')
})

t.test('activity moves the deadline', async (t) => {
  const clock = await first({ streamIdleMs: 1_000, totalMs: 2_000 }, (clocks) => {
    clocks.enter('idle')
    const touching = setInterval(() => clocks.touch(), 10)
    t.teardown(() => clearInterval(touching))
  })
  t.equal(clock, 'total')
})

t.test('a stopped clock never runs out, whatever comes late', async (t) => {
  const expired: Clock[] = []
  const clocks = new AttemptClocks({ ...LIMITS, connectMs: 5, firstByteMs: 5 }, (clock) => expired.push(clock))
  clocks.stop()
  clocks.enter('first-byte')
  clocks.resume()
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.same(expired, [])
})

t.test('a time beyond what timers can hold does not fire at once', async (t) => {
  const expired: Clock[] = []
  const clocks = new AttemptClocks(LIMITS, (clock) => expired.push(clock))
  await new Promise((resolve) => setTimeout(resolve, 20))
  clocks.stop()
  t.same(expired, [])
})

t.test('what has run out goes on where it is extended, and total runs all the while', async (t) => {
  const limits = { ...LIMITS, firstByteMs: 5, streamIdleMs: 5, totalMs: 1_000 }
  const expired: Clock[] = []
  await new Promise<void>((resolve) => {
    const clocks = new AttemptClocks(limits, (clock) => {
      expired.push(clock)
      if (expired.length === 1) clocks.extend(5)
      else if (expired.length === 2) clocks.extend(Infinity)
      else resolve()
    })
    clocks.enter('first-byte')
  })
  t.same(expired, ['first-byte', 'first-byte', 'total'])
})

t.test('what was extended without an end has its clocks again in the next phase', async (t) => {
  const clock = await new Promise<Clock>((resolve) => {
    const clocks = new AttemptClocks({ ...LIMITS, firstByteMs: 5, streamIdleMs: 5 }, (clock) => {
      if (clock !== 'first-byte') return resolve(clock)
      clocks.extend(Infinity)
      clocks.enter('idle')
    })
    clocks.enter('first-byte')
  })
  t.equal(clock, 'idle')
})

t.test('a stated time to the first byte is that of every call', async (t) => {
  const stated = { connectMs: 1, streamIdleMs: 2, totalMs: 600_000 }
  t.equal(attemptTimeouts(stated, 30_000).firstByteMs, 30_000)
  t.equal(attemptTimeouts({ ...stated, firstByteMs: 9 }, 30_000).firstByteMs, 9)
})

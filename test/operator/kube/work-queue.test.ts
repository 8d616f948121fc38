import fc from 'fast-check'
import t from 'tap'
import { WorkQueue } from '../../../src/operator/kube/work-queue.ts'
import { ManualTiming, settle } from './manual-timing.ts'

t.test('a key that waits already is not queued twice, and keys come in order', async (t) => {
  const queue = new WorkQueue({ timing: new ManualTiming() })
  for (const key of ['a', 'b', 'a']) queue.add(key)
  t.strictSame([await queue.take(), await queue.take()], ['a', 'b'])
  t.match(queue.stats, { depth: 0, processing: 2, added: 2 })
})

t.test('a key is never handed out while it is worked on, and an add meanwhile leads to another round', async (t) => {
  const queue = new WorkQueue({ timing: new ManualTiming() })
  queue.add('a')
  t.equal(await queue.take(), 'a')
  queue.add('a')
  queue.add('a')
  let again: string | undefined
  void queue.take().then((key) => (again = key))
  await settle()
  t.equal(again, undefined)
  queue.done('a')
  await settle()
  t.equal(again, 'a')
  queue.done('a')
  t.match(queue.stats, { depth: 0, processing: 0 })
})

t.test('of several delays the earliest counts, and an add before then replaces it', async (t) => {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing })
  queue.addAfter('a', 1_000)
  queue.addAfter('a', 5_000)
  queue.addAfter('a', 500)
  t.equal(queue.stats.delayed, 1)
  await timing.advance(499)
  t.equal(queue.stats.depth, 0)
  await timing.advance(1)
  t.equal(await queue.take(), 'a')
  queue.done('a')
  queue.addAfter('a', 1_000)
  queue.addAfter('a', 0)
  t.equal(await queue.take(), 'a')
  t.equal(timing.timers, 0)
})

t.test('retries of a key wait 5 ms, doubling up to 16 minutes, until it is forgotten', async (t) => {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing, retriesPerSecond: 1e6, retriesBurst: 1e6 })
  const waits: number[] = []
  for (let round = 0; round < 20; round += 1) {
    queue.addRateLimited('a')
    const before = timing.elapsed()
    while (queue.stats.depth === 0) await timing.advance(queue.stats.delayed === 0 ? 0 : 5)
    waits.push(timing.elapsed() - before)
    queue.done((await queue.take()) ?? '')
    if (waits.length > 9) break
  }
  t.strictSame(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560])
  t.equal(queue.failuresOf('a'), 10)
  queue.forget('a')
  queue.addRateLimited('a')
  await timing.advance(5)
  t.equal(queue.stats.depth, 1)
  for (let failures = 0; failures < 60; failures += 1) queue.addRateLimited('b')
  await timing.advance(16 * 60_000)
  t.equal(queue.stats.depth, 2)
})

t.test('a server that asks for a wait gets it, and many failing keys share a rate', async (t) => {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing, retriesPerSecond: 10, retriesBurst: 2 })
  queue.addRateLimited('asked', 3_000)
  for (const key of ['a', 'b', 'c']) queue.addRateLimited(key)
  await timing.advance(150)
  t.equal(queue.stats.depth, 2)
  await timing.advance(50)
  t.equal(queue.stats.depth, 3)
  await timing.advance(2_800)
  t.equal(queue.stats.depth, 4)
})

t.test('draining hands out what is queued, forgets what is delayed, takes nothing new', async (t) => {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing })
  queue.add('a')
  queue.addAfter('late', 1_000)
  const drained = queue.drain(10_000)
  queue.add('new')
  queue.addAfter('new', 5)
  queue.addRateLimited('new')
  t.equal(await queue.take(), 'a')
  const end = queue.take()
  queue.done('a')
  t.equal(await end, undefined)
  t.equal(await drained, true)
  t.equal(await queue.take(), undefined)
  t.equal(timing.timers, 0)
})

t.test('draining does not wait for ever', async (t) => {
  const timing = new ManualTiming()
  const queue = new WorkQueue({ timing })
  queue.add('a')
  await queue.take()
  const drained = queue.drain(10_000)
  await timing.advance(10_000)
  t.equal(await drained, false)
})

t.test('what happens is told and counted', async (t) => {
  const timing = new ManualTiming()
  const told: string[] = []
  const observer = {
    taken: (ms: number) => void told.push(`taken ${ms}`),
    finished: (ms: number) => void told.push(`finished ${ms}`),
    retried: () => void told.push('retried'),
  }
  const queue = new WorkQueue({ timing, observer })
  queue.add('a')
  await timing.advance(30)
  await queue.take()
  await timing.advance(20)
  t.equal(queue.stats.longestRunningMs, 20)
  queue.done('a')
  queue.done('a')
  queue.addRateLimited('a')
  t.strictSame(told, ['taken 30', 'finished 20', 'retried'])
  t.match(queue.stats, { retries: 1, delayed: 1, processing: 0, longestRunningMs: 0 })
})

t.test('whatever the order of calls, no key is worked on twice at once and no add is lost', async (t) => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom('add', 'later', 'retry', 'take', 'done', 'wait'), fc.constantFrom('a', 'b', 'c')),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const timing = new ManualTiming()
      const queue = new WorkQueue({ timing })
      const busy = new Set<string>()
      const owed = new Set<string>()
      for (const [step, key] of sequence) {
        if (step === 'add') queue.add(key)
        if (step === 'later') queue.addAfter(key, 7)
        if (step === 'retry') queue.addRateLimited(key)
        if (step === 'add' || step === 'later' || step === 'retry') owed.add(key)
        if (step === 'wait') await timing.advance(7)
        if (step === 'done' && busy.delete(key)) queue.done(key)
        if (step !== 'take' || queue.stats.depth === 0) continue
        const taken = (await queue.take()) ?? ''
        if (busy.has(taken)) return false
        busy.add(taken)
        owed.delete(taken)
      }
      for (const key of busy) queue.done(key)
      await timing.advance(20 * 60_000)
      while (queue.stats.depth > 0) {
        const taken = (await queue.take()) ?? ''
        owed.delete(taken)
        queue.done(taken)
      }
      return owed.size === 0
    }),
    { numRuns: 60 },
  )
  t.pass()
})

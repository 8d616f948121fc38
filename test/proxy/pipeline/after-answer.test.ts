import t from 'tap'
import { AfterAnswer } from '../../../src/proxy/pipeline/after-answer.ts'
import { createTestClock } from '../../helpers/clock.ts'

t.test('work begins after what is being answered, in its order', async (t) => {
  const done: string[] = []
  const queue = new AfterAnswer(createTestClock().now)
  for (const name of ['a', 'b']) queue.run(async () => void done.push(name))
  await Promise.resolve()
  t.strictSame(done, [])
  t.equal(queue.waiting, 2)
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(done, ['a', 'b'])
  t.equal(queue.waiting, 0)
})

t.test('its lag is the age of the oldest work', async (t) => {
  const clock = createTestClock()
  const queue = new AfterAnswer(clock.now)
  t.equal(queue.lagMs, 0)
  queue.run(async () => {})
  clock.advance(250)
  queue.run(async () => {})
  clock.advance(50)
  t.equal(queue.lagMs, 300)
  await queue.drain()
  t.equal(queue.lagMs, 0)
})

t.test('what finds the queue full begins at once', async (t) => {
  const begun: number[] = []
  const queue = new AfterAnswer(createTestClock().now, { maxWaiting: 2 })
  for (const index of [0, 1, 2, 3]) queue.run(async () => void begun.push(index))
  t.strictSame(begun, [2, 3])
  await queue.drain()
  t.strictSame(begun, [2, 3, 0, 1])
})

t.test('draining waits for what has begun as well', async (t) => {
  let finish = () => {}
  const queue = new AfterAnswer(createTestClock().now)
  let isDone = false
  queue.run(async () => {
    await new Promise<void>((resolve) => (finish = resolve))
    isDone = true
  })
  const drained = queue.drain()
  finish()
  await drained
  t.ok(isDone)
})

t.test('work that fails is told of and stops nothing else', async (t) => {
  const errors: unknown[] = []
  const done: string[] = []
  const queue = new AfterAnswer(createTestClock().now, { onError: (error) => errors.push(error) })
  queue.run(() => {
    throw new Error('at once')
  })
  queue.run(() => Promise.reject(new Error('later')))
  queue.run(() => void done.push('next'))
  await queue.drain()
  t.strictSame(done, ['next'])
  t.strictSame(errors, [new Error('at once'), new Error('later')])
})

t.test(
  'work for a pause is not begun before another request is read, but when one waits for its provider',
  async (t) => {
    const done: string[] = []
    const queue = new AfterAnswer(createTestClock().now, { enough: 2 })
    queue.runWhenIdle(() => void done.push('a'))
    queue.idleBegins()
    await afterTicks()
    t.strictSame(done, [], 'too little')
    queue.runWhenIdle(() => void done.push('b'))
    await afterTicks()
    t.strictSame(done, [])
    queue.idleBegins()
    t.strictSame(done, [], 'what the pause is for comes first')
    await afterTicks()
    t.strictSame(done, ['a', 'b'])
  },
)

t.test('work for a pause is begun without one, and work that comes later as well', async (t) => {
  const queue = new AfterAnswer(createTestClock().now)
  for (let round = 0; round < 2; round++) await new Promise<void>((resolve) => queue.runWhenIdle(resolve))
  t.pass('both were begun')
})

t.test('who must find work for a pause done has it begun, once', async (t) => {
  const done: string[] = []
  const queue = new AfterAnswer(createTestClock().now)
  queue.runWhenIdle(() => void done.push('a'))
  queue.idleBegins()
  queue.catchUp()
  t.strictSame(done, ['a'])
  queue.runWhenIdle(() => void done.push('b'))
  await queue.drain()
  t.strictSame(done, ['a', 'b'], 'draining begins it too')
})

t.test('what finds too much waiting for a pause begins at once', (t) => {
  const begun: number[] = []
  const queue = new AfterAnswer(createTestClock().now, { maxWaiting: 2 })
  for (const index of [0, 1, 2]) queue.runWhenIdle(() => void begun.push(index))
  t.strictSame(begun, [2])
  queue.catchUp()
  t.strictSame(begun, [2, 0, 1])
  t.end()
})

/** Work that is begun before the next read has been begun. */
function afterTicks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

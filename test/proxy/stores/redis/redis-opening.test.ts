import { mock } from 'node:test'
import t from 'tap'
import { pauseAfter } from '../../../../src/proxy/stores/redis/redis-opening.ts'

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

/** Whether it is over without any time having passed. */
async function isOver(pause: Promise<void>): Promise<boolean> {
  let over = false
  void pause.then(() => (over = true))
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  return over
}

t.test('a pause is over at once where its signal is aborted, meanwhile or before', async (t) => {
  const closing = new AbortController()
  const pause = pauseAfter(3, () => 1, closing.signal)
  t.notOk(await isOver(pause))
  closing.abort()
  t.ok(await isOver(pause))
  t.ok(await isOver(pauseAfter(3, () => 1, closing.signal)))
})

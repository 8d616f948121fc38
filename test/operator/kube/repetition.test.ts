import t from 'tap'
import { Repetition } from '../../../src/operator/kube/repetition.ts'
import { ManualTiming } from './manual-timing.ts'

t.test('what keeps failing is said at once, then after gaps that grow', async (t) => {
  const timing = new ManualTiming()
  const repetition = new Repetition(() => timing.elapsed())
  const saidAt: number[] = []
  for (let second = 0; second < 3_600; second += 1) {
    if (repetition.isDue('refused')) saidAt.push(second)
    timing.freeze(1_000)
  }
  t.same(saidAt, [0, 10, 30, 70, 150, 310, 630, 1_230, 1_830, 2_430, 3_030])
})

t.test('another message is said at once, and each of several in turn by its own gaps', async (t) => {
  const timing = new ManualTiming()
  const repetition = new Repetition(() => timing.elapsed())
  t.ok(repetition.isDue('refused'))
  t.ok(repetition.isDue('frozen'))
  t.notOk(repetition.isDue('refused'))
  t.notOk(repetition.isDue('frozen'))
  repetition.over()
  t.ok(repetition.isDue('refused'), 'it had succeeded in between')
  for (let number = 0; number < 100; number += 1) t.ok(repetition.isDue(`${number}`))
})

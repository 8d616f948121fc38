import fc from 'fast-check'
import t from 'tap'
import { Backoff } from '../../../src/operator/kube/backoff.ts'
import { ManualTiming } from './manual-timing.ts'

t.test('waits are never below the minimum, nor above a ceiling that doubles up to the maximum', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 50 }),
      (chances) => {
        const timing = new ManualTiming()
        const backoff = new Backoff(800, 30_000, timing)
        return chances.every((chance, index) => {
          timing.chance = chance
          const waitMs = backoff.next()
          return waitMs >= 800 && waitMs <= Math.min(30_000, 800 * 2 ** (index + 1))
        })
      },
    ),
  )
  t.pass()
})

t.test('what the server asked for is waited at least, and a reset starts anew', async (t) => {
  const timing = new ManualTiming()
  const backoff = new Backoff(800, 30_000, timing)
  t.equal(backoff.next(45_000), 45_000)
  timing.chance = 0.5
  t.equal(backoff.next(), 2_000)
  t.equal(backoff.failures, 2)
  backoff.reset()
  t.equal(backoff.failures, 0)
  t.equal(backoff.next(), 1_200)
})

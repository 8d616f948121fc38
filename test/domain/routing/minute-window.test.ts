import t from 'tap'
import * as fc from 'fast-check'
import {
  addToWindow,
  EMPTY_WINDOW,
  takeFromWindow,
  untilUsedAtMost,
  usedInWindow,
} from '../../../src/domain/routing/minute-window.ts'

t.test('counts the current minute whole and the one before in proportion', async (t) => {
  const window = addToWindow(addToWindow(EMPTY_WINDOW, 4, 60_000), 6, 119_999)
  t.equal(usedInWindow(window, 119_999), 10)
  t.equal(usedInWindow(window, 120_000), 10)
  t.equal(usedInWindow(window, 150_000), 5)
  t.equal(usedInWindow(window, 180_000), 0)
})

t.test('forgets after two minutes of silence', async (t) => {
  t.equal(usedInWindow(addToWindow(EMPTY_WINDOW, 10, 0), 120_000), 0)
})

t.test('never counts less than the current clock minute has had', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(600_000), { maxLength: 50 }), (times) => {
      let window = EMPTY_WINDOW
      return times
        .toSorted((a, b) => a - b)
        .every((at, index, sorted) => {
          window = addToWindow(window, 1, at)
          const sameMinute = sorted
            .slice(0, index + 1)
            .filter((other) => Math.floor(other / 60_000) === Math.floor(at / 60_000))
          return usedInWindow(window, at) >= sameMinute.length
        })
    }),
  )
})

t.test('what was added is taken back in the minute that it counts in, or not at all', async (t) => {
  const two = addToWindow(EMPTY_WINDOW, 2, 70_000)
  t.equal(usedInWindow(takeFromWindow(two, 1, 70_000), 71_000), 1)
  t.equal(usedInWindow(takeFromWindow(two, 3, 70_000), 71_000), 0)
  const next = addToWindow(two, 1, 120_000)
  t.strictSame(takeFromWindow(next, 1, 70_000), next, 'its minute is over')
})

t.test('tells when there is room again, and not before', async (t) => {
  t.equal(untilUsedAtMost(EMPTY_WINDOW, 0, 5), 0)
  const two = addToWindow(EMPTY_WINDOW, 2, 70_000)
  t.equal(untilUsedAtMost(two, 2, 70_000), 0)
  t.equal(untilUsedAtMost(two, 1, 70_000), 80_000, 'the rest of this minute, half of the next')
  t.equal(untilUsedAtMost(two, 0, 130_000), 50_000)
  fc.assert(
    fc.property(fc.array(fc.nat(180_000), { minLength: 1, maxLength: 20 }), fc.nat(10), (times, most) => {
      const sorted = times.toSorted((a, b) => a - b)
      const window = sorted.reduce((before, at) => addToWindow(before, 1, at), EMPTY_WINDOW)
      const now = sorted.at(-1) ?? 0
      const wait = untilUsedAtMost(window, most, now)
      const isEnough = usedInWindow(window, now + wait) <= most + 1e-6
      return isEnough && (wait < 1 || usedInWindow(window, now + wait - 1) > most - 1e-6)
    }),
  )
})

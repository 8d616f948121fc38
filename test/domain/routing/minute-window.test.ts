import t from 'tap'
import * as fc from 'fast-check'
import { addToWindow, EMPTY_WINDOW, usedInWindow } from '../../../src/domain/routing/minute-window.ts'

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

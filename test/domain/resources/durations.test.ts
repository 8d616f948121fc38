import t from 'tap'
import { parseDuration } from '../../../src/domain/resources/durations.ts'

t.test('durations are read in milliseconds', async (t) => {
  const cases: readonly [string, number][] = [
    ['0s', 0],
    ['1h30m', 5_400_000],
    ['10m', 600_000],
    ['1.1s', 1100],
    ['250ms', 250],
    ['1m30s500ms', 90_500],
    ['0.1ms', 1],
  ]
  for (const [text, ms] of cases) t.equal(parseDuration(text), ms, text)
})

t.test('what is no duration is refused', async (t) => {
  for (const text of ['', '5', 's', '-1h', '1d', '1 h', '1h ', '.5s', '1e3s', '1us', '1h'.repeat(40)]) {
    t.throws(() => parseDuration(text), RangeError, text)
  }
})

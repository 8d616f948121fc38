import t from 'tap'
import { calendarWindow, rollingBucketMs } from '../../../src/domain/quota/windows.ts'

const CASES = [
  ['Minute', '2026-01-01T12:34:56.789Z', '2026-01-01T12:34:00Z', '2026-01-01T12:35:00Z'],
  ['Hour', '2026-01-01T12:00:00.000Z', '2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z'],
  ['Day', '2024-02-29T23:59:59.999Z', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
  // A Sunday and the Monday after it.
  ['Week', '2026-01-04T23:59:59.999Z', '2025-12-29T00:00:00Z', '2026-01-05T00:00:00Z'],
  ['Week', '2026-01-05T00:00:00.000Z', '2026-01-05T00:00:00Z', '2026-01-12T00:00:00Z'],
  ['Month', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
  ['Month', '2025-12-31T23:59:59.999Z', '2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'],
] as const

for (const [window, now, start, end] of CASES) {
  t.test(`the ${window} of ${now} is that in UTC`, async (t) => {
    t.strictSame(calendarWindow(window, Date.parse(now)), { startMs: Date.parse(start), endMs: Date.parse(end) })
  })
}

t.test('a total begins at the epoch and never ends', async (t) => {
  t.strictSame(calendarWindow('Total', 5), { startMs: 0, endMs: undefined })
  t.equal(rollingBucketMs('Total'), undefined)
})

t.test('a rolling window has sixty buckets, a month of thirty days', async (t) => {
  t.equal(rollingBucketMs('Minute'), 1_000)
  t.equal(rollingBucketMs('Hour'), 60_000)
  t.equal(rollingBucketMs('Day'), 24 * 60_000)
  t.equal(rollingBucketMs('Week'), 7 * 24 * 60_000)
  t.equal(rollingBucketMs('Month'), 12 * 3_600_000)
})

import t from 'tap'
import { ANY_ANSWER, parseCacheControl } from '../../../src/domain/caching/cache-control.ts'

const cases: [lines: string[], read: boolean, store: boolean, maxAge: number | undefined][] = [
  [[], true, true, undefined],
  [['no-cache'], false, true, undefined],
  [['NO-CACHE'], false, true, undefined],
  [['no-store'], false, false, undefined],
  [['no-store', 'max-age=5'], false, false, undefined],
  [['No-Store; no-cache'], false, false, undefined],
  [['private no-store'], false, false, undefined],
  [['no-store="x"'], false, false, undefined],
  [['max-age=60'], true, true, 60],
  [['max-age="60"'], true, true, 60],
  [['max-age=60, max-age=30'], true, true, 30],
  [['  max-age=60 , no-cache'], false, true, 60],
  [['max-age=0'], true, true, 0],
  [['max-age'], true, true, undefined],
  [['max-age=-1'], true, true, undefined],
  [['max-age=1.5'], true, true, undefined],
  [['max-age=99999999999999999999'], true, true, undefined],
  [['max-stale=5, private, x="no-store"'], true, true, undefined],
  [['x-no-store'], true, true, undefined],
  [[',,;=,'], true, true, undefined],
]

for (const [lines, read, store, maxAgeSeconds] of cases) {
  t.test(`Cache-Control ${JSON.stringify(lines)} is read`, async (t) => {
    t.strictSame(parseCacheControl(lines), { read, store, maxAgeSeconds })
  })
}

t.test('of a field that is too long only no-store counts', async (t) => {
  const rest = 'x'.repeat(2_000)
  t.strictSame(parseCacheControl([`max-age=5,${rest}`]), ANY_ANSWER)
  t.match(parseCacheControl([`${rest}, no-store`]), { read: false, store: false })
})

import t from 'tap'
import { TokenBucket } from '../../../src/operator/kube/token-bucket.ts'
import { ManualTiming } from './manual-timing.ts'

t.test('after the burst each reservation waits its turn', async (t) => {
  const timing = new ManualTiming()
  const bucket = new TokenBucket(10, 2, timing)
  t.strictSame([bucket.reserve(), bucket.reserve(), bucket.reserve(), bucket.reserve()], [0, 0, 100, 200])
  await timing.advance(200)
  t.equal(bucket.reserve(), 100)
})

t.test('an unused bucket fills up to its burst and no further', async (t) => {
  const timing = new ManualTiming()
  const bucket = new TokenBucket(1, 2, timing)
  await timing.advance(60_000)
  t.strictSame([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false])
  await timing.advance(1_000)
  t.equal(bucket.tryTake(), true)
})

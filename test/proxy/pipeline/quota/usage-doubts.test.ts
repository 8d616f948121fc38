import t from 'tap'
import { UsageDoubtLog } from '../../../../src/proxy/pipeline/quota/usage-doubts.ts'
import { createTestClock } from '../../../helpers/clock.ts'

t.test('a deployment whose counts are not believed is told of once a minute', async (t) => {
  const clock = createTestClock()
  const lines: object[] = []
  const ignore = () => undefined
  const log = { debug: ignore, info: ignore, error: ignore, warn: (fields: object) => void lines.push(fields) }
  const doubts = new UsageDoubtLog(log, clock.now)
  const usage = { input: 1e9, cachedInput: 2, cacheWrite: 1, output: 7, reasoning: 0 }
  doubts.tell('one', 'p/m', usage)
  doubts.tell('two', 'p/m', usage)
  doubts.tell('three', 'p/other', usage)
  clock.advance(60_000)
  doubts.tell('four', 'p/m', usage)
  const counted = { inputTokens: 1_000_000_003, outputTokens: 7 }
  t.strictSame(lines, [
    { requestId: 'one', deployment: 'p/m', ...counted },
    { requestId: 'three', deployment: 'p/other', ...counted },
    { requestId: 'four', deployment: 'p/m', ...counted },
  ])
})

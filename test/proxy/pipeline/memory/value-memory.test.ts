import t from 'tap'
import { roomForMaskedValues, ValueMemory, ValueShare } from '../../../../src/proxy/pipeline/memory/value-memory.ts'

const UNCOUNTED = 100

const claim = (share: ValueShare, values: number): void => {
  for (let count = 0; count < values; count++) share.claim()
}

t.test('requests with few values need no room', async () => {
  const room = new ValueMemory(0)
  for (let request = 0; request < 1_000; request++) claim(new ValueShare(room), UNCOUNTED)
})

t.test('a request is refused where others have the room, and finds it when these have ended', async (t) => {
  const room = new ValueMemory(10)
  const first = new ValueShare(room)
  claim(first, UNCOUNTED + 8)
  const second = new ValueShare(room)
  t.throws(() => claim(second, UNCOUNTED + 3), { code: 'rate_limit_exceeded', details: { retryAfterSeconds: 5 } })
  second.release()
  second.release()
  first.release()
  claim(new ValueShare(room), UNCOUNTED + 10)
})

t.test('what is masked for a request that has ended takes no room', async () => {
  const room = new ValueMemory(1)
  const late = new ValueShare(room)
  late.release()
  late.expect(UNCOUNTED + 5)
  claim(late, UNCOUNTED + 5)
  late.settle()
  claim(new ValueShare(room), UNCOUNTED + 1)
})

t.test('the smallest heap has room for one request with as many values as a request may have', async (t) => {
  t.equal(roomForMaskedValues(0), 50_000)
  t.equal(roomForMaskedValues(256 * 1024 * 1024), 209_715)
})

t.test(
  'what a text seems to have has room before it is kept, and what is not kept has none when the text is masked',
  async (t) => {
    const room = new ValueMemory(10)
    const first = new ValueShare(room)
    claim(first, UNCOUNTED)
    first.expect(4)
    first.expect(8)
    first.expect(3)
    const second = new ValueShare(room)
    t.throws(() => second.expect(UNCOUNTED + 3), { code: 'rate_limit_exceeded' })
    claim(first, 3)
    second.expect(UNCOUNTED + 2)
    first.settle()
    second.expect(UNCOUNTED + 7)
    t.throws(() => second.expect(UNCOUNTED + 8), { code: 'rate_limit_exceeded' }, 'what is kept has room still')
    second.release()
    first.release()
    claim(new ValueShare(room), UNCOUNTED + 10)
  },
)

t.test('a text that seems to have more values than a request may have is not refused for want of room', async () => {
  new ValueShare(new ValueMemory(roomForMaskedValues(0))).expect(140_000)
})

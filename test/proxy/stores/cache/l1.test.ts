import t from 'tap'
import type { StoredAnswer } from '../../../../src/domain/caching/stored-answer.ts'
import { L1_BYTES, L1_TTL_MS, NearCache } from '../../../../src/proxy/stores/cache/l1.ts'
import { createTestClock } from '../../../helpers/clock.ts'

function answer(bytes: number): StoredAnswer {
  return {
    format: 'chat-completions',
    document: new Uint8Array(bytes),
    deployment: 'p/m',
    virtualKey: 'n/k',
    storedAtMs: 0,
    purges: [0, 0, 0],
  }
}

t.test('the bytes held never exceed the bound, whatever is put in', async (t) => {
  const clock = createTestClock()
  const cache = new NearCache(clock.now, 1_000_000)
  for (let index = 0; index < 5_000; index++) {
    cache.set(`key ${index}`, answer((index * 7_919) % 80_000), 60_000)
    if (cache.bytes > 1_000_000) t.fail(`${cache.bytes} bytes`)
  }
  t.ok(cache.size > 10)
  t.ok(cache.get('key 4999') !== undefined || (4_999 * 7_919) % 80_000 > 60_000)
})

t.test('an answer that would push out a sixteenth of the others is not kept', async (t) => {
  const cache = new NearCache(createTestClock().now, 160_000)
  cache.set('small', answer(100), 60_000)
  cache.set('large', answer(20_000), 60_000)
  t.ok(cache.get('small'))
  t.equal(cache.get('large'), undefined)
})

t.test('an answer ends after a minute, or earlier where a policy says so', async (t) => {
  const clock = createTestClock()
  const cache = new NearCache(clock.now)
  cache.set('long', answer(1), 3_600_000)
  cache.set('short', answer(1), 1_000)
  clock.advance(1_001)
  t.equal(cache.get('short'), undefined)
  t.ok(cache.get('long'))
  clock.advance(L1_TTL_MS)
  t.equal(cache.get('long'), undefined)
})

t.test('the memory for documents is taken once, whatever comes and goes', async (t) => {
  const cache = new NearCache(createTestClock().now, 4 * 1_024 * 1_024)
  for (let index = 0; index < 20_000; index++) {
    const document = Buffer.alloc((index * 7_919) % 20_000, index % 251)
    cache.set(`key ${index}`, { ...answer(0), document }, 60_000)
    const back = cache.get(`key ${index}`)?.document
    if (back === undefined || !document.equals(back)) t.fail(`answer ${index} is another one`)
    if (index % 3 === 0) cache.delete(`key ${index - 5}`)
  }
  t.ok(cache.pageBytes <= 5 * 1_024 * 1_024, `${cache.pageBytes} bytes`)
  t.ok(cache.bytes > 3 * 1_024 * 1_024)
})

t.test('an answer that was taken out stays what it is when its memory is used again', async (t) => {
  const cache = new NearCache(createTestClock().now)
  cache.set('one', { ...answer(0), document: Buffer.from('the first') }, 60_000)
  const taken = cache.get('one')
  cache.set('one', { ...answer(0), document: Buffer.from('something else') }, 60_000)
  t.equal(String(taken?.document), 'the first')
  t.equal(String(cache.get('one')?.document), 'something else')
  cache.set('one', answer(L1_BYTES), 60_000)
  t.equal(cache.get('one'), undefined, 'too large: the old one is not given for it')
})

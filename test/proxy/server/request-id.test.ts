import t from 'tap'
import { newRequestId } from '../../../src/proxy/server/request-id.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

t.test('an id is a UUID of version 7 that tells its millisecond', async (t) => {
  for (const ms of [0, 1, 0x123456789, Date.now(), 2 ** 48 - 1]) {
    const id = newRequestId(ms)
    t.match(id, UUID_V7)
    t.equal(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), ms)
  }
  t.equal(newRequestId(1_700_000_000_000.9).slice(0, 13), newRequestId(1_700_000_000_000).slice(0, 13))
})

t.test('no two ids are the same, in one millisecond or over many draws of random bytes', async (t) => {
  const ids = Array.from({ length: 5_000 }, (_, index) => newRequestId(1_700_000_000_000 + (index >> 10)))
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every((id) => UUID_V7.test(id)))
  t.same(new Set(ids.map((id) => id[19])), new Set(['8', '9', 'a', 'b']))
})

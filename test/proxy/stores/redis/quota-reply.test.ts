import t from 'tap'
import { QuotaReply } from '../../../../src/proxy/stores/redis/quota-reply.ts'

t.test('reads integers with a space between them', async (t) => {
  const reply = new QuotaReply('1 0 -1 9000000000000001 007')
  t.same([reply.integer(0), reply.integer(1), reply.integer(2)], [1, 0, -1])
  t.equal(reply.integer(3), 9_000_000_000_000_001)
  t.equal(reply.integer(4), 7)
  t.equal(reply.optional(2), undefined)
  t.equal(reply.optional(1), 0)
})

t.test('takes what Redis and Lua take for a number, where somebody else wrote a counter', async (t) => {
  const reply = new QuotaReply('1 1e3 12.7')
  t.same([reply.integer(0), reply.integer(1), reply.integer(2)], [1, 1_000, 12])
})

t.test('refuses everything else', async (t) => {
  t.throws(() => new QuotaReply(undefined), TypeError)
  t.throws(() => new QuotaReply(['1']), TypeError)
  t.throws(() => new QuotaReply('1 abc'), TypeError)
  t.throws(() => new QuotaReply('1').integer(1), TypeError)
  t.throws(() => new QuotaReply('9').reason(0), TypeError)
})

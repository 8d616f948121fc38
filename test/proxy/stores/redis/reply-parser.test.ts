import fc from 'fast-check'
import t from 'tap'
import { ReplyParser, type Reply } from '../../../../src/proxy/stores/redis/reply-parser.ts'

function read(pieces: readonly Buffer[], wantsBytes = false): Reply[] {
  const replies: Reply[] = []
  const parser = new ReplyParser({ wantsBytes: () => wantsBytes, reply: (reply) => replies.push(reply) })
  for (const piece of pieces) parser.push(piece)
  return replies
}

function write(reply: Reply): string {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (Array.isArray(reply)) return `*${reply.length}\r\n${reply.map(write).join('')}`
  return `$${Buffer.byteLength(String(reply))}\r\n${String(reply)}\r\n`
}

t.test('however the bytes are split, the replies are those that were written', async (t) => {
  const { reply } = fc.letrec<{ reply: Reply; list: Reply[] }>((tie) => ({
    reply: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\r\n', '', '$3\r\nabc\r\n', 'ü\u{1f600}'),
      fc.integer(),
      fc.constant(null),
      tie('list'),
    ),
    list: fc.array(tie('reply'), { maxLength: 5 }),
  }))
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(40)), (replies, cuts) => {
      const bytes = Buffer.from(replies.map(write).join(''))
      const pieces: Buffer[] = []
      let from = 0
      for (const cut of cuts) pieces.push(bytes.subarray(from, (from += cut)))
      pieces.push(bytes.subarray(from))
      t.same(read(pieces), replies)
    }),
  )
})

t.test('status, error, empty and absent lists, bytes where they are asked for', async (t) => {
  t.same(read([Buffer.from('+OK\r\n*0\r\n*-1\r\n:-42\r\n')]), ['OK', [], null, -42])
  const [error] = read([Buffer.from('-NOSCRIPT No matching script.\r\n')])
  t.match(error, { message: 'NOSCRIPT No matching script.' })
  t.ok(error instanceof Error)
  const [list] = read([Buffer.from('*2\r\n-ERR one\r\n$1\r\nx\r\n')])
  t.match(list, [{ message: 'ERR one' }, 'x'])
  t.same(read([Buffer.from([0x24, 0x32, 0x0d, 0x0a, 0xff, 0x00, 0x0d, 0x0a])], true), [Buffer.from([0xff, 0x00])])
})

t.test('what is no reply is refused', async (t) => {
  for (const text of ['HTTP/1.1 400 Bad Request\r\n', ':1x\r\n', '$999999999999\r\n', '*1\r\n'.repeat(40)]) {
    t.throws(() => read([Buffer.from(text)]), TypeError, text)
  }
})

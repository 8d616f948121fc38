/** Section 8, limits: clients that ask for large answers and do not read them. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { endless, ok } from '../helpers/behaviours.ts'
import { chatBytes, startTightGateway, unread } from '../helpers/unread-answers.ts'

const IMPATIENT = join(import.meta.dirname, '..', 'helpers', 'impatient-gateway.ts')

const { upstream, gateway } = await startTightGateway(t, IMPATIENT)

const MIB = 1024 * 1024

const NO_STORE = [['Cache-Control', 'no-store']] as const

t.test('a stream that is not read ends: client gone, its provider let go, one line in the log', async (t) => {
  upstream.otherwise(endless(chatStream(['p'.repeat(64 * 1024)])[1] ?? ''), { model: 'm' })
  unread(t, gateway, chatBytes({ stream: true }, NO_STORE))
  const line = await gateway.line(({ msg }) => msg === 'client has stopped reading')
  t.match(line, { level: 'info', waitingBytes: Number })
  const audited = await gateway.line(({ type, requestId }) => type === 'audit' && requestId === line['requestId'])
  t.match(audited, { outcome: 'client-gone', stream: true })
  t.equal(await upstream.requests.at(-1)?.ended, 'closed-early')
  t.equal((await gateway.chat({ model: 'small' })).status, 200)
})

t.test('a whole answer that is not read stays settled, and its connection ends', async (t) => {
  upstream.otherwise(ok(chatCompletion('p'.repeat(16 * MIB))), { model: 'm' })
  const before = gateway.lines.length
  const isNew = (line: object) => gateway.lines.findIndex((other) => other === line) >= before
  const connection = unread(t, gateway, chatBytes({}, NO_STORE))
  const line = await gateway.line((line) => line['msg'] === 'client has stopped reading' && isNew(line))
  const audited = await gateway.line(({ type, requestId }) => type === 'audit' && requestId === line['requestId'])
  t.match(audited, { outcome: 'answered' })
  const read = connection.read()
  connection.socket.resume()
  t.match(await read, { status: 200, complete: false, closed: true })
})

t.test(
  'what is not read has its room until its client is let go: others wait for it, then they get theirs',
  async (t) => {
    upstream.otherwise(ok(chatCompletion('p'.repeat(16 * MIB))), { model: 'm' })
    const clients = [1, 2, 3].map(() => unread(t, gateway, chatBytes({}, NO_STORE)))
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
    const large = await gateway.chat()
    t.equal(large.status, 200)
    t.ok((await large.arrayBuffer()).byteLength > 16 * MIB)
  },
)

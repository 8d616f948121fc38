/** Section 8, limits: clients that ask for large answers and do not read them. The heap leaves 16 MiB for such answers. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { endless, ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { openRaw, requestBytes, type RawConnection } from '../helpers/raw-http.ts'

const IMPATIENT = join(import.meta.dirname, '..', 'helpers', 'impatient-gateway.ts')

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const gateway = await startGateway(t, {
  main: IMPATIENT,
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'p', type: 'OpenAI', url: upstream.url, models: ['{ name: m }', '{ name: small }'] }),
      virtualKey(),
    ),
  },
  env: { NODE_OPTIONS: '--max-old-space-size=128' },
})
upstream.otherwise(ok(chatCompletion('meanwhile')), { model: 'small' })

const MIB = 1024 * 1024

function chat(body: object, headers: readonly (readonly [string, string])[] = []): Buffer {
  const document = { model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }
  return requestBytes(
    'POST',
    '/v1/chat/completions',
    [
      ['Authorization', `Bearer ${KEY}`],
      ['Content-Type', 'application/json'],
      ['Connection', 'keep-alive'],
      ...headers,
    ],
    JSON.stringify(document),
  )
}

/** Sends the requests at once and reads nothing. */
function unread(t: { teardown(end: () => void): void }, ...requests: readonly Buffer[]): RawConnection {
  const connection = openRaw(gateway.url)
  t.teardown(() => connection.close())
  connection.pause()
  for (const request of requests) connection.write(request)
  return connection
}

const NO_STORE = [['Cache-Control', 'no-store']] as const

t.test('a stream that is not read ends: client gone, its provider let go, one line in the log', async (t) => {
  upstream.otherwise(endless(chatStream(['p'.repeat(64 * 1024)])[1] ?? ''), { model: 'm' })
  unread(t, chat({ stream: true }, NO_STORE))
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
  const connection = unread(t, chat({}, NO_STORE))
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
    const clients = [1, 2, 3].map(() => unread(t, chat({}, NO_STORE)))
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
    const large = await gateway.chat()
    t.equal(large.status, 200)
    t.ok((await large.arrayBuffer()).byteLength > 16 * MIB)
  },
)

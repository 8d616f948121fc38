/** A client that stops reading the stream which others follow is let go, and they get the rest. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { chatStream } from '../helpers/answers.ts'
import { stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models: ['{ name: m }'] }), virtualKey()),
  },
})

/** More than connections and what is shared hold: it goes on behind its first word when the test says so. */
const [begin = '', word = '', ...more] = chatStream([
  'first ',
  ...Array.from({ length: 400 }, () => 'x'.repeat(20_000)),
])
const going = Promise.withResolvers<void>()
let written = 0
const long: Behaviour = async ({ response, stop }) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(begin + word)
  await going.promise
  for (const chunk of more) {
    if (stop.aborted) return
    written++
    if (!response.write(chunk)) await once(response, 'drain')
  }
  response.end()
}

const bodyOf = (content: string) => JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] })

function request(content: string): string {
  const body = bodyOf(content)
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${KEY}`]
  return [...head, 'content-type: application/json', `content-length: ${body.length}`, '', body].join('\r\n')
}

function ask(content: string): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: bodyOf(content), signal: AbortSignal.timeout(35_000) }
  return fetch(`${gateway.url}/v1/chat/completions`, init)
}

function connected(t: Test): Socket {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  t.teardown(() => socket.destroy())
  return socket
}

async function asked(count: number): Promise<void> {
  while (upstream.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
}

t.test('a leader that stalls behind an earlier answer gets that one whole, and nothing of its own half', async (t) => {
  const earlier = Promise.withResolvers<void>()
  const [first = '', ...rest] = chatStream(['earlier'])
  upstream.enqueue(async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    await earlier.promise
    response.end(rest.join(''))
  }, long)
  const socket = connected(t)
  let got = ''
  socket.on('data', (bytes) => (got += bytes.toString()))
  const closed = once(socket, 'close')
  socket.write(request('earlier'))
  await asked(1)
  socket.write(request('behind it'))
  await asked(2)
  const follower = await ask('behind it')
  t.equal(follower.headers.get('x-gateway-cache'), 'hit-l1')
  going.resolve()
  t.match(await follower.text(), /\[DONE\]/)
  earlier.resolve()
  await closed
  t.match(got, /earlier[^]*\[DONE\]/)
  t.notMatch(got, 'xxxx')
})

t.test('those who come too late to follow a stream that its client reads no more ask once for all', async (t) => {
  going.resolve()
  upstream.enqueue(long, stream(chatStream(['for the others'])))
  const before = upstream.requests.length
  connected(t).pause().write(request('late'))
  await asked(before + 1)
  for (let seen = -1; seen !== written; await sleep(500)) seen = written
  const late = await Promise.all([ask('late'), ask('late')])
  t.same(late.map(({ headers }) => headers.get('x-gateway-cache')).toSorted(), ['hit-l1', 'miss'])
  for (const answer of late) t.match(await answer.text(), 'for the others')
  t.equal(upstream.requests.length, before + 2)
})

t.test(
  'a follower that stalls is told of as a client that has stopped reading, not as a failure of the provider',
  async (t) => {
    const rest = Promise.withResolvers<void>()
    upstream.enqueue(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(begin + word)
      await rest.promise
      for (const chunk of more) if (!response.write(chunk)) await once(response, 'drain')
      response.end()
    })
    const before = upstream.requests.length
    const leader = await ask('followed')
    await asked(before + 1)
    const follower = connected(t)
    const begun = once(follower, 'data')
    follower.write(request('followed'))
    t.match(String(await begun), /x-gateway-cache: hit-l1/)
    follower.pause()
    rest.resolve()
    t.match(await leader.text(), /\[DONE\]/)
    const { requestId, outcome, error, attempts } = await gateway.line(
      (line) => line.type === 'audit' && line.cache === 'hit-l1' && line.outcome !== 'answered',
    )
    t.strictSame([outcome, error, attempts], ['client-gone', undefined, []])
    const told = gateway.lines.filter((line) => line.requestId === requestId && line.type !== 'audit')
    t.strictSame(
      told.map(({ msg }) => msg),
      ['client has stopped reading'],
    )
  },
)

/** Section 8, limits: more large bodies at once than the process has memory for. */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, stallAfter, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Exchange } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const MIB = 1024 * 1024
const COUNT = 30

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({
        name: 'p',
        url: upstream.url,
        models: ['{ name: m }', '{ name: other }'],
        spec: '  timeouts: { firstByte: 120s }',
      }),
      virtualKey(),
    ),
  },
  env: { NODE_OPTIONS: '--max-old-space-size=128' },
})

/** Text of `bytes` bytes; one character that is not Latin makes each of the others two bytes in memory. */
function bodyOf(bytes: number, streamed: boolean): Buffer {
  const content = `${'all work and no play '.repeat(bytes / 21)}\u{1f600}`
  return Buffer.from(JSON.stringify({ model: 'm', stream: streamed, messages: [{ role: 'user', content }] }))
}

interface Told {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
  readonly text: string
}

/** Resolves with the answer's head. */
async function opened(body: Buffer, chunked = false): Promise<IncomingMessage> {
  const client = request(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
    },
  })
  client.end(body)
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  return response
}

async function post(body: Buffer, chunked = false): Promise<Told> {
  const response = await opened(body, chunked)
  let text = ''
  for await (const piece of response) text += String(piece)
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], text }
}

t.test(
  'large bodies together: some are worked on, the others are told to come back, and the process lives',
  async (t) => {
    const gate = Promise.withResolvers<void>()
    const answers = { whole: ok(chatCompletion('hello')), streamed: stream(chatStream(['hello'])) }
    upstream.otherwise(ok(chatCompletion('meanwhile')), { model: 'other' })
    upstream.otherwise(
      async (exchange: Exchange) => {
        await gate.promise
        await (exchange.request.json?.['stream'] === true ? answers.streamed : answers.whole)(exchange)
      },
      { model: 'm' },
    )
    const bodies = [bodyOf(5 * MIB, false), bodyOf(5 * MIB, true)] as const
    let refused = 0
    const calls = Array.from({ length: COUNT }, async (_, index) => {
      const told = await post(bodies[index % 2 === 0 ? 0 : 1], index % 3 === 0)
      if (told.status === 429) refused++
      return told
    })
    await upstream.received(1, 30_000)
    t.equal((await gateway.chat({ model: 'other' })).status, 200, 'a small request is served meanwhile')
    // Each is either held at the provider or refused: nothing else can end it while the gate is closed.
    const underway = () => upstream.requests.filter(({ model }) => model === 'm').length
    while (underway() + refused < COUNT && gateway.process.exitCode === null && gateway.process.signalCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    gate.resolve()
    const told = await Promise.all(calls)
    for (const { status, retryAfter, text } of told) {
      if (status === 200) t.match(text, 'hello')
      else t.match({ status, retryAfter, text }, { status: 429, retryAfter: /^\d+$/, text: /rate_limit_exceeded/ })
    }
    t.ok(refused > 0 && refused < COUNT, `${refused} refused`)

    const large = await post(bodyOf(10 * MIB - 1_000, false))
    t.equal(large.status, 200, 'all has been given back: the largest body has room again')
    t.equal(gateway.process.exitCode, null)
  },
)

t.test('a stream that goes on does not hold what its request was made of', async (t) => {
  // 20 MiB for a body of 5 that is worked on; three of them would be all there is room for.
  const [start = '', content = ''] = chatStream(['hello'])
  upstream.otherwise(stallAfter([start, content]), { model: 'm' })
  const body = bodyOf(5 * MIB, true)
  for (let open = 1; open <= 6; open++) {
    const response = await opened(body)
    t.equal(response.statusCode, 200, `${open} at once`)
    t.teardown(() => response.destroy())
  }
})

t.test(
  'the answer of a large streamed request is kept like that of a small one, for clients of all formats',
  async (t) => {
    upstream.otherwise(stream(chatStream(['hello ', 'again'])), { model: 'other' })
    const content = 'mail ada@example.com. '.repeat(10_000)
    const messages = [{ role: 'user', content }]
    const ask = async (path: string, body: object) => {
      const response = await gateway.chat(
        { model: 'other', messages, ...body },
        { 'cache-control': '', 'x-llm-flags': 'pii-safe' },
        path,
      )
      return { cache: response.headers.get('x-gateway-cache'), text: await response.text() }
    }
    const first = await ask('/v1/chat/completions', { stream: true })
    t.match(first, { cache: 'miss', text: /"hello "[\s\S]*"again"[\s\S]*\[DONE\]/ })
    t.match(await ask('/v1/chat/completions', { stream: true }), { cache: 'hit-l1', text: 'hello again' })
    t.match(await ask('/v1/chat/completions', {}), { cache: 'hit-l1', text: 'hello again' })
    const translated = await ask('/adapters/anthropic/v1/messages', { stream: true, max_tokens: 100 })
    t.match(translated, { cache: 'miss', text: /"hello "[\s\S]*"again"[\s\S]*message_stop/ })
  },
)

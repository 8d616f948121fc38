/** A stream ends when its answer does: the provider's end mark counts, not when it closes the response. */
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { anthropicStream, chatStream, geminiAnswer, sse, SSE_DONE } from '../helpers/answers.ts'
import { stallAfter, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour, type FakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'

const TYPES = ['OpenAI', 'Anthropic', 'Gemini'] as const
type Type = (typeof TYPES)[number]

const geminiEvent = (text: string, last = false) => {
  const { candidates, ...rest } = geminiAnswer(text)
  const [candidate] = Array.isArray(candidates) ? candidates : []
  return sse({ ...rest, candidates: [last ? candidate : { ...Object(candidate), finishReason: undefined }] })
}

/** Each vendor's whole stream, from its first event to its last. */
const STREAM_OF: Readonly<Record<Type, readonly string[]>> = {
  OpenAI: chatStream(['one ', 'two']),
  Anthropic: anthropicStream(['one ', 'two']),
  Gemini: [geminiEvent('one '), geminiEvent('two', true)],
}

const MESSAGES = [{ role: 'user', content: 'hello' }]
const callOf = (client: Type, model: string) =>
  ({
    OpenAI: {
      path: '/v1/chat/completions',
      body: { model, messages: MESSAGES, stream_options: { include_usage: true } },
    },
    Anthropic: { path: '/adapters/anthropic/v1/messages', body: { model, messages: MESSAGES, max_tokens: 50 } },
    Gemini: {
      path: `/adapters/gemini/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], model: undefined, messages: undefined },
    },
  })[client]

/** A provider of each type, with a model of the type's name. */
async function setUp(t: Test) {
  const [openai, anthropic, gemini] = await Promise.all([startFakeProvider(), startFakeProvider(), startFakeProvider()])
  const upstreams: Readonly<Record<Type, FakeProvider>> = { OpenAI: openai, Anthropic: anthropic, Gemini: gemini }
  t.teardown(() => Promise.all(TYPES.map((type) => upstreams[type].close())))
  const providers = TYPES.map((type) => {
    const models = [`{ name: ${type}, pricing: { input: "1", output: "2" } }`]
    return provider({ name: type.toLowerCase(), type, url: upstreams[type].url, models })
  })
  const gateway = await startGateway(t, { manifests: { 'all.yaml': yaml(...providers, virtualKey()) } })
  const ask = (type: Type, client: Type, headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const { path, body } = callOf(client, type)
    return gateway.chat({ stream: true, ...body }, { 'anthropic-version': '2023-06-01', ...headers }, path)
  }
  return { upstreams, gateway, ask }
}

const { upstreams, gateway, ask } = await setUp(t)

async function auditOf(gateway: Gateway, response: Response) {
  const requestId = response.headers.get('x-request-id')
  return gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
}

const ANSWERED = { outcome: 'answered', tokens: { estimated: false, input: 5, output: 3 } }

for (const type of TYPES) {
  t.test(`${type}: a stream that is complete ends for every client, though the provider never ends it`, async (t) => {
    const upstream = upstreams[type]
    upstream.otherwise(stallAfter(STREAM_OF[type]))
    await Promise.all(
      TYPES.map(async (client) => {
        const response = await ask(type, client)
        t.match(await response.text(), /one [^]*two/, client)
        t.match(await auditOf(gateway, response), ANSWERED, client)
      }),
    )
    const ends = await Promise.all(upstream.requests.map(({ ended }) => ended))
    t.strictSame(ends, ['closed-early', 'closed-early', 'closed-early'], 'no connection is kept for what never ends')
  })
}

/** Ends the response when told to. Its connections are told apart by their ports. */
function endedLater(chunks: readonly string[]) {
  const mayEnd = Promise.withResolvers<void>()
  const ports: (number | undefined)[] = []
  const behaviour: Behaviour = async ({ response, socket }) => {
    ports.push(socket.remotePort)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    await mayEnd.promise
    response.end()
  }
  return { behaviour, ports, end: () => mayEnd.resolve() }
}

for (const type of ['OpenAI', 'Anthropic'] as const) {
  t.test(`${type}: the connection is used again where the response ends after the client's stream`, async (t) => {
    const upstream = upstreams[type]
    for (const client of TYPES) {
      const later = endedLater(STREAM_OF[type])
      upstream.otherwise(later.behaviour)
      t.match(await (await ask(type, client)).text(), /two/, 'its end did not wait for the provider')
      later.end()
      t.equal(await upstream.requests.at(-1)?.ended, 'answered')
      await (await ask(type, client)).text()
      t.equal(later.ports.length, 2)
      t.equal(later.ports[0], later.ports[1], client)
    }
  })
}

t.test('usage that comes between the finish and the end mark is counted, also where it takes its time', async (t) => {
  const upstream = upstreams.OpenAI
  const chunks = chatStream(['one ', 'two'], { outputTokens: 41 })
  upstream.otherwise(stallAfter(chunks, { pauseMs: 20 }))
  const response = await ask('OpenAI', 'Anthropic')
  t.match(await response.text(), '"output_tokens":41')
  t.match(await auditOf(gateway, response), { outcome: 'answered', tokens: { estimated: false, output: 41 } })
})

/** Said in the order given, by a server that tells no usage: what the client read is charged by estimate. */
const WITHOUT_USAGE: Readonly<Record<'OpenAI' | 'Anthropic', (text: string, isLate: boolean) => string[]>> = {
  OpenAI(text, isLate) {
    const choice = (delta: JsonObject, finish: string | null) =>
      sse({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })
    const said = [choice({ content: text }, null)]
    const finish = [choice({}, 'stop')]
    return [choice({ content: 'one ' }, null), ...(isLate ? [...finish, ...said] : [...said, ...finish]), SSE_DONE]
  },
  Anthropic(text, isLate) {
    const event = (type: string, fields: object) => sse({ type, ...fields }, type)
    const delta = (piece: string) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } })
    const finish = [event('message_delta', { delta: { stop_reason: 'end_turn' } })]
    const start = event('message_start', { message: { id: 'x', model: 'm' } })
    const rest = isLate ? [...finish, delta(text)] : [delta(text), ...finish]
    return [start, delta('one '), ...rest, event('message_stop', {})]
  },
}

for (const type of ['OpenAI', 'Anthropic'] as const) {
  t.test(`${type}: what its own client reads after the finish is charged, where no usage is told`, async (t) => {
    const text = 'and there is more '.repeat(100)
    const output = async (isLate: boolean) => {
      upstreams[type].enqueue(stream(WITHOUT_USAGE[type](text, isLate)))
      const response = await ask(type, type)
      t.match(await response.text(), text)
      const { tokens } = await auditOf(gateway, response)
      return tokens
    }
    t.match(await output(true), await output(false))
  })
}

t.test('usage that Gemini tells after the finish is counted', async (t) => {
  const upstream = upstreams.Gemini
  const late = sse({ usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 41, totalTokenCount: 46 } })
  upstream.otherwise(stallAfter([...STREAM_OF.Gemini, late], { pauseMs: 20 }))
  const response = await ask('Gemini', 'OpenAI')
  t.match(await response.text(), '"completion_tokens":41')
  t.match(await auditOf(gateway, response), { tokens: { estimated: false, output: 41 } })
})

t.test('a stream that says STOP in every event is not cut at the first', async (t) => {
  const upstream = upstreams.Gemini
  upstream.otherwise(
    stream(
      ['one ', 'two ', 'three'].map((text) => geminiEvent(text, true)),
      { pauseMs: 50 },
    ),
  )
  t.match(await (await ask('Gemini', 'Gemini')).text(), /one [^]*two [^]*three/)
})

t.test('an end mark in pieces, twice, or with more behind it, ends a stream once', async (t) => {
  const upstream = upstreams.OpenAI
  const begun = STREAM_OF.OpenAI.slice(0, -1)
  const more = sse({ id: 'x', choices: [{ index: 0, delta: { content: 'smuggled' } }] })
  const usage = sse({ id: 'x', choices: [], usage: { prompt_tokens: 900, completion_tokens: 900 } })
  const endings = [
    ['data: [DO', 'NE]\n', '\n'],
    [SSE_DONE + SSE_DONE],
    [SSE_DONE, SSE_DONE, more, usage],
    [`${SSE_DONE}${more}${usage}`],
    ['data: [DONE]\r\n\r\n', ': ping\n\n', 'data: {"error":{"message":"late"}}\n\n', 'data: {'],
  ]
  for (const ending of endings) {
    upstream.enqueue(
      stallAfter([...begun, ...ending], { pauseMs: 5 }),
      stallAfter([...begun, ...ending], { pauseMs: 5 }),
    )
    for (const client of ['OpenAI', 'Anthropic'] as const) {
      const response = await ask('OpenAI', client)
      const text = await response.text()
      t.equal(text.split(client === 'OpenAI' ? '[DONE]' : '"message_stop"').length, 2, JSON.stringify(ending))
      t.notMatch(text, /smuggled|error/)
      t.match(await auditOf(gateway, response), ANSWERED, JSON.stringify(ending))
    }
  }
})

t.test('a connection that breaks after the end mark breaks nothing', async (t) => {
  const upstream = upstreams.OpenAI
  const broken: Behaviour = async (exchange) => {
    await stallAfterUntil(exchange, STREAM_OF.OpenAI)
    exchange.socket.resetAndDestroy()
  }
  upstream.otherwise(broken)
  const response = await ask('OpenAI', 'Anthropic')
  t.notMatch(await response.text(), 'error')
  t.match(await auditOf(gateway, response), ANSWERED)
})

t.test(
  'an answer is kept in the cache at its end mark, and served while the provider holds its response',
  async (t) => {
    const upstream = upstreams.OpenAI
    upstream.otherwise(stallAfter(STREAM_OF.OpenAI))
    const before = upstream.requests.length
    const cached = { 'cache-control': '' }
    await (await ask('OpenAI', 'OpenAI', cached)).text()
    const second = await ask('OpenAI', 'OpenAI', cached)
    t.match(await second.text(), /one [^]*two/)
    t.match(await auditOf(gateway, second), { outcome: 'answered', cache: 'hit-l1' })
    t.equal(upstream.requests.length - before, 1)
  },
)

t.test('a client that leaves after its last event has its answer counted once', async (t) => {
  const upstream = upstreams.OpenAI
  upstream.otherwise(stallAfter(STREAM_OF.OpenAI))
  const gone = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'OpenAI', stream: true, messages: MESSAGES }),
    signal: gone.signal,
  })
  const reader = response.body?.getReader()
  for (let text = ''; !text.includes('[DONE]');) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  gone.abort()
  const requestId = response.headers.get('x-request-id')
  t.match(await auditOf(gateway, response), { tokens: ANSWERED.tokens })
  await upstream.requests.at(-1)?.ended
  t.equal(gateway.lines.filter((line) => line['type'] === 'audit' && line['requestId'] === requestId).length, 1)
})

t.test('a process that is asked to end does so, whatever providers hold their responses', async (t) => {
  const { upstreams, gateway, ask } = await setUp(t)
  upstreams.OpenAI.otherwise(stallAfter(STREAM_OF.OpenAI))
  const response = await ask('OpenAI', 'Anthropic')
  await response.text()
  gateway.process.kill('SIGTERM')
  t.match(await gateway.line((line) => line['msg'] === 'stopped'), { finished: true })
  t.match(await auditOf(gateway, response), ANSWERED)
})

/** The chunks, and then until they have left. */
async function stallAfterUntil({ response }: Parameters<Behaviour>[0], chunks: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) await new Promise<void>((resolve) => response.write(chunk, () => resolve()))
  await new Promise((resolve) => setTimeout(resolve, 50))
}

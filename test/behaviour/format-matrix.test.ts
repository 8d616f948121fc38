/**
 * Every client library over every provider format: streaming and not, with a system prompt, an image, and a tool round
 * trip. The providers are aimock's, which no one here wrote; those of the failover are our fake's, which can fail.
 */
import { createServer, request as forward } from 'node:http'
import { LLMock } from '@copilotkit/aimock'
import t from 'tap'
import { anthropicMessage, anthropicStream, chatCompletion, chatStream, geminiAnswer, sse } from '../helpers/answers.ts'
import { ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { clientsOf, IMAGE, RESULT, SYSTEM } from '../helpers/format-clients.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const MODELS = ['chat-model', 'claude-model', 'gemini-model'] as const
const CAPABILITIES = 'capabilities: [chat, streaming, tools, vision], contextWindow: 100000, maxOutputTokens: 4000'
const model = (name: string) => [`{ name: ${name}, ${CAPABILITIES} }`]

const QUESTION = 'What is the weather in the city of this image?'

/** The same counts in each vendor's own words. */
const USAGE = {
  prompt_tokens: 40,
  completion_tokens: 12,
  input_tokens: 40,
  output_tokens: 12,
  promptTokenCount: 40,
  candidatesTokenCount: 12,
}

const mock = new LLMock({ port: 0 })
const toolCalls = [{ name: 'weather', arguments: '{"city":"Rome"}' }]
mock.on(
  { userMessage: QUESTION, systemMessage: SYSTEM, hasToolResult: false, model: 'gemini-model' },
  // Left alone, aimock says FUNCTION_CALL here; the vendor says STOP.
  { content: 'Let me look.', toolCalls, usage: USAGE, finishReason: 'stop' },
)
mock.on(
  { userMessage: QUESTION, systemMessage: SYSTEM, hasToolResult: false },
  { content: 'Let me look.', toolCalls, usage: USAGE },
)
mock.on(
  { userMessage: QUESTION, systemMessage: SYSTEM, toolResultContains: RESULT, hasToolResult: true },
  { content: 'It is sunny in Rome.', usage: USAGE },
)
await mock.start()
t.teardown(() => mock.stop())

/** Every body that a provider got: aimock keeps its own reading of it, without images. */
const bodies: string[] = []
const recorder = createServer(async (incoming, outgoing) => {
  const body = (await Array.fromAsync(incoming, (chunk) => String(chunk))).join('')
  bodies.push(body)
  const { method, headers, url } = incoming
  const onward = forward(`${mock.url}${url ?? ''}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(outgoing)
  })
  onward.end(body)
})
await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
t.teardown(() => recorder.close())
const address = recorder.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'c', url, models: model('chat-model') }),
      provider({ name: 'a', url, type: 'Anthropic', models: model('claude-model') }),
      provider({ name: 'g', url, type: 'Gemini', models: model('gemini-model') }),
      virtualKey(),
    ),
  },
})

const CALLED = new Set(['tool_calls', 'tool_use', 'STOP', 'tool-calls'])
const ENDED = new Set(['stop', 'end_turn', 'STOP'])

for (const client of clientsOf(gateway.url, KEY)) {
  for (const model of MODELS) {
    for (const streaming of [false, true]) {
      t.test(`${client.name} over ${model}, ${streaming ? 'streamed' : 'whole'}`, async (t) => {
        bodies.length = 0
        // A question of its own each time: the gateway would answer an equal one from its cache.
        const question = `${QUESTION} (${client.name}, ${model}, ${streaming})`
        const [call, answer] = await client.converse({ model, stream: streaming, question })
        t.match(call, { text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Rome' } }] })
        t.ok(CALLED.has(call.stop), call.stop)
        t.match(answer, { text: 'It is sunny in Rome.', calls: [] })
        t.ok(ENDED.has(answer.stop), answer.stop)
        for (const said of [call, answer]) t.match(said, { input: 40, output: 12 }, 'the same count for every client')
        t.equal(
          bodies.filter((body) => body.includes(IMAGE) && body.includes(SYSTEM)).length,
          2,
          'both turns have come',
        )
      })
    }
  }
}

/** What each format's provider does before it fails: headers and an opening, but no content. */
const BROKEN = {
  c: [status(500), stream([chatStream(['x'])[0] ?? '', sse({ error: { message: 'overloaded' } })])],
  a: [
    status(529),
    stream([
      anthropicStream(['x'])[0] ?? '',
      sse({ type: 'ping' }, 'ping'),
      sse({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } }, 'error'),
    ]),
  ],
  g: [status(503), stream([sse({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } })])],
} as const

const OPTIONS = { inputTokens: 40, outputTokens: 12 }
const HEALTHY = {
  c: [ok(chatCompletion('good day', OPTIONS)), stream(chatStream(['good ', 'day'], OPTIONS))],
  a: [ok(anthropicMessage('good day', OPTIONS)), stream(anthropicStream(['good ', 'day'], OPTIONS))],
  g: [ok(geminiAnswer('good day', OPTIONS)), stream([sse(geminiAnswer('good day', OPTIONS))])],
} as const

const PATHS = { c: '/v1/chat/completions', a: '/v1/messages', g: /^\/v1beta\/models\/\S+ontent$/ } as const
const TYPES = { c: 'OpenAICompatible', a: 'Anthropic', g: 'Gemini' } as const
const FIRST_AND_SECOND = [
  ['c', 'a'],
  ['a', 'g'],
  ['g', 'c'],
] as const

t.test('failover to a provider of another format, before content', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const spec = '  failover: { circuitBreaker: { consecutiveFailures: 100, openFor: 1s } }'
  const providers = FIRST_AND_SECOND.flatMap((formats) =>
    formats.map((format, position) =>
      provider({
        name: `${formats.join('')}${position}`,
        url: upstream.url,
        type: TYPES[format],
        priority: 100 * (position + 1),
        models: model(`from-${formats[0]}`),
        spec,
      }),
    ),
  )
  const gateway = await startGateway(t, { manifests: { 'all.yaml': yaml(...providers, virtualKey()) } })
  for (const client of clientsOf(gateway.url, KEY)) {
    for (const [first, second] of FIRST_AND_SECOND) {
      for (const streaming of [false, true]) {
        await t.test(
          `${client.name}: ${first} fails, ${second} answers, ${streaming ? 'streamed' : 'whole'}`,
          async (t) => {
            const before = upstream.requests.length
            const at = streaming ? 1 : 0
            upstream.otherwise(BROKEN[first][at], { path: PATHS[first] })
            upstream.otherwise(HEALTHY[second][at], { path: PATHS[second] })
            const question = `${client.name} ${first} ${streaming}`
            const said = await client.converse({ model: `from-${first}`, stream: streaming, question })
            for (const one of said) t.match(one, { text: 'good day', calls: [], input: 40, output: 12 })
            t.equal(upstream.requests.length - before, 4, 'two turns, two attempts each')
          },
        )
      }
    }
  }
  t.strictSame(upstream.unplanned, [])
})

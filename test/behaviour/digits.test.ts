/**
 * Numbers that a double would change, through the running gateway: from every client to every provider and back, with
 * masking, whole, streamed, cached and followed; and where a number is the gateway's own business.
 */
import t from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { chatCompletion } from '../helpers/answers.ts'
import { organization, stateFolder } from '../helpers/cache-scene.ts'
import { ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { chat, gemini, messages, type Dialect } from '../helpers/masking-dialects.ts'

const NUMBERS = ['1152921504606846977', '-9007199254740993', '0.1234567890123456789', '1e400']
const EMAIL = 'ann@mail.example.com'
const TOKEN = /\[\[LLM_REDACTED_[A-Z_]+_[a-z0-9]{8}\]\]/

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const { url } = upstream
const model = (name: string, capabilities = 'chat, streaming, tools') => [
  `{ name: ${name}, capabilities: [${capabilities}] }`,
]
const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      organization('a'),
      provider({ name: 'c', url, models: model('chat-model') }),
      provider({ name: 'a', url, type: 'Anthropic', models: model('claude-model') }),
      provider({ name: 'g', url, type: 'Gemini', models: model('gemini-model') }),
      provider({ name: 'e', url, models: model('embedding-model', 'embeddings') }),
      virtualKey({
        namespace: 'ns-a',
        spec: '  organizationRef: { name: a }\n  project: p1\n  privileges: { demask: true }',
      }),
    ),
  },
  args: ['--state', stateFolder(t)],
})

const CLIENTS: readonly (readonly [
  name: string,
  dialect: Dialect,
  path: (model: string, streams: boolean) => string,
])[] = [
  ['OpenAI', chat, () => '/v1/chat/completions'],
  ['Anthropic', messages, () => '/adapters/anthropic/v1/messages'],
  [
    'Gemini',
    gemini,
    (name, streams) =>
      `/adapters/gemini/v1beta/models/${name}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  ],
]
const PROVIDERS: readonly (readonly [model: string, dialect: Dialect])[] = [
  ['chat-model', chat],
  ['claude-model', messages],
  ['gemini-model', gemini],
]

const inputOf = (to: string): JsonObject => ({
  numbers: NUMBERS.map((number) => JSON.rawJSON(number)),
  to,
  deep: [{ id: JSON.rawJSON(NUMBERS[0] ?? '') }],
})
const INPUT_TEXT = JSON.stringify(inputOf(EMAIL))

/** A conversation in which the model has called a tool with the numbers. */
function requestOf(dialect: Dialect, name: string, streams: boolean): string {
  const body = JSON.stringify(dialect.request('message', `to ${EMAIL}`, name)).replace(
    /("n\\?":)1/,
    (_, before: string) => `${before}[${NUMBERS.join(',')}]`,
  )
  return streams && dialect !== gemini ? body.replace('{', '{"stream":true,') : body
}

function send(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...headers,
    },
    body,
  })
}

/** The text of the arguments that a client has in hand: pieces joined, where they come in pieces. */
function inputText(body: string): string {
  const pieces = [...body.matchAll(/"(?:arguments|partial_json)":"((?:[^"\\]|\\.)*)"/g)].map(([, piece = '']) => piece)
  if (pieces.length > 0) return pieces.map((piece) => String(JSON.parse(`"${piece}"`))).join('')
  return /"(?:input|args)":(\{"numbers".*?\}\]\})/.exec(body)?.[1] ?? body
}

for (const [client, dialect, path] of CLIENTS) {
  for (const [name, spoken] of PROVIDERS) {
    for (const streams of [false, true]) {
      t.test(`${client}, ${name}, ${streams ? 'streamed' : 'whole'}: every digit, there and back`, async (t) => {
        for (const flags of ['', 'pii-safe']) {
          upstream.otherwise((exchange) => {
            const to = TOKEN.exec(exchange.request.body)?.[0] ?? EMAIL
            const answer = streams ? stream(spoken.events('hi', inputOf(to))) : ok(spoken.whole('hi', inputOf(to)))
            return answer(exchange)
          })
          const headers: Record<string, string> = flags === '' ? {} : { 'x-llm-flags': flags }
          const response = await send(path(name, streams), requestOf(dialect, name, streams), headers)
          t.equal(inputText(await response.text()), INPUT_TEXT, `the answer, ${flags}`)
          const sent = upstream.requests.at(-1)?.body ?? ''
          t.match(sent, `:[${NUMBERS.join(',')}]`, `the question, ${flags}`)
          t.equal(sent.includes(EMAIL), flags === '')
        }
      })
    }
  }
}

const ASKED_IN_TURN = ['9007199254740993', '9007199254740995', '9007199254740993'] as const

for (const streams of [false, true]) {
  for (const flags of ['', 'pii-safe']) {
    const kind = `${streams ? 'streamed' : 'whole'}${flags === '' ? '' : ', masked'}`
    t.test(`a cached answer has its digits, and a question of other digits has its own (${kind})`, async (t) => {
      upstream.otherwise((exchange) => {
        const input = inputOf(TOKEN.exec(exchange.request.body)?.[0] ?? EMAIL)
        return (streams ? stream(chat.events('hi', input)) : ok(chat.whole('hi', input)))(exchange)
      })
      const before = upstream.requests.length
      const states: (string | null)[] = []
      for (const number of ASKED_IN_TURN) {
        // By a client of another format than the provider's: the answer is kept in the one and translated into the other.
        const response = await send(
          '/adapters/anthropic/v1/messages',
          `{"model":"chat-model","max_tokens":9,"stream":${streams},"messages":[
            {"role":"user","content":"write to ${EMAIL} ${kind}"},
            {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":${number}}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`,
          { 'cache-control': 'max-age=3600', ...(flags === '' ? {} : { 'x-llm-flags': flags }) },
        )
        t.equal(inputText(await response.text()), INPUT_TEXT)
        states.push(response.headers.get('x-gateway-cache'))
      }
      t.equal(upstream.requests.length - before, 2, states.join())
    })
  }
}

t.test('who follows a stream under way gets the digits too', async (t) => {
  upstream.otherwise(stream(messages.events('hi', inputOf(EMAIL)), { pauseMs: 5 }))
  const before = upstream.requests.length
  const body = `{"contents":[{"parts":[{"text":"write to ${EMAIL}"}]}]}`
  const path = '/adapters/gemini/v1beta/models/claude-model:streamGenerateContent?alt=sse'
  const texts = await Promise.all(
    [1, 2, 3].map(async () => (await send(path, body, { 'cache-control': 'max-age=3600' })).text()),
  )
  for (const text of texts) t.equal(inputText(text), INPUT_TEXT)
  t.equal(upstream.requests.length - before, 1)
})

t.test("a number that is the gateway's own business is refused as ever", async (t) => {
  const before = upstream.requests.length
  for (const [field, number, given] of [
    ['max_tokens', '99999999999999999999', '100000000000000000000'],
    ['max_tokens', '1e400', 'Infinity'],
    ['max_tokens', '0.1234567890123456789', '0.12345678901234568'],
  ] as const) {
    const body = `{"model":"chat-model","${field}":${number},"messages":[{"role":"user","content":"x"}]}`
    const response = await send('/v1/chat/completions', body)
    t.equal(response.status, 400)
    t.match(await response.text(), new RegExp(`${field}.*the number ${given.replace('.', '\\.')}`))
  }
  const twice = await send('/v1/chat/completions', '{"a":9007199254740993,"a":9007199254740995,"model":"chat-model"}')
  t.match(await twice.json(), { error: { message: /stands twice/, param: 'a' } })
  t.equal(upstream.requests.length, before)
})

t.test('a forced schema with a bound beyond a double is a bound, and goes on as it came', async (t) => {
  upstream.otherwise(ok(chatCompletion('{"n":9007199254740993}')))
  const schema =
    '{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}},"required":["n"]}'
  const body = `{"model":"chat-model","response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${schema}}},
    "messages":[{"role":"user","content":"write to ${EMAIL}"}]}`
  const response = await send('/v1/chat/completions', body, { 'x-llm-flags': 'force-json, pii-safe' })
  t.equal(response.status, 200)
  t.match(await response.text(), '9007199254740993')
  t.match(upstream.requests.at(-1)?.body, String.raw`\"maximum\":9223372036854775807`)
})

t.test('vectors are read whatever their digits', async (t) => {
  const vector = '[0.12345678901234567890,1,-0.1e-400]'
  upstream.otherwise(
    status(
      200,
      `{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":${vector}}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
    ),
  )
  const response = await send('/v1/embeddings', '{"model":"embedding-model","input":"x","encoding_format":"float"}')
  t.equal(response.status, 200)
  t.match(await response.text(), '0.1234567890123456')
})

t.test('vectors of bytes in base64 pass, of which some would be no numbers as floats', async (t) => {
  const embedding = Buffer.from([1, 2, -3, -1]).toString('base64')
  upstream.otherwise(status(200, JSON.stringify({ object: 'list', model: 'm', data: [{ index: 0, embedding }] })))
  const asked = { model: 'embedding-model', input: 'x', encoding_format: 'base64', output_dtype: 'int8' }
  const response = await send('/v1/embeddings', JSON.stringify(asked))
  t.equal(response.status, 200)
  t.match(await response.json(), { data: [{ embedding }] })
})

/** Servers that refuse what the gateway adds to requests of its own accord. */
import t from 'tap'
import { anthropicMessage, anthropicStream, chatCompletion, chatError, chatStream } from '../helpers/answers.ts'
import { status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

/** Databricks' words. */
const REFUSAL = { error_code: 'BAD_REQUEST', message: 'Bad request: json: unknown field "stream_options"\n' }

const strict: Behaviour = (exchange) => {
  const answer = 'stream_options' in (exchange.request.json ?? {}) ? status(400, REFUSAL) : stream(chatStream(['Hi']))
  return answer(exchange)
}

t.test(
  'a server that refuses stream_options is asked without, and once told is not asked with them again',
  async (t) => {
    const fake = await startFakeProvider()
    t.teardown(() => fake.close())
    const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
    const gateway = await startGateway(t, { manifests })
    fake.otherwise(strict)

    const options = { stream_options: { include_usage: true } }
    const own = await gateway.chat({ stream: true, ...options })
    t.equal(own.status, 400, "what the client asked of that very model is its vendor's to refuse")
    t.match(await own.text(), 'stream_options')

    const first = await gateway.chat({ stream: true })
    t.match(await first.text(), 'Hi')
    t.equal(fake.requests.length, 3)
    const headers = { 'x-llm-trace': 'true' }
    const chosen = await gateway.chat({ model: 'auto', stream: true, ...options }, headers)
    t.match(await chosen.text(), 'Hi')
    t.equal(chosen.headers.get('x-gateway-translation-warnings'), 'stream_options')
    const messages = [{ role: 'user', content: 'Hello' }]
    const other = { model: 'm', max_tokens: 9, messages, stream: true }
    t.match(await (await gateway.chat(other, {}, '/adapters/anthropic/v1/messages')).text(), 'message_stop')
    t.equal(fake.requests.length, 5)
    t.equal((await gateway.chat({ stream: true, ...options })).status, 400, 'as before')
  },
)

t.test('what is told of a request that was asked twice is told once', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
  const gateway = await startGateway(t, { manifests })
  fake.otherwise(strict)
  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = { model: 'm', max_tokens: 9, messages, top_k: 5, stream: true }
  const answer = await gateway.chat(asked, { 'x-llm-trace': 'true' }, '/adapters/anthropic/v1/messages')
  t.match(await answer.text(), 'message_stop')
  t.equal(fake.requests.length, 2)
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.match(metrics, /tollgate_translation_warnings_total\{[^}]*\} 1\n/)
})

t.test('a refusal of something else stays one', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const manifests = { 'a.yaml': yaml(provider({ name: 'strict', url: fake.url }), virtualKey()) }
  const gateway = await startGateway(t, { manifests })
  fake.otherwise(status(400, chatError('messages are too many')))
  t.equal((await gateway.chat({ stream: true })).status, 400)
  t.equal(fake.requests.length, 1)
})

t.test('tools go to a model that takes them, unless the client names one that does not', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const astra = provider({
    name: 'astra',
    url: fake.url,
    priority: 1,
    models: ['{ name: gpt-6-astra, quality: 0.9, capabilities: [chat, streaming, tools] }'],
  })
  const other = provider({
    name: 'other',
    url: fake.url,
    priority: 2,
    models: ['{ name: gpt-5.2, quality: 0.5, capabilities: [chat, streaming, tools] }'],
  })
  const alone = 'policies: { fallback: SameModel }'
  const manifests = {
    'a.yaml': yaml(astra, other, virtualKey(), virtualKey({ name: 'alone', key: `${KEY}-2`, spec: `  ${alone}` })),
  }
  const gateway = await startGateway(t, { manifests })
  fake.otherwise(status(200, chatCompletion('Hi')))
  const modelOf = () => fake.requests.at(-1)?.json?.model
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
  await gateway.chat({ model: 'auto' })
  t.equal(modelOf(), 'gpt-6-astra')
  await gateway.chat({ model: 'auto', tools })
  t.equal(modelOf(), 'gpt-5.2')
  await gateway.chat({ model: 'gpt-6-astra', tools })
  t.equal(modelOf(), 'gpt-6-astra', "what its client asks of that very model is its vendor's to refuse")

  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = {
    model: 'gpt-6-astra',
    max_tokens: 9,
    messages,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
  }
  const path = '/adapters/anthropic/v1/messages'
  t.equal((await gateway.chat(asked, {}, path)).status, 200)
  t.equal(modelOf(), 'gpt-5.2', 'the gateway speaks this interface to it')
  const refused = await gateway.chat(asked, { authorization: `Bearer ${KEY}-2` }, path)
  t.equal(refused.status, 400)
  t.match(await refused.json(), { type: 'error', error: { message: /takes no function tools over chat-completions/ } })
})

/** Anthropic's words. */
const BOUND = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  },
}

const bound: Behaviour = (exchange) => {
  const { body, json } = exchange.request
  const answer = json?.stream === true ? stream(anthropicStream(['Hi'])) : status(200, anthropicMessage('Hi'))
  return (body.includes('"thinking"') ? status(400, BOUND) : answer)(exchange)
}

t.test('thinking that a Claude refuses behind what the gateway has changed is left out', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  const claude = provider({
    name: 'claude',
    url: fake.url,
    type: 'Anthropic',
    models: ['{ name: claude-opus-5-5, quality: 0.9 }'],
  })
  const gateway = await startGateway(t, { manifests: { 'a.yaml': yaml(claude, virtualKey()) } })
  fake.otherwise(bound)
  const ask = (fields: object, headers: Record<string, string> = {}) => {
    const messages = [
      { role: 'user', content: 'I am jane@example.com' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'sig' },
          { type: 'text', text: 'Hello' },
        ],
      },
      { role: 'user', content: 'Who am I?' },
    ]
    const body = { max_tokens: 9, messages, ...fields }
    return gateway.chat(body, { 'x-llm-trace': 'true', ...headers }, '/adapters/anthropic/v1/messages')
  }
  const own = await ask({ model: 'claude-opus-5-5' })
  t.equal(own.status, 400, "what its client has changed itself is its vendor's to refuse")
  t.match(await own.text(), 'bound to a different conversation')
  t.equal(fake.requests.length, 1)

  const masked = await ask({ model: 'claude-opus-5-5' }, { 'x-llm-flags': 'pii-safe' })
  t.equal(masked.status, 200)
  t.equal(masked.headers.get('x-gateway-translation-warnings'), 'messages[1].thinking')
  t.equal(fake.requests.length, 3)
  t.match(fake.requests[2]?.json?.messages, [{}, { content: [{ type: 'text', text: 'Hello' }] }, {}])
  t.match(String(fake.requests[2]?.body), 'LLM_REDACTED_EMAIL')

  const chosen = await ask({ model: 'auto', stream: true })
  t.equal(chosen.status, 200)
  t.match(await chosen.text(), 'Hi')
})

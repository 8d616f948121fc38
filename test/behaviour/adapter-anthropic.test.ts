/** DESIGN section 4: the Anthropic adapter, through the official SDK, over providers of both formats. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import t, { type Test } from 'tap'
import { SseDecoder } from '../../src/domain/formats/sse.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { anthropicMessage, anthropicStream, chatCompletion, chatStream, sse, SSE_DONE } from '../helpers/answers.ts'
import { cutAfter, ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'
import { readMessagesStream } from '../helpers/messages-grammar.ts'

const MODEL =
  '{ name: NAME, quality: 0.5, contextWindow: 1000, maxOutputTokens: 500, capabilities: [chat, streaming, tools, vision], pricing: { input: "1", output: "2" } }'
const model = (name: string) => [MODEL.replace('NAME', name)]
const user = { role: 'user' as const, content: 'hello' }
const tool = { name: 'look_up', description: 'd', input_schema: { type: 'object' as const, properties: {} } }

interface Setup {
  readonly gateway: Gateway
  readonly client: Anthropic
  /** A provider of the same format, with the model `same`. */
  readonly anthropic: FakeProvider
  /** A provider of another format, with the model `other`. */
  readonly openai: FakeProvider
}

async function setup(t: Test): Promise<Setup> {
  const [anthropic, openai] = await Promise.all([startFakeProvider(), startFakeProvider()])
  t.teardown(() => Promise.all([anthropic.close(), openai.close()]))
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'a', url: anthropic.url, type: 'Anthropic', models: model('same'), priority: 1 }),
        provider({ name: 'o', url: openai.url, models: model('other'), priority: 2 }),
        virtualKey(),
      ),
    },
  })
  const client = new Anthropic({ apiKey: KEY, baseURL: `${gateway.url}/adapters/anthropic`, maxRetries: 0 })
  return { gateway, client, anthropic, openai }
}

t.test('the official SDK', async (t) => {
  const { gateway, client, anthropic, openai } = await setup(t)

  await t.test('a whole answer of a provider that speaks the format, unknown fields both ways', async (t) => {
    anthropic.enqueue(ok({ ...anthropicMessage('good day'), vendor_field: { deep: [1, null] } }))
    const asked = { model: 'same', max_tokens: 10, messages: [user], service_tier: 'auto' as const, x_future: [true] }
    const { data, response } = await client.messages
      .create(asked, { headers: { 'anthropic-beta': 'beta-1', 'anthropic-version': '2026-10-21' } })
      .withResponse()
    t.match(data, { content: [{ type: 'text', text: 'good day' }], vendor_field: { deep: [1, null] } })
    t.match(response.headers.get('request-id'), response.headers.get('x-request-id'))
    const sent = anthropic.requests.at(-1)
    t.strictSame(sent?.json, asked)
    t.match(sent?.headers, { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'beta-1' })
    t.notMatch(JSON.stringify(sent?.rawHeaders), KEY)
  })

  await t.test('a last message that another format cannot carry goes to who can, or is refused here', async (t) => {
    const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: 'file_1' } }]
    const ask = async (model: string) =>
      client.beta.messages.create({ model, max_tokens: 10, messages: [{ role: 'user', content }] })
    const before = openai.requests.length
    anthropic.enqueue(ok(anthropicMessage('a letter')))
    t.match(await ask('other'), { content: [{ text: 'a letter' }] }, 'the backup takes it')
    const strict = { 'x-llm-exclude-providers': 'a' }
    const refused = await client.beta.messages
      .create({ model: 'other', max_tokens: 10, messages: [{ role: 'user', content }] }, { headers: strict })
      .catch((error: unknown) => error)
    t.match(refused, { status: 400, message: /o\/other: capability \(.*can carry no part of the last message/ })
    t.equal(openai.requests.length, before)
  })

  await t.test('a whole answer of a provider that speaks another format', async (t) => {
    openai.enqueue(ok(chatCompletion('good day', { inputTokens: 7, outputTokens: 4 })))
    const answer = await client.messages.create({
      model: 'other',
      max_tokens: 10,
      system: 'Short.',
      messages: [user],
      service_tier: 'auto',
    })
    t.match(answer, {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'good day' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 4 },
    })
    const sent = openai.requests.at(-1)?.json
    t.strictSame(sent?.messages, [{ role: 'system', content: 'Short.' }, user])
    t.equal(sent?.max_tokens, 10)
    t.notOk(sent !== undefined && 'service_tier' in sent)
  })

  await t.test('the trace names what the request and what the whole answer lost between formats', async (t) => {
    const reply = anthropicMessage('good day')
    const content = [
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'text', text: 'good day' },
    ]
    anthropic.enqueue(ok({ ...reply, content }))
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-llm-trace': 'true' },
      body: JSON.stringify({ model: 'same', messages: [user], seed: 4 }),
    })
    t.equal(response.status, 200)
    t.equal(response.headers.get('x-gateway-translation-warnings'), 'seed, choices[0].message.thinking')
  })

  for (const name of ['same', 'other']) {
    await t.test(`a stream of the model «${name}»`, async (t) => {
      if (name === 'same') anthropic.enqueue(stream(anthropicStream(['good ', 'day'], { outputTokens: 9 })))
      else openai.enqueue(stream(chatStream(['good ', 'day'], { outputTokens: 9 })))
      const running = client.messages.stream({ model: name, max_tokens: 10, messages: [user] })
      const final = await running.finalMessage()
      t.match(final, {
        content: [{ type: 'text', text: 'good day' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 9 },
      })
      t.equal(await running.finalText(), 'good day')
    })
  }

  await t.test('a tool round trip over another format, with the arguments in one chunk', async (t) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"mail":"x"}' } }
    openai.enqueue(stream(toolStream([{ index: 0, ...call }])))
    const first = client.messages.stream({ model: 'other', max_tokens: 10, messages: [user], tools: [tool] })
    const asked = await first.finalMessage()
    t.equal(asked.stop_reason, 'tool_use')
    t.match(asked.content, [{ type: 'tool_use', id: 'call_1', name: 'look_up', input: { mail: 'x' } }])

    openai.enqueue(ok(chatCompletion('found')))
    const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'the result', is_error: true }
    const answer = await client.messages.create({
      model: 'other',
      max_tokens: 10,
      messages: [user, { role: 'assistant', content: asked.content }, { role: 'user', content: [result] }],
      tools: [tool],
    })
    t.match(answer.content, [{ text: 'found' }])
    t.strictSame(openai.requests.at(-1)?.json?.messages, [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Error: the result' },
    ])
  })

  await t.test('the SDK’s tool runner sends the whole conversation: there are no message threads', async (t) => {
    const run = () => 'the result'
    const lookUp = betaTool({ name: 'look_up', description: 'd', inputSchema: { type: 'object' }, run })
    const asked = { max_tokens: 10, messages: [user], tools: [lookUp] }
    const called = {
      ...anthropicMessage(''),
      content: [{ type: 'tool_use', id: 'call_1', name: 'look_up', input: {} }],
    }
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }]
    const choices = [
      { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' },
    ]

    anthropic.enqueue(ok({ ...called, stop_reason: 'tool_use' }), ok(anthropicMessage('found')))
    openai.enqueue(ok({ ...chatCompletion(''), choices }), ok(chatCompletion('found')))
    for (const [model, vendor] of [
      ['same', anthropic],
      ['other', openai],
    ] as const) {
      const answer = await client.beta.messages.toolRunner({ ...asked, model }).runUntilDone()
      t.match(answer.content, [{ text: 'found' }])
      const sent = vendor.requests.at(-1)?.json
      t.match(sent, { messages: [user, { role: 'assistant' }, {}], tools: [{}] })
      t.notHas(sent, 'thread')
    }

    const thread = { type: 'continue' as const, previous_message_id: 'msg_1' }
    const refusal = await client.beta.messages
      .create({ model: 'same', max_tokens: 10, messages: [user], thread })
      .catch(identity)
    t.ok(refusal instanceof Anthropic.BadRequestError)
    t.match(refusal, { error: { error: { code: 'thread_unsupported_request', param: 'thread' } } })
  })

  await t.test('refusals have the vendor’s shape and class, our code, and the request id', async (t) => {
    const strange = new Anthropic({ apiKey: 'wrong', baseURL: client.baseURL, maxRetries: 0 })
    await t.rejects(
      strange.messages.create({ model: 'same', max_tokens: 1, messages: [user] }),
      Anthropic.AuthenticationError,
    )
    const refusal = await client.messages.create({ model: 'none', max_tokens: 1, messages: [user] }).catch(identity)
    t.ok(refusal instanceof Anthropic.NotFoundError)
    t.match(refusal, {
      type: 'not_found_error',
      requestID: /^[0-9a-f-]{36}$/,
      error: {
        type: 'error',
        error: { code: 'model_not_found', details: { error_code: 'model_not_found' } },
        request_id: /^[0-9a-f-]{36}$/,
      },
    })
    const without: JsonObject = { model: 'same', messages: [user] }
    t.match(await post(gateway, without), {
      status: 400,
      body: { error: { type: 'invalid_request_error', param: 'max_tokens' } },
    })
    t.match(await post(gateway, without, { authorization: 'Bearer another' }), { status: 401 })
  })

  await t.test('a provider’s refusal of the request reaches the client in its own words', async (t) => {
    anthropic.enqueue(
      status(400, { type: 'error', error: { type: 'invalid_request_error', message: 'too many images' } }),
    )
    await t.rejects(client.messages.create({ model: 'same', max_tokens: 1, messages: [user] }), {
      status: 400,
      message: /too many images/,
    })
  })

  await t.test('a stream that breaks off ends with the vendor’s error event', async (t) => {
    openai.enqueue(cutAfter(chatStream(['good ', 'day']).slice(0, 2)))
    const events = await streamed(gateway, { model: 'other', max_tokens: 5, messages: [user] })
    const { content, error } = readMessagesStream(events)
    t.strictSame(content, [])
    t.match(error, { type: 'api_error', code: 'upstream_format_error' })
  })

  await t.test(
    'a stream whose provider leaves out the last event or the event names is whole for the client',
    async (t) => {
      const bare = anthropicStream(['good day'])
        .slice(0, -1)
        .map((event) => event.replace(/^event: .*\n/, ''))
      anthropic.enqueue(stream(bare))
      const final = await client.messages.stream({ model: 'same', max_tokens: 5, messages: [user] }).finalMessage()
      t.match(final, { content: [{ text: 'good day' }], stop_reason: 'end_turn' })
    },
  )

  await t.test('failover from one format to another: the client cannot tell', async (t) => {
    anthropic.enqueue(status(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))
    openai.enqueue(stream(chatStream(['good day'])))
    const events = await streamed(gateway, { model: 'auto', max_tokens: 5, messages: [user] })
    t.match(readMessagesStream(events), { content: [{ text: 'good day' }], stopReason: 'end_turn' })
  })

  await t.test('the models list has the vendor’s shape and pages', async (t) => {
    const ids = (await Array.fromAsync(client.models.list({ limit: 1 }))).map(({ id }) => id)
    t.strictSame(ids, ['auto', 'same', 'other'])
    const back = await client.models.list({ before_id: 'other', limit: 1 })
    t.match(back, { data: [{ id: 'same' }], has_more: true, first_id: 'same', last_id: 'same' })
    t.match(await client.models.retrieve('same'), {
      type: 'model',
      id: 'same',
      display_name: 'same',
      created_at: /^\d{4}-.*Z$/,
      max_input_tokens: 1000,
      max_tokens: 500,
    })
    await t.rejects(client.models.retrieve('none'), Anthropic.NotFoundError)
    await t.rejects(client.models.list({ limit: 0 }), Anthropic.BadRequestError)
  })
})

t.test('count_tokens', async (t) => {
  const { client, anthropic, openai } = await setup(t)
  const prompt = { messages: [{ role: 'user' as const, content: 'x'.repeat(400) }] }

  await t.test('is answered by the provider where its API counts', async (t) => {
    anthropic.enqueue(ok({ input_tokens: 123 }))
    const { data, response } = await client.messages.countTokens({ model: 'same', ...prompt }).withResponse()
    t.strictSame(data, { input_tokens: 123 })
    t.equal(response.headers.get('x-gateway-token-count'), 'provider')
    t.match(anthropic.requests.at(-1), { path: '/v1/messages/count_tokens', json: { model: 'same', ...prompt } })
  })

  await t.test('is estimated where it does not, or fails', async (t) => {
    const { data, response } = await client.messages.countTokens({ model: 'other', ...prompt }).withResponse()
    t.ok(data.input_tokens >= 100 && data.input_tokens < 150, `${data.input_tokens}`)
    t.equal(response.headers.get('x-gateway-token-count'), 'estimate')
    t.strictSame(openai.requests, [])
    const noCount = [
      status(200, '<html>'),
      ok({ input_tokens: 'many' }),
      ok({ input_tokens: -1 }),
      ok({ type: 'message' }),
    ]
    for (const behaviour of [status(500), ...noCount]) {
      anthropic.enqueue(behaviour)
      t.equal((await client.messages.countTokens({ model: 'same', ...prompt })).input_tokens, data.input_tokens)
    }
  })

  await t.test('is governed: a stranger, a bad body and an unknown model are refused', async (t) => {
    const strange = new Anthropic({ apiKey: 'wrong', baseURL: client.baseURL, maxRetries: 0 })
    await t.rejects(strange.messages.countTokens({ model: 'same', ...prompt }), Anthropic.AuthenticationError)
    await t.rejects(client.messages.countTokens({ model: 'same', messages: [] }), Anthropic.BadRequestError)
    await t.rejects(client.messages.countTokens({ model: 'none', ...prompt }), Anthropic.NotFoundError)
  })
})

function identity(error: unknown): unknown {
  return error
}

function toolStream(calls: JsonObject[]): string[] {
  const chunk = (delta: JsonObject, finishReason: string | null) =>
    sse({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    })
  return [chunk({ role: 'assistant', content: null, tool_calls: calls }, null), chunk({}, 'tool_calls'), SSE_DONE]
}

function send(gateway: Gateway, body: JsonObject, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/adapters/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function post(gateway: Gateway, body: JsonObject, headers: Record<string, string> = {}) {
  const response = await send(gateway, body, headers)
  return { status: response.status, body: await response.json() }
}

async function streamed(gateway: Gateway, body: JsonObject) {
  const response = await send(gateway, { ...body, stream: true })
  const decoder = new SseDecoder()
  return [...decoder.push(new Uint8Array(await response.arrayBuffer())), ...decoder.end()]
}

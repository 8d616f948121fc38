/** DESIGN section 7 through the running gateway: what is shared, with whom, how it is replayed, and what never is. */
import OpenAI from 'openai'
import Anthropic from '@anthropic-ai/sdk'
import t, { type Test } from 'tap'
import { chatCompletion, chatStream, sse } from '../helpers/answers.ts'
import { cutAfter, delayed, ok, status, stream } from '../helpers/behaviours.ts'
import { organization } from '../helpers/cache-scene.ts'
import { startFakeProvider, type Behaviour, type FakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway, type GatewayOptions } from '../helpers/gateway.ts'
import type { JsonObject } from '../../src/domain/json.ts'

/** Undoes the helper's `no-store`. */
const CACHED = { 'cache-control': 'max-age=3600' }

const MODELS = [
  '{ name: m, quality: 0.5, capabilities: [chat, streaming, tools], pricing: { input: "1", output: "2" } }',
]

/** Keys of organization `a` may have values restored; `one` and `two` share a project, `three` has its own. */
const MANIFESTS = yaml(
  organization('a'),
  organization('b'),
  ...['one', 'two', 'three', 'switched-off', 'short', 'other'].map((name) =>
    virtualKey({ name, namespace: `ns-${name === 'other' ? 'b' : 'a'}`, key: keyOf(name), spec: specOf(name) }),
  ),
  // The key of `gateway.chat`.
  virtualKey({ namespace: 'ns-a', spec: specOf('test') }),
)

function keyOf(name: string): string {
  return `${KEY}-${name}`
}

function specOf(name: string): string {
  const policies = {
    'switched-off': '  policies: { cache: { exact: { enabled: false } } }',
    short: '  policies: { cache: { exact: { ttl: 1ms } } }',
  }
  const project = name === 'three' ? 'p2' : 'p1'
  return `  organizationRef: { name: ${name === 'other' ? 'b' : 'a'} }
  project: ${project}
  privileges: { demask: true }
${Object.hasOwn(policies, name) ? policies[name as keyof typeof policies] : ''}`
}

interface Scene {
  readonly upstream: FakeProvider
  readonly gateway: Gateway
}

async function scene(t: Test, options: Partial<GatewayOptions> = {}): Promise<Scene> {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const manifests = { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models: MODELS }), MANIFESTS) }
  return { upstream, gateway: await startGateway(t, { manifests, ...options }) }
}

/** One gateway for all tests that only differ in what they ask: starting one takes longest. */
const shared = await scene(t)

/** The shared gateway as one test sees it: its own question, its own count of upstream calls. */
function stage(question: string) {
  const { upstream, gateway } = shared
  const before = upstream.requests.length
  const message = { role: 'user', content: question }
  return {
    upstream,
    gateway,
    message,
    calls: () => upstream.requests.length - before,
    ask: (body: object = {}, headers: Record<string, string> = {}, key?: string) =>
      gateway.chat(
        { messages: [message], ...body },
        { ...CACHED, ...(key === undefined ? {} : { authorization: `Bearer ${keyOf(key)}` }), ...headers },
      ),
  }
}

/** Answers with a number that no other answer has. */
function counting(): Behaviour {
  let count = 0
  return (exchange) => {
    const text = `answer ${count++}`
    const streamed = exchange.request.json?.['stream'] === true
    return (streamed ? stream(chatStream([text.slice(0, 3), text.slice(3)])) : ok(chatCompletion(text)))(exchange)
  }
}

async function said(response: Response): Promise<unknown> {
  const answer = (await response.json()) as { choices?: { message: { content: string } }[] }
  return answer.choices?.[0]?.message.content
}

t.test('an equal request is answered from the cache, and costs nothing', async (t) => {
  const { upstream, gateway, ask, calls } = stage('equal')
  upstream.otherwise(counting())
  const first = await ask({ user: 'a' })
  t.equal(first.headers.get('x-gateway-cache'), 'miss')
  t.equal(first.headers.get('age'), null)
  t.equal(await said(first), 'answer 0')
  const second = await ask({ user: 'b' })
  t.equal(second.headers.get('x-gateway-cache'), 'hit-l1')
  t.match(second.headers.get('age'), /^\d+$/)
  t.equal(second.headers.get('x-gateway-cost-usd'), '0.000000')
  t.equal(await said(second), 'answer 0')
  t.equal(calls(), 1)
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['cache'] === 'hit-l1')
  t.match(audit, { costMicroUsd: 0, tokens: { input: Number }, model: { provider: 'p' }, attempts: [] })
  const page = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.match(page, /tollgate_cache_\w+\{result="hit-l1"\} 1/)
})

t.test('what may change the answer makes a request another one', async (t) => {
  const { upstream, ask, calls, message } = stage('differences')
  upstream.otherwise(counting())
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
  const schema = (type: string, fields: readonly string[] = []) => {
    const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]))
    return { type: 'json_schema', json_schema: { name: 's', schema: { type, properties } } }
  }
  const bodies = [
    {},
    { messages: [{ role: 'system', content: 'one' }, message] },
    { messages: [{ role: 'system', content: 'two' }, message] },
    { messages: [message, { role: 'assistant', content: 'yes' }, message] },
    { tools: [tool('a')] },
    { tools: [tool('b')] },
    { tools: [tool('a')], tool_choice: 'none' },
    { tools: [tool('a')], tool_choice: 'required' },
    { response_format: { type: 'json_object' } },
    { response_format: schema('object') },
    { response_format: schema('array') },
    // A model writes them in this order: thinks before it answers, or after.
    { response_format: schema('object', ['reason', 'answer']) },
    { response_format: schema('object', ['answer', 'reason']) },
    { temperature: 0 },
    { temperature: 1 },
    { top_p: 0.5 },
    { seed: 1 },
    { seed: 2 },
    { max_tokens: 100 },
    { stop: ['x'] },
    { unknown_field: 1 },
    { unknown_field: '1' },
    { model: 'auto' },
    { model: 'p/m' },
  ]
  const headers: Record<string, string>[] = [
    { 'x-llm-exclude-providers': 'other' },
    { 'x-llm-exclude-countries': 'cn' },
    { 'x-llm-max-cost': '10' },
    { 'x-llm-min-quality': '0.1' },
    { 'x-llm-scoring-method': 'cost' },
    { 'x-llm-flags': 'pii-safe' },
  ]
  const asks = [...bodies.map((body) => () => ask(body)), ...headers.map((header) => () => ask({}, header))]
  const answers = new Set()
  for (const one of asks) {
    const response = await one()
    t.equal(response.headers.get('x-gateway-cache'), 'miss')
    answers.add(await said(response))
  }
  t.equal(answers.size, asks.length)
  for (const one of asks) t.equal((await one()).headers.get('x-gateway-cache'), 'hit-l1')
  t.equal(calls(), asks.length)
})

t.test('organizations and projects never share, keys of one project do', async (t) => {
  const { upstream, ask } = stage('isolation')
  upstream.otherwise(counting())
  const results = []
  for (const key of ['one', 'three', 'other', 'two']) {
    const response = await ask({}, {}, key)
    results.push([response.headers.get('x-gateway-cache'), await said(response)])
  }
  t.strictSame(results, [
    ['miss', 'answer 0'],
    ['miss', 'answer 1'],
    ['miss', 'answer 2'],
    ['hit-l1', 'answer 0'],
  ])
})

t.test('an answer is replayed in the shape that is asked for, through the official SDKs', async (t) => {
  const { upstream, gateway, calls } = stage('')
  upstream.otherwise(counting())
  const client = new OpenAI({
    apiKey: KEY,
    baseURL: `${gateway.url}/v1`,
    maxRetries: 0,
    defaultHeaders: CACHED,
  })
  const ask = (content: string) => ({ model: 'm', messages: [{ role: 'user' as const, content }] })

  const streamed = async (content: string) => {
    const pieces = client.chat.completions.stream({ ...ask(content), stream_options: { include_usage: true } })
    return (await pieces.finalChatCompletion()) as OpenAI.ChatCompletion
  }
  // A stream first, then whole; whole first, then a stream.
  const one = await streamed('one')
  const again = await client.chat.completions.create(ask('one'))
  t.equal(again.choices[0]?.message.content, one.choices[0]?.message.content)
  t.equal(again.choices[0]?.finish_reason, 'stop')
  t.equal(again.id, 'chatcmpl-test')
  t.equal(again.usage?.total_tokens, one.usage?.total_tokens)
  t.equal((await streamed('one')).choices[0]?.message.content, one.choices[0]?.message.content)
  const two = await client.chat.completions.create(ask('two'))
  const replayed = await streamed('two')
  t.equal(replayed.choices[0]?.message.content, two.choices[0]?.message.content)
  t.equal(replayed.usage?.total_tokens, two.usage?.total_tokens)
  t.equal(calls(), 2)

  const anthropic = new Anthropic({
    apiKey: KEY,
    baseURL: `${gateway.url}/adapters/anthropic`,
    maxRetries: 0,
    defaultHeaders: CACHED,
  })
  const message = { model: 'm', max_tokens: 50, messages: [{ role: 'user' as const, content: 'one' }] }
  const first = await anthropic.messages.create(message)
  const final = await anthropic.messages.stream(message).finalMessage()
  t.strictSame(final.content, first.content)
  t.equal(final.stop_reason, 'end_turn')
  for await (const event of await anthropic.messages.create({ ...message, stream: true })) {
    if (event.type !== 'message_start') continue
    const { input_tokens, output_tokens } = event.message.usage
    t.strictSame([input_tokens, output_tokens], [first.usage.input_tokens, 0], 'where some clients read it')
  }
  t.equal(calls(), 3)
})

t.test('a tool call is replayed whole and as a stream, in both formats', async (t) => {
  const { upstream, gateway, calls } = stage('')
  const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"city":"Oslo"}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  upstream.otherwise(
    ok({ ...chatCompletion(''), choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }] }),
  )
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const client = new OpenAI({ apiKey: KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: CACHED })
  const body = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'call a tool' }],
    tools: [{ type: 'function' as const, function: { name: 'look_up', parameters } }],
  }
  const whole = await client.chat.completions.create(body)
  const streamed = await client.chat.completions.stream(body).finalChatCompletion()
  t.match(streamed.choices[0]?.message.tool_calls, whole.choices[0]?.message.tool_calls)
  t.equal(streamed.choices[0]?.finish_reason, 'tool_calls')
  t.equal(calls(), 1)

  const baseURL = `${gateway.url}/adapters/anthropic`
  const anthropic = new Anthropic({ apiKey: KEY, baseURL, maxRetries: 0, defaultHeaders: CACHED })
  const asked = {
    model: 'm',
    max_tokens: 50,
    messages: body.messages,
    tools: [{ name: 'look_up', input_schema: { ...parameters, type: 'object' as const } }],
  }
  const first = await anthropic.messages.create(asked)
  const again = await anthropic.messages.stream(asked).finalMessage()
  t.strictSame(again.content, first.content)
  t.match(again.content[0], { type: 'tool_use', name: 'look_up', input: { city: 'Oslo' } })
  t.equal(again.stop_reason, 'tool_use')
  t.equal(calls(), 2)
})

t.test('an answer with parts that a stream cannot carry is shared whole only', async (t) => {
  const { upstream, ask, calls } = stage('own parts')
  const logprobs = { content: [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }] }
  const [choice] = chatCompletion('x')['choices'] as object[]
  upstream.enqueue(ok({ ...chatCompletion('x'), choices: [{ ...choice, logprobs }] }))
  await (await ask({ logprobs: true })).text()
  const again = await ask({ logprobs: true })
  t.equal(again.headers.get('x-gateway-cache'), 'hit-l1')
  t.match(await again.json(), { choices: [{ logprobs }] })
  upstream.otherwise(counting())
  for (let call = 0; call < 2; call++) {
    const streamed = await ask({ logprobs: true, stream: true })
    t.equal(streamed.headers.get('x-gateway-cache'), 'miss')
    await streamed.text()
  }
  t.equal(calls(), 3)
})

t.test('nor is one that nobody asked for in such words replayed as a stream or kept from one', async (t) => {
  const { upstream, ask, calls } = stage('spontaneous parts')
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
  const [choice] = chatCompletion('x')['choices'] as { message: object }[]
  upstream.enqueue(ok({ ...chatCompletion('x'), choices: [{ ...choice, message: { ...choice?.message, images } }] }))
  await (await ask()).text()
  const [first = '', ...rest] = chatStream(['x'])
  const picture = sse({ id: 'a', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { images } }] })
  upstream.otherwise(stream([first, picture, ...rest]))
  for (let call = 0; call < 2; call++) {
    const streamed = await ask({ stream: true })
    t.equal(streamed.headers.get('x-gateway-cache'), 'miss')
    t.match(await streamed.text(), 'data:image/png')
  }
  const whole = await ask()
  t.equal(whole.headers.get('x-gateway-cache'), 'hit-l1', 'the whole answer is still there')
  t.match(await whole.json(), { choices: [{ message: { images } }] })
  t.equal(calls(), 3)
})

t.test('an answer whose provider never says how it ended is passed on, and asked for anew', async (t) => {
  const { upstream, ask, calls } = stage('no finish reason')
  const whole = chatCompletion('half an')
  const choices = (whole['choices'] as JsonObject[]).map((choice) => ({ ...choice, finish_reason: null }))
  // The end mark says that the stream is over, and nothing of the answer.
  const events = chatStream(['half ', 'an']).filter((event) => !event.includes('"finish_reason":"stop"'))
  upstream.otherwise((exchange) => {
    const streamed = exchange.request.json?.['stream'] === true
    return (streamed ? stream(events) : ok({ ...whole, choices }))(exchange)
  })
  for (const streamed of [false, true]) {
    for (let call = 0; call < 2; call++) {
      const response = await ask({ stream: streamed })
      t.equal(response.headers.get('x-gateway-cache'), 'miss')
      t.match(await response.text(), streamed ? '[DONE]' : 'half an')
    }
  }
  t.equal(calls(), 4)
})

t.test('Cache-Control is obeyed', async (t) => {
  const { upstream, ask: chat } = stage('control')
  upstream.otherwise(counting())
  const ask = async (control: string) => {
    const response = await chat({}, { 'cache-control': control })
    return [response.headers.get('x-gateway-cache'), await said(response)]
  }
  t.strictSame(await ask('no-store'), ['bypass', 'answer 0'])
  t.strictSame(await ask('max-age=100'), ['miss', 'answer 1'])
  t.strictSame(await ask('max-age=nonsense'), ['hit-l1', 'answer 1'])
  t.strictSame(await ask('no-cache'), ['bypass', 'answer 2'], 'made anew')
  t.strictSame(await ask('max-age=100'), ['hit-l1', 'answer 2'], 'and kept')
  t.strictSame(await ask('no-store, max-age=100'), ['bypass', 'answer 3'])
  t.strictSame(await ask('max-age=100'), ['hit-l1', 'answer 2'])
})

t.test('a policy switches the cache off, or shortens its time', async (t) => {
  const { upstream, ask } = stage('policy')
  upstream.otherwise(counting())
  for (let call = 0; call < 2; call++) {
    t.equal((await ask({}, {}, 'switched-off')).headers.get('x-gateway-cache'), 'bypass')
    t.equal((await ask({}, {}, 'short')).headers.get('x-gateway-cache'), 'miss')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

t.test('errors, refusals, cut streams and answers cut by a limit of ours are never kept', async (t) => {
  const { upstream, ask } = stage('never kept')
  upstream.otherwise(ok(chatCompletion('unplanned')))
  const refusal = chatCompletion('x')
  const message = (refusal['choices'] as { message: Record<string, unknown> }[])[0]?.message ?? {}
  message['content'] = null
  message['refusal'] = 'no'
  const whole = [
    status(400, { error: { message: 'no' } }),
    ok(refusal),
    ok(chatCompletion('x', { finishReason: 'length' })),
    ok(chatCompletion('x', { finishReason: 'content_filter' })),
    ok({ ...chatCompletion('x'), choices: [] }),
  ]
  for (const behaviour of whole) {
    upstream.enqueue(behaviour)
    await (await ask()).text()
  }
  const cut = chatStream(['a', 'b'])
  for (const behaviour of [cutAfter(cut.slice(0, 2)), stream(chatStream(['a'], { finishReason: 'length' }))]) {
    upstream.enqueue(behaviour)
    await (await ask({ stream: true })).text()
  }
  upstream.enqueue(ok(chatCompletion('good')))
  const good = await ask()
  t.equal(good.headers.get('x-gateway-cache'), 'miss')
  t.equal(await said(good), 'good')
  upstream.enqueue(ok(chatCompletion('short', { finishReason: 'length' })))
  await (await ask({ max_tokens: 1 })).text()
  t.equal((await ask({ max_tokens: 1 })).headers.get('x-gateway-cache'), 'hit-l1', "the client's own limit")
})

t.test('a hit is given only where its maker may still answer', async (t) => {
  const { upstream, gateway, ask } = stage('eligible')
  upstream.otherwise(counting())
  await (await ask()).text()
  const before = gateway.lines.length
  const inForce = (line: object, from: number) =>
    'msg' in line && line.msg === 'configuration in force' && gateway.lines.indexOf(line as never) >= from
  gateway.write('all.yaml', yaml(provider({ name: 'q', url: upstream.url, models: MODELS }), MANIFESTS))
  await gateway.line((line) => inForce(line, before))
  const response = await ask()
  t.equal(response.headers.get('x-gateway-cache'), 'miss')
  t.equal(await said(response), 'answer 1')
  const after = gateway.lines.length
  gateway.write('all.yaml', yaml(provider({ name: 'p', url: upstream.url, models: MODELS }), MANIFESTS))
  await gateway.line((line) => inForce(line, after))
})

t.test("a backup's answer is not kept in the name of the model that was asked", async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const models = ['{ name: m }', '{ name: backup }']
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models, spec: '  failover: { maxAttempts: 1 }' }),
        virtualKey(),
      ),
    },
  })
  upstream.enqueueFor({ model: 'm' }, status(500))
  upstream.otherwise(counting())
  t.equal(await said(await gateway.chat({}, CACHED)), 'answer 0')
  t.equal(upstream.requests.at(-1)?.model, 'backup')
  t.equal((await gateway.chat({}, CACHED)).headers.get('x-gateway-cache'), 'miss')
  t.equal(upstream.requests.at(-1)?.model, 'm')
})

t.test(
  "who has asked the same meanwhile gets the backup's answer, too, and the failing provider is not asked again",
  async (t) => {
    const upstream = await startFakeProvider()
    t.teardown(() => upstream.close())
    const models = ['{ name: m }', '{ name: backup }']
    const gateway = await startGateway(t, {
      manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models }), virtualKey()) },
    })
    for (const streamed of [false, true]) {
      const before = upstream.requests.length
      upstream.enqueueFor({ model: 'm' }, delayed(1_000, status(500)))
      upstream.otherwise(streamed ? stream(chatStream(['a', 'b'])) : ok(chatCompletion('ab')))
      const body = { stream: streamed, messages: [{ role: 'user', content: `streamed: ${streamed}` }] }
      const answers = await Promise.all([0, 1, 2].map(() => gateway.chat(body, CACHED)))
      t.strictSame(answers.map(({ headers }) => headers.get('x-gateway-cache')).toSorted(), [
        'hit-l1',
        'hit-l1',
        'miss',
      ])
      for (const answer of answers) t.match(await answer.text(), streamed ? /"a"[^]*"b"[^]*DONE/ : '"ab"')
      const asked = upstream.requests.slice(before).map(({ model }) => model)
      t.strictSame(asked, ['m', 'backup'], `streamed: ${streamed}`)
      t.equal((await gateway.chat(body, CACHED)).headers.get('x-gateway-cache'), 'miss', 'it is not kept')
    }
  },
)

t.test('users with different masked values share an answer and each gets own values back', async (t) => {
  const { upstream, gateway } = stage('')
  const echo: Behaviour = (exchange) => {
    const messages = exchange.request.json?.['messages'] as { content: string }[]
    const text = `You wrote: ${messages[0]?.content}`
    const streamed = exchange.request.json?.['stream'] === true
    return (streamed ? stream(chatStream([text])) : ok(chatCompletion(text)))(exchange)
  }
  upstream.otherwise(echo)
  const ask = async (name: string, content: string, body = {}) =>
    gateway.chat(
      { messages: [{ role: 'user', content }], ...body },
      { ...CACHED, authorization: `Bearer ${keyOf(name)}`, 'x-llm-flags': 'pii-safe' },
    )

  const first = await ask('one', 'I am anna@example.com and anna@example.com')
  t.equal(await said(first), 'You wrote: I am anna@example.com and anna@example.com')
  const second = await ask('two', 'I am bob@example.org and bob@example.org')
  t.equal(second.headers.get('x-gateway-cache'), 'hit-l1')
  t.equal(await said(second), 'You wrote: I am bob@example.org and bob@example.org')
  const streamed = await ask('two', 'I am carl@example.org and carl@example.org', { stream: true })
  t.equal(streamed.headers.get('x-gateway-cache'), 'hit-l1')
  t.match(await streamed.text(), /carl@example\.org and carl@example\.org/)
  const called = async (name: string, members: JsonObject) => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: JSON.stringify(members) } }
    const [said, result] = [JSON.stringify(members), { role: 'tool', tool_call_id: 'c1', content: 'done' }]
    return ask(name, said, {
      messages: [{ role: 'user', content: said }, { role: 'assistant', content: null, tool_calls: [call] }, result],
    })
  }
  const firstCall = await called('one', { 'anna@example.com': 'admin', 'zoe@example.com': 'reader' })
  t.equal(firstCall.headers.get('x-gateway-cache'), 'miss')
  const mine = { 'zz@example.org': 'admin', 'aa@example.org': 'reader' }
  const secondCall = await called('two', mine)
  t.equal(secondCall.headers.get('x-gateway-cache'), 'hit-l1', 'names of fields are ordinals too')
  t.equal(await said(secondCall), `You wrote: ${JSON.stringify(mine)}`)
  const other = await ask('two', 'I am bob@example.org and anna@example.com')
  t.equal(other.headers.get('x-gateway-cache'), 'miss', 'two values are not one value twice')
  const forged = await ask('two', 'I am [[LLM_REDACTED_EMAIL_#1]] and bob@example.org')
  t.equal(forged.headers.get('x-gateway-cache'), 'bypass', 'a text that looks like an ordinal')
})

t.test("an answer in whose tool's arguments escapes hide a token is not kept for other users", async (t) => {
  const { upstream, gateway } = stage('')
  upstream.otherwise((exchange) => {
    const messages = exchange.request.json?.['messages'] as { content: string }[]
    const hidden = JSON.stringify({ to: messages[0]?.content }).replaceAll('_', String.raw`\u005F`)
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: hidden } }]
    const message = { role: 'assistant', content: null, tool_calls }
    return ok({ ...chatCompletion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })(exchange)
  })
  for (const [user, mail] of [
    ['one', 'anna@example.com'],
    ['two', 'bob@example.org'],
  ] as const) {
    const response = await gateway.chat(
      { messages: [{ role: 'user', content: mail }], tools: [{ type: 'function', function: { name: 'f' } }] },
      { ...CACHED, authorization: `Bearer ${keyOf(user)}`, 'x-llm-flags': 'pii-safe' },
    )
    t.match(await response.text(), JSON.stringify(JSON.stringify({ to: mail })).slice(1, -1))
  }
})

t.test(
  'a token that an escape hides in an answer is found, and one user never gets the token of another',
  async (t) => {
    const { upstream, gateway } = stage('')
    upstream.otherwise((exchange) => {
      const messages = exchange.request.json?.['messages'] as { content: string }[]
      const text = JSON.stringify(chatCompletion(`You wrote: ${messages[0]?.content}\n`))
      const hidden = text.replaceAll('LLM_REDACTED', String.raw`L\u004cM\u005fREDACTED`)
      return status(200, Buffer.from(hidden), { 'content-type': 'application/json' })(exchange)
    })
    const ask = async (content: string) =>
      gateway.chat({ messages: [{ role: 'user', content }] }, { ...CACHED, 'x-llm-flags': 'pii-safe' })

    t.equal(await said(await ask('Hidden is anna@example.com')), 'You wrote: Hidden is anna@example.com\n')
    const second = await ask('Hidden is bob@example.org')
    t.equal(second.headers.get('x-gateway-cache'), 'hit-l1')
    t.equal(await said(second), 'You wrote: Hidden is bob@example.org\n')
  },
)

t.test('of identical requests at the same time one asks the provider', async (t) => {
  const { upstream, ask, calls } = stage('flight')
  upstream.otherwise(delayed(150, counting()))
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
  t.strictSame(new Set(await Promise.all(answers.map(said))), new Set(['answer 0']))
  t.equal(answers.filter((answer) => answer.headers.get('x-gateway-cache') === 'miss').length, 1)
  t.equal(calls(), 1)

  const streams = await Promise.all(Array.from({ length: 10 }, () => ask({ seed: 1, stream: true })))
  for (const text of await Promise.all(streams.map((response) => response.text()))) t.match(text, /\[DONE\]/)
  t.equal(calls(), 2)
})

t.test('where the first of identical requests fails or leaves, the others are answered all the same', async (t) => {
  const { upstream, gateway, ask } = stage('leader fails')
  upstream.enqueue(delayed(150, status(400, { error: { message: 'no' } })))
  upstream.otherwise(counting())
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask()))
  t.strictSame(answers.map((answer) => answer.status).toSorted(), [200, 200, 200, 400])

  const leaving = new AbortController()
  upstream.enqueue(delayed(10_000, counting()))
  const count = upstream.requests.length
  const leader = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'wait' }] }),
    signal: leaving.signal,
  })
  leader.catch(() => undefined)
  await upstream.received(count + 1)
  const followers = Array.from({ length: 3 }, () => ask({ messages: [{ role: 'user', content: 'wait' }] }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  leaving.abort()
  const texts = await Promise.all((await Promise.all(followers)).map(said))
  t.equal(new Set(texts).size, 1, 'one of them took over, the others waited for it')
  t.equal(upstream.requests.length, count + 2)
})

t.test('an answer that begins with a byte order mark is kept as any other', async (t) => {
  const { upstream, calls, ask } = stage('marked')
  upstream.enqueue(status(200, `\uFEFF${JSON.stringify(chatCompletion('behind a mark'))}`))
  t.equal(await said(await ask()), 'behind a mark')
  const again = await ask()
  t.equal(again.headers.get('x-gateway-cache'), 'hit-l1')
  t.equal(await said(again), 'behind a mark')
  t.match(await (await ask({ stream: true })).text(), /behind a mark/)
  t.equal(calls(), 1)
})

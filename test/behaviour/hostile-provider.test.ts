/** Providers that break their format, lie about usage or quote what they were sent: what the client sees, what is paid. */
import t, { type Test } from 'tap'
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'
import { anthropicStream, chatCompletion, chatStream, geminiAnswer, sse, SSE_DONE } from '../helpers/answers.ts'
import { cutAfter, endless, hangUp, ok, status, stream, wrongContentType } from '../helpers/behaviours.ts'
import { startFakeProvider, type Behaviour, type FakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml, type Gateway } from '../helpers/gateway.ts'

const SECRET = 'upstream-credential-42'
const MODEL = '{ name: m, capabilities: [chat, tools, streaming], pricing: { input: "1", output: "2" } }'

async function setUp(
  t: Test,
  type: string,
  secret = SECRET,
  sentBy = 'type: Bearer',
): Promise<{ first: FakeProvider; gateway: Gateway }> {
  const [first, second] = await Promise.all([startFakeProvider(), startFakeProvider()])
  t.teardown(() => Promise.all([first.close(), second.close()]))
  second.otherwise(({ request, ...rest }) =>
    request.json?.['stream'] === true
      ? stream(chatStream(['from the second']))({ request, ...rest })
      : ok(chatCompletion('from the second'))({ request, ...rest }),
  )
  const credentials = `credentials: { ${sentBy}, secretRef: { name: s } }`
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'first', type, url: first.url, priority: 1, models: [MODEL] }).replace(
          'credentials: { type: None }',
          credentials,
        ),
        provider({ name: 'second', url: second.url, priority: 2, models: [MODEL] }),
        `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { apiKey: "\${UPSTREAM}" }\n`,
        virtualKey(),
      ),
    },
    // As a Secret made from a file has it.
    env: { UPSTREAM: `${secret}\n` },
  })
  return { first, gateway }
}

async function tokensOf(gateway: Gateway, response: Response) {
  await response.text()
  const requestId = response.headers.get('x-request-id')
  const audit = await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === requestId)
  return audit['tokens']
}

t.test(
  'a key that a provider quotes is taken out of all that it says, also where its Secret ends in a newline',
  async (t) => {
    const { first, gateway } = await setUp(t, 'OpenAI')
    for (const field of ['message', 'type', 'code', 'param']) {
      first.enqueue(status(400, { error: { message: 'bad', [field]: `your key ${SECRET} is bad` } }))
      const response = await gateway.chat()
      t.equal(response.status, 400)
      const told = await response.text()
      t.notMatch(told, SECRET, field)
      t.match(told, '[secret]', field)
    }
    t.notMatch(gateway.output(), SECRET)
  },
)

t.test('a key that a provider quotes without the scheme that its Secret holds is taken out, too', async (t) => {
  const header = 'type: Header, headerName: authorization'
  const { first, gateway } = await setUp(t, 'OpenAICompatible', `Bearer ${SECRET}`, header)
  first.enqueue(status(400, { error: { message: `Bearer ${SECRET}: your key ${SECRET} is bad` } }))
  const told = await (await gateway.chat()).text()
  t.notMatch(told, SECRET)
  t.match(told, 'your key [secret] is bad')
  t.equal(first.requests[0]?.headers['authorization'], `Bearer ${SECRET}`)
})

t.test('a key that only fills a field, as for a local server, takes nothing out of an error', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI', 'x')
  const error = { message: 'the context is full', type: 'invalid_request_error', code: 'context_length_exceeded' }
  first.enqueue(status(400, { error }))
  t.match(await (await gateway.chat()).json(), { error })
})

t.test('an event that is nested too deep is a failed attempt, not an error of the gateway', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const deep = '['.repeat(30_000) + ']'.repeat(30_000)
  const called = `{"index":0,"id":"c","function":{"name":"f","arguments":${deep}}}`
  first.enqueue(stream([`data: {"id":"x","choices":[{"index":0,"delta":{"tool_calls":[${called}]}}]}\n\n`]))
  const response = await gateway.chat({ stream: true })
  t.equal(response.status, 200)
  t.match(await response.text(), /from the second/)
})

t.test('usage that counts nothing does not make an answer free', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  for (const usage of [
    {},
    { prompt_tokens: '9', completion_tokens: '9' },
    { prompt_tokens: -9, completion_tokens: -9 },
  ]) {
    first.enqueue(ok({ ...chatCompletion('a longer answer than nothing'), usage }))
    t.match(await tokensOf(gateway, await gateway.chat()), { estimated: true, output: 7 })
  }
  for (const completion_tokens of [0, null, '9']) {
    first.enqueue(
      ok({ ...chatCompletion('a longer answer than nothing'), usage: { prompt_tokens: 9, completion_tokens } }),
    )
    t.match(await tokensOf(gateway, await gateway.chat()), { estimated: true, input: 9, output: 7 })
  }
})

t.test('counts that no call can have are estimated, and the log tells of them', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const answer = 'a longer answer than nothing'
  const mad = { prompt_tokens: 1e15, completion_tokens: 1e15 }
  const guessed = { estimated: true, input: 10, output: 7 }
  first.enqueue(ok({ ...chatCompletion(answer), usage: mad }))
  const response = await gateway.chat()
  t.match(await tokensOf(gateway, response), guessed)
  t.equal(response.headers.get('x-gateway-cost-usd'), '0.000024')
  first.enqueue(ok({ ...chatCompletion(answer), usage: { ...mad, prompt_tokens: 9 } }))
  t.match(await tokensOf(gateway, await gateway.chat()), { ...guessed, input: 9 })
  first.enqueue(
    stream([
      sse({ id: 'c', choices: [{ index: 0, delta: { content: answer } }] }),
      sse({ id: 'c', choices: [], usage: mad }),
      SSE_DONE,
    ]),
  )
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), guessed)
  first.enqueue(ok({ ...chatCompletion('{"a":1}'), usage: mad }))
  t.match(await tokensOf(gateway, await gateway.chat({}, { 'x-llm-flags': 'force-json' })), {
    estimated: true,
    output: 2,
  })
  first.enqueue(ok({ ...chatCompletion('no JSON, the first time'), usage: mad }))
  first.enqueue(ok({ ...chatCompletion('{"a":1}'), usage: { prompt_tokens: 5, completion_tokens: 3 } }))
  const repaired = await tokensOf(gateway, await gateway.chat({}, { 'x-llm-flags': 'force-json' }))
  t.match(repaired, { estimated: true, output: 9 })
  const told = gateway.lines.filter((line) => line['msg'] === 'usage not believed')
  const counted = { deployment: 'first/m', inputTokens: 1e9, outputTokens: 1e9 }
  t.match(told, [{ level: 'warn', requestId: response.headers.get('x-request-id'), ...counted }])
  t.equal(told.length, 1)
})

t.test('embeddings whose tokens are counted as no call can have them are estimated', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const model = '{ name: e, capabilities: [embeddings], pricing: { input: "1", output: "0" } }'
  const manifests = { 'all.yaml': yaml(provider({ name: 'first', url: upstream.url, models: [model] }), virtualKey()) }
  const gateway = await startGateway(t, { manifests })
  upstream.otherwise(ok({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1e15 } }))
  const response = await gateway.chat({ model: 'e', input: 'eight by' }, {}, '/v1/embeddings')
  t.match(await tokensOf(gateway, response), { estimated: true, input: 2 })
})

t.test('a byte order mark before an answer does not reach the client', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const mark = '\ufeff'
  const usage = { prompt_tokens: 5, completion_tokens: 3 }
  const answer = JSON.stringify({ ...chatCompletion('marked'), usage })
  const firstByte = async (body: object) => new Uint8Array(await (await gateway.chat(body)).arrayBuffer())[0]
  first.enqueue(status(200, mark + answer))
  t.equal(await firstByte({}), '{'.charCodeAt(0))
  // In pieces, one of them within the mark.
  const bytes = Buffer.from(mark + answer)
  const type = { 'content-type': 'application/json' }
  first.enqueue(stream([bytes.subarray(0, 2), bytes.subarray(2)], { pauseMs: 20, headers: type }))
  t.equal(await firstByte({}), '{'.charCodeAt(0))
  const [head = '', ...rest] = chatStream(['marked'])
  first.enqueue(stream([mark + head, ...rest]))
  t.equal(await firstByte({ stream: true }), 'd'.charCodeAt(0))
})

t.test('a prompt that the provider does not count is charged by estimate', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const messages = [{ role: 'user', content: 'word '.repeat(80) }]
  for (const usage of [
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    { prompt_tokens: 0, completion_tokens: 7 },
    { completion_tokens: 7 },
    { prompt_tokens: null, completion_tokens: 7 },
    { total_tokens: 9 },
  ]) {
    const guessed = { estimated: true, input: 108, output: 7 }
    first.enqueue(ok({ ...chatCompletion('a longer answer than nothing'), usage }))
    t.match(await tokensOf(gateway, await gateway.chat({ messages })), guessed)
    first.enqueue(
      stream([
        sse({ id: 'c', choices: [{ index: 0, delta: { content: 'a longer answer than nothing' } }] }),
        sse({ id: 'c', choices: [], usage }),
        SSE_DONE,
      ]),
    )
    t.match(await tokensOf(gateway, await gateway.chat({ messages, stream: true })), guessed)
  }
})

t.test('an answer that says nothing, and whose usage is not told, has read its prompt', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const messages = [{ role: 'user', content: 'word '.repeat(80) }]
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '' } }
  for (const message of [{ content: '' }, { content: null, tool_calls: [call] }]) {
    first.enqueue(ok({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
    t.match(await tokensOf(gateway, await gateway.chat({ messages })), { estimated: true, input: 108 })
    const delta = { role: 'assistant', ...message }
    first.enqueue(stream([sse({ id: 'c', choices: [{ index: 0, delta, finish_reason: 'stop' }] }), SSE_DONE]))
    t.match(await tokensOf(gateway, await gateway.chat({ messages, stream: true })), { estimated: true, input: 108 })
  }
})

t.test('usage that is told again, and then counts no answer, does not make one free', async (t) => {
  const { first, gateway } = await setUp(t, 'Gemini')
  const counted = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 }
  const candidates = [
    { index: 0, content: { role: 'model', parts: [{ text: 'word '.repeat(200) }] }, finishReason: 'STOP' },
  ]
  first.enqueue(stream([sse({ candidates, usageMetadata: counted }), sse({ usageMetadata: { promptTokenCount: 5 } })]))
  const tokens = await tokensOf(gateway, await gateway.chat({ stream: true }))
  t.match(tokens, { estimated: true, input: 5 })
  t.ok(Object(tokens).output >= 200, JSON.stringify(tokens))
})

t.test('a stream that tells its usage at both ends, and is cut between them, costs what was streamed', async (t) => {
  const { first, gateway } = await setUp(t, 'Anthropic')
  const events = anthropicStream(['word '.repeat(2_000)])
  first.enqueue(cutAfter(events.slice(0, 3), { pauseMs: 5 }))
  const response = await gateway.chat({ stream: true })
  const tokens = await tokensOf(gateway, response)
  t.match(tokens, { estimated: true })
  t.ok(Object(tokens).output >= 2_500, JSON.stringify(tokens))

  first.enqueue(stream(events))
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), { estimated: false, output: 3 })
})

t.test(
  'a whole stream costs what its provider counted, also where a call was put in order after the count',
  async (t) => {
    const input = JSON.stringify({ text: 'word '.repeat(200) })
    const openai = await setUp(t, 'OpenAI')
    const calls = (...pieces: JsonValue[]) => sse({ id: 'c', choices: [{ index: 0, delta: { tool_calls: pieces } }] })
    openai.first.enqueue(
      stream([
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        calls({ index: 1, id: 'b', function: { name: 'g', arguments: input } }),
        sse({ id: 'c', choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } }),
        SSE_DONE,
      ]),
    )
    const told = { estimated: false, output: 7 }
    t.match(await tokensOf(openai.gateway, await openai.gateway.chat({ stream: true })), told)

    const anthropic = await setUp(t, 'Anthropic')
    const block = { type: 'tool_use', id: 'a', name: 'f', input: JSON.parse(input) }
    const events = [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ]
    anthropic.first.enqueue(stream(events.map((event) => sse(event, event.type))))
    t.match(await tokensOf(anthropic.gateway, await anthropic.gateway.chat({ stream: true })), told)
  },
)

t.test('a stream that counts its prompt only, until its end, costs what was streamed when it is cut', async (t) => {
  const { first, gateway } = await setUp(t, 'Gemini')
  const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'word '.repeat(2_000) }] } }]
  const begun = sse({ candidates, usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } })
  first.enqueue(cutAfter([begun], { pauseMs: 5 }))
  const tokens = await tokensOf(gateway, await gateway.chat({ stream: true }))
  t.match(tokens, { estimated: true, input: 5 })
  t.ok(Object(tokens).output >= 2_500, JSON.stringify(tokens))

  first.enqueue(stream([begun, sse(geminiAnswer('end'))]))
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), { estimated: false, output: 3 })
})

t.test('a cut stream of sound, or of the input of a custom tool, costs what was streamed', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  const piece = (delta: JsonObject) => sse({ id: 'c', choices: [{ index: 0, delta }] })
  // Two seconds of PCM with 24,000 samples of 16 bits a second, in base64.
  const data = 'A'.repeat(64_000)
  first.enqueue(
    cutAfter([piece({ audio: { id: 'a', data } }), piece({ audio: { data, transcript: 'word '.repeat(8) } })], {
      pauseMs: 5,
    }),
  )
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), { estimated: true, output: 50 })

  const custom = (input: string) =>
    piece({ tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'f', input } }] })
  first.enqueue(cutAfter([custom('word '.repeat(8)), custom('word '.repeat(8))], { pauseMs: 5 }))
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), { estimated: true, output: 20 })

  const usage = { prompt_tokens: 5, completion_tokens: 7 }
  first.enqueue(stream([custom('word '.repeat(800)), sse({ id: 'c', choices: [], usage }), SSE_DONE]))
  t.match(await tokensOf(gateway, await gateway.chat({ stream: true })), { estimated: false, output: 7 })
})

t.test('what comes before the first content, and what a whole answer holds, is bounded', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  first.enqueue(endless(`data: {"object":"${'x'.repeat(100_000)}"}\n\n`))
  t.match(await (await gateway.chat({ stream: true })).text(), /from the second/)
  first.enqueue(status(200, `{"x":[${'[],'.repeat(1_000_000)}[]],"choices":[{"message":{"content":"dense"}}]}`))
  t.match(await (await gateway.chat()).text(), /from the second/)
})

t.test('nothing passes after the end mark', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  first.enqueue(stream([...chatStream(['before']), ...chatStream(['late'])]))
  const text = await (await gateway.chat({ stream: true })).text()
  t.match(text, /before/)
  t.notMatch(text, /late/)
})

/** The line `msg` of the first provider's failure. A gateway for each: after some failures none would be asked. */
async function failureTold(t: Test, msg: string, stream: boolean, behaviour: Behaviour) {
  const { first, gateway } = await setUp(t, 'OpenAI')
  first.enqueue(behaviour)
  await (await gateway.chat({ stream })).text()
  const line = await gateway.line((candidate) => candidate['msg'] === msg)
  t.notOk('err' in line, 'no place in our code')
  t.notMatch(gateway.output(), 'the prompt')
  return { ...line, detail: String(line['detail']).replaceAll(first.url, 'HOST') }
}

t.test('the log says how an attempt failed, in words of our own', async (t) => {
  const at = 'at HOST/v1/chat/completions'
  const error = { message: 'the prompt', code: 'the prompt' }
  for (const [behaviour, detail] of [
    [hangUp(), 'the connection to the provider at HOST broke (UND_ERR_SOCKET)'],
    [ok({ choices: 'none of the prompt' }), `The provider sent an answer without choices, ${at}: status 200`],
    [ok({ error }), `the provider reported an error in place of an answer, ${at}: status 200`],
    [wrongContentType('<p>the prompt'), `the answer is not a JSON object, ${at}: status 200, text/html`],
    [status(500, { error }), `the provider failed, ${at}: status 500`],
    [status(429, { error }), `the provider takes no more requests at the moment, ${at}: status 429`],
  ] as const)
    t.equal((await failureTold(t, 'provider failed', false, behaviour)).detail, detail)
})

t.test('the log says how a stream broke off', async (t) => {
  const answer = 'HOST/v1/chat/completions: status 200, text/event-stream'
  const broke = 'the connection to the provider at HOST broke (UND_ERR_SOCKET): status 200, text/event-stream'
  const begun = chatStream(['one ', 'two ']).slice(0, 2)
  for (const [behaviour, result, reason, detail] of [
    [cutAfter(begun, { pauseMs: 5 }), 'cut', 'cut', broke],
    [stream(begun), 'cut', 'cut', `the stream ended before the answer was complete, at ${answer}`],
    [
      stream([...begun, sse({ error: { message: 'the prompt' } })]),
      'protocol',
      'protocol',
      `the stream reported an error, at ${answer}`,
    ],
    [stream([...begun, 'data: {no\n\n']), 'error', 'malformed-answer', answer],
  ] as const)
    t.match(await failureTold(t, 'stream failed', true, behaviour), {
      deployment: 'first/m',
      result,
      reason,
      detail,
    })
})

t.test('the log says where to look when a provider refuses the gateway', async (t) => {
  const { first, gateway } = await setUp(t, 'OpenAI')
  first.enqueue(status(401, { error: { message: `a wrong key in ${JSON.stringify('the prompt')}` } }))
  t.equal((await gateway.chat()).status, 200, 'the second answers')
  const line = await gateway.line(({ msg }) => msg === 'provider failed')
  t.equal(line['reason'], 'status-401')
  t.match(
    line['detail'],
    `the provider refuses the Provider's key (credentials.secretRef), at ${first.url}/v1/chat/completions: status 401`,
  )
  t.notMatch(gateway.output(), 'the prompt')
})

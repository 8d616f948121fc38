/** Specification section 4: the Gemini adapter, through the official Google GenAI SDK and plain HTTP. */
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type, type GenerateContentResponse } from '@google/genai'
import t, { type Test } from 'tap'
import {
  anthropicMessage,
  anthropicStream,
  chatCompletion,
  chatStream,
  geminiAnswer,
  sse,
  SSE_DONE,
} from '../helpers/answers.ts'
import { cutAfter, ok, status, stream } from '../helpers/behaviours.ts'
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

const BASE = '/adapters/gemini'

/** One fake behind three providers, a format each: `chat-model`, `claude-model` and `gemini-model`. */
async function start(t: Test) {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const { url } = upstream
  const model = (name: string) => [
    `{ name: ${name}, quality: 0.5, capabilities: [chat, streaming, tools], contextWindow: 1000, maxOutputTokens: 100, pricing: { input: "1", output: "2" } }`,
  ]
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
  const ai = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.url + BASE } })
  return { upstream, gateway, ai }
}

const geminiStream = (texts: readonly string[]): string[] =>
  texts.map((text, index) => {
    const { candidates, ...envelope } = geminiAnswer(text)
    const last = index === texts.length - 1
    return sse(
      last
        ? { candidates, ...envelope }
        : { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }], ...envelope },
    )
  })

const FORMATS = [
  { model: 'chat-model', whole: chatCompletion, chunks: chatStream },
  { model: 'claude-model', whole: anthropicMessage, chunks: anthropicStream },
  { model: 'gemini-model', whole: geminiAnswer, chunks: geminiStream },
] as const

t.test('the official SDK over providers of every format', async (t) => {
  const { upstream, ai } = await start(t)
  for (const { model, whole, chunks } of FORMATS) {
    await t.test(`${model}: a whole answer with usage`, async (t) => {
      upstream.enqueue(ok(whole('good day')))
      const answer = await ai.models.generateContent({ model, contents: `whole, ${model}` })
      t.equal(answer.text, 'good day')
      t.equal(answer.candidates?.[0]?.finishReason, 'STOP')
      t.match(answer.usageMetadata, { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 })
    })

    await t.test(`${model}: a stream whose last chunk has finish and usage`, async (t) => {
      upstream.enqueue(stream(chunks(['good ', 'day'])))
      const answers = await Array.fromAsync(
        await ai.models.generateContentStream({ model, contents: `stream, ${model}` }),
      )
      t.equal(answers.map((answer) => answer.text).join(''), 'good day')
      t.ok(answers.slice(0, -1).every((answer) => answer.candidates?.[0]?.finishReason === undefined))
      t.equal(answers.at(-1)?.candidates?.[0]?.finishReason, 'STOP')
      t.match(answers.at(-1)?.usageMetadata, { promptTokenCount: 5, candidatesTokenCount: 3 })
    })

    await t.test(`${model}: a chat remembers what was streamed`, async (t) => {
      const chat = ai.chats.create({ model })
      upstream.enqueue(stream(chunks(['good ', 'day'])), ok(whole('bye')))
      await Array.fromAsync(await chat.sendMessageStream({ message: `chat, ${model}` }))
      await chat.sendMessage({ message: 'go on' })
      t.match(JSON.stringify(upstream.requests.at(-1)?.json), /good .*day/)
      t.equal(chat.getHistory(true).filter((content) => content.role === 'user').length, 2)
    })
  }
  t.strictSame(upstream.unplanned, [])
})

const weather = {
  name: 'weather',
  description: 'The weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING, nullable: true } }, required: ['city'] },
}

/** Both formats' way of asking for the weather twice. */
const CALLS: Readonly<Record<string, string[]>> = {
  'chat-model': [
    sse({
      id: 'x',
      choices: [
        { index: 0, delta: { role: 'assistant', content: 'Let me see.', tool_calls: [call(0, 'weather', '')] } },
      ],
    }),
    sse({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [call(0, undefined, '{"city":"Ro')] } }] }),
    sse({
      id: 'x',
      choices: [
        { index: 0, delta: { tool_calls: [call(0, undefined, 'me"}'), call(1, 'weather', '{"city":"Oslo"}')] } },
      ],
    }),
    sse({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    sse({ id: 'x', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    SSE_DONE,
  ],
  'gemini-model': [
    sse({
      responseId: 'x',
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Let me see.' },
              { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'c2ln' },
            ],
          },
        },
      ],
    }),
    sse({
      responseId: 'x',
      candidates: [
        {
          content: { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
          finishReason: 'STOP',
        },
      ],
    }),
  ],
}

function call(index: number, name: string | undefined, args: string) {
  return {
    index,
    ...(name === undefined ? {} : { id: `call_${index}`, type: 'function' }),
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  }
}

t.test('function calls are streamed whole, and their results reach the provider with the right calls', async (t) => {
  const { upstream, ai } = await start(t)
  for (const [model, chunks] of Object.entries(CALLS)) {
    await t.test(model, async (t) => {
      upstream.enqueue(stream(chunks))
      const config = {
        tools: [{ functionDeclarations: [weather] }],
        toolConfig: {
          functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] },
        },
      }
      const question = { role: 'user', parts: [{ text: 'Weather in Rome and Oslo?' }] }
      const answers = await Array.fromAsync(
        await ai.models.generateContentStream({ model, contents: [question], config }),
      )
      const calls = answers.flatMap((answer) => answer.functionCalls ?? [])
      t.strictSame(
        calls.map(({ name, args }) => [name, args]),
        [
          ['weather', { city: 'Rome' }],
          ['weather', { city: 'Oslo' }],
        ],
      )
      t.strictSame(lastFinish(answers), 'STOP')

      const said = answers.flatMap((answer) => answer.candidates?.[0]?.content?.parts ?? [])
      const results = ['hot', 'cold'].map((output, index) => ({
        functionResponse: {
          name: 'weather',
          ...(calls[index]?.id === undefined ? {} : { id: calls[index].id }),
          response: { output },
        },
      }))
      upstream.enqueue(ok(model === 'chat-model' ? chatCompletion('done') : geminiAnswer('done')))
      const contents = [question, { role: 'model', parts: said }, { role: 'user', parts: results }]
      t.equal((await ai.models.generateContent({ model, contents, config })).text, 'done')
      checkRound(t, upstream, model)
    })
  }
})

function lastFinish(answers: readonly GenerateContentResponse[]) {
  return answers.at(-1)?.candidates?.[0]?.finishReason
}

function checkRound(t: Test, upstream: FakeProvider, model: string): void {
  const body = upstream.requests.at(-1)?.json ?? {}
  if (model === 'gemini-model') {
    t.match(JSON.stringify(body), /"thoughtSignature":"c2ln"/)
    return
  }
  t.match(body['messages'], [
    { role: 'user', content: 'Weather in Rome and Oslo?' },
    { role: 'assistant', content: 'Let me see.', tool_calls: [{ id: 'call_0' }, { id: 'call_1' }] },
    { role: 'tool', tool_call_id: 'call_0', content: 'hot' },
    { role: 'tool', tool_call_id: 'call_1', content: 'cold' },
  ])
  t.match(body['tools'], [
    {
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: ['string', 'null'] } } } },
    },
  ])
  t.match(body['tool_choice'], { function: { name: 'weather' } })
}

t.test('the models list has the shape of the vendor, in pages', async (t) => {
  const { ai } = await start(t)
  const models = await Array.fromAsync(await ai.models.list({ config: { pageSize: 2 } }))
  t.strictSame(models.map((model) => model.name).toSorted(), [
    'models/auto',
    'models/chat-model',
    'models/claude-model',
    'models/gemini-model',
  ])
  const model = await ai.models.get({ model: 'chat-model' })
  t.match(model, { name: 'models/chat-model', inputTokenLimit: 1000, outputTokenLimit: 100 })
  await t.rejects(ai.models.get({ model: 'other' }), { status: 404, message: /NOT_FOUND.*model_not_found/ })
})

t.test('tokens are counted by a Gemini provider, and estimated elsewhere', async (t) => {
  const { upstream, ai } = await start(t)
  upstream.enqueue(ok({ totalTokens: 31 }))
  t.equal((await ai.models.countTokens({ model: 'gemini-model', contents: 'hello' })).totalTokens, 31)
  t.equal(upstream.requests[0]?.path, '/v1beta/models/gemini-model:countTokens')
  const counted = await ai.models.countTokens({ model: 'chat-model', contents: 'hello, how are you?' })
  t.ok((counted.totalTokens ?? 0) > 0)
  t.equal(upstream.requests.length, 1)
})

t.test('the methods stand under the bare base URL too, where LiteLLM looks for them', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(ok(chatCompletion('good day')))
  const reply = await fetch(`${gateway.url}${BASE}/models/chat-model:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] }),
  })
  t.match(await reply.json(), { candidates: [{ content: { parts: [{ text: 'good day' }] } }] })
})

t.test('models are named with or without their provider, encoded or not, and automatically', async (t) => {
  const { upstream, gateway, ai } = await start(t)
  upstream.otherwise(ok(chatCompletion('x')), { path: '/v1/chat/completions' })
  upstream.otherwise(ok(geminiAnswer('x')), { path: /generateContent/ })
  upstream.otherwise(ok(anthropicMessage('x')), { path: '/v1/messages' })
  for (const name of ['c/chat-model', 'c%2Fchat-model', 'auto', 'chat-model']) {
    const answer = await post(gateway.url, `/v1beta/models/${name}:generateContent`)
    t.equal(answer.status, 200, name)
  }
  t.equal((await ai.models.generateContent({ model: 'models/c/chat-model', contents: 'x' })).text, 'x')
  const v1 = new GoogleGenAI({ apiKey: KEY, apiVersion: 'v1', httpOptions: { baseUrl: gateway.url + BASE } })
  t.equal((await v1.models.generateContent({ model: 'auto', contents: 'y' })).text, 'x')
})

let bodies = 0

/** A question that nobody has asked: a known one would be answered from the cache. */
const newBody = () => ({ contents: [{ role: 'user', parts: [{ text: `hello ${bodies++}` }] }] })

function post(
  url: string,
  path: string,
  headers: Record<string, string> = { 'x-goog-api-key': KEY },
  body: object = newBody(),
) {
  return fetch(`${url}${BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

t.test('without alt=sse the stream is one JSON array, broken streams included', async (t) => {
  const { upstream, gateway } = await start(t)
  upstream.enqueue(
    stream(chatStream(['good ', 'day'])),
    stream(geminiStream(['good ', 'day'])),
    cutAfter(chatStream(['good ']).slice(0, 2)),
  )
  const path = '/v1beta/models/chat-model:streamGenerateContent'
  for (const model of ['chat-model', 'gemini-model']) {
    const answer = await post(gateway.url, `/v1beta/models/${model}:streamGenerateContent`)
    t.match(answer.headers.get('content-type'), /^application\/json/)
    const chunks = (await answer.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[]
    t.equal(chunks.map((chunk) => chunk.candidates[0]?.content.parts[0]?.text).join(''), 'good day')
  }
  const broken = (await (await post(gateway.url, path)).json()) as { error?: { status: string } }[]
  t.equal(broken.at(-1)?.error?.status, 'UNAVAILABLE')
  t.match(
    (await post(gateway.url, `${path}?alt=sse`)).headers.get('content-type'),
    /json/,
    'a refusal before the stream is plain JSON',
  )
})

t.test('a stream that breaks after its first content throws in the SDK', async (t) => {
  const { upstream, ai } = await start(t)
  upstream.enqueue(cutAfter(chatStream(['good ']).slice(0, 2)))
  const answers = await ai.models.generateContentStream({ model: 'chat-model', contents: 'hello' })
  await t.rejects(Array.fromAsync(answers), ApiError)
})

t.test(
  'the key may stand in the header, in the query or as a bearer token, and two different ones are refused',
  async (t) => {
    const { upstream, gateway } = await start(t)
    upstream.otherwise(ok(chatCompletion('x')))
    const path = '/v1beta/models/chat-model:generateContent'
    t.equal((await post(gateway.url, path)).status, 200)
    t.equal((await post(gateway.url, `${path}?key=${KEY}`, {})).status, 200)
    t.equal((await post(gateway.url, path, { authorization: `Bearer ${KEY}` })).status, 200)
    const refused = await post(gateway.url, `${path}?key=other`)
    t.equal(refused.status, 401)
    t.match(await refused.json(), {
      error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'invalid_api_key', domain: 'tollgate' }] },
    })
  },
)

t.test('what is no path of the API is a 404, whatever it tries', async (t) => {
  const { upstream, gateway } = await start(t)
  for (const path of [
    '/v1beta/models/chat-model',
    '/v1beta/models/chat-model:embedContent',
    '/v1beta/models/chat-model:generateContent/',
    '/v1beta/models/chat-model:constructor',
    '/v1beta/models/:generateContent',
    '/v1beta/models//chat-model:generateContent',
    '/v1beta/models/c//chat-model:generateContent',
    '/v1beta/models/c%2F..%2Fchat-model:generateContent',
    '/v1beta/models/%2e%2e:generateContent',
    '/v1beta//models/chat-model:generateContent',
    '/v1beta%2Fmodels/chat-model:generateContent',
    '/V1BETA/models/chat-model:generateContent',
    '/v2/models/chat-model:generateContent',
  ]) {
    const answer = await post(gateway.url, path)
    t.equal(answer.status, 404, path)
    t.match(await answer.json(), { error: { status: 'NOT_FOUND' } }, path)
  }
  t.equal(upstream.requests.length, 0)
})

t.test('refusals have the shape and the status words of Google', async (t) => {
  const { upstream, gateway, ai } = await start(t)
  const bad = await post(
    gateway.url,
    '/v1beta/models/chat-model:generateContent',
    { 'x-goog-api-key': KEY },
    { contents: 'hello' },
  )
  t.equal(bad.status, 400)
  t.match(await bad.json(), {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'invalid_request_error', metadata: { param: 'contents' } }],
    },
  })
  upstream.enqueue(status(400, { error: { code: 400, message: 'no such voice', status: 'FAILED_PRECONDITION' } }))
  await t.rejects(ai.models.generateContent({ model: 'gemini-model', contents: 'x' }), {
    status: 400,
    message: /FAILED_PRECONDITION/,
  })
})

t.test('to a Gemini provider the bytes go as they came, and come back as they are', async (t) => {
  const { upstream, gateway } = await start(t)
  const answer = { ...geminiAnswer('x'), vendorField: { deep: [1, null] } }
  upstream.enqueue(ok(answer))
  const body = {
    ...newBody(),
    system_instruction: { parts: { text: 'Be brief.' } },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    generation_config: { top_k: 3, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    cachedContent: 'cachedContents/1',
    future: [{ a: true }],
  }
  const received = await post(
    gateway.url,
    '/v1beta/models/gemini-model:generateContent',
    { 'x-goog-api-key': KEY },
    body,
  )
  t.strictSame(await received.json(), answer)
  const { generation_config, ...rest } = upstream.requests[0]?.json ?? {}
  const { generation_config: sent, ...others } = body
  t.strictSame(rest, others)
  t.match(generation_config, sent)
  t.equal(upstream.requests[0]?.headers['x-goog-api-key'], undefined)
})

t.test('an answer from the cache is whole or streamed, whichever way it came first', async (t) => {
  const { upstream, ai } = await start(t)
  for (const { model, whole, chunks } of FORMATS) {
    for (const first of ['whole', 'stream'] as const) {
      upstream.enqueue(first === 'whole' ? ok(whole('good day')) : stream(chunks(['good ', 'day'])))
      const contents = `${first} first, ${model}`
      const ask = async () => (await ai.models.generateContent({ model, contents })).text
      const askStream = async () => {
        const answers = await Array.fromAsync(await ai.models.generateContentStream({ model, contents }))
        t.equal(lastFinish(answers), 'STOP')
        return answers.map((answer) => answer.text).join('')
      }
      for (const one of first === 'whole' ? [ask, askStream, ask] : [askStream, ask, askStream]) {
        t.equal(await one(), 'good day', contents)
      }
    }
  }
  t.equal(upstream.requests.length, 6)
})

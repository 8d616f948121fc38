import t from 'tap'
import type { Test } from 'tap'
import { startDemoProvider } from '../../src/demo-provider/server.ts'
import type { DemoProviderOptions } from '../../src/demo-provider/server.ts'
import { requestBytes, sendRaw } from '../helpers/raw-http.ts'

const CHAT = '/v1/chat/completions'

async function demo(test: Test, options: Partial<DemoProviderOptions> = {}) {
  const provider = await startDemoProvider({ port: 0, name: 'demo-a', pieceDelayMs: 0, ...options })
  test.teardown(() => provider.close())
  return provider.url
}

async function post(url: string, path: string, body: unknown) {
  const response = await fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
}

/** The data documents of an event stream. */
function eventsOf(text: string) {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice(6)))
}

const user = (content: unknown) => ({ role: 'user', content })
const WEATHER = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1 },
      unit: { enum: ['celsius', 'kelvin'] },
    },
    required: ['city', 'days', 'unit'],
  },
}

t.test(
  'a chat completion says the last user text back, with usage and a name that tells it is a demo',
  async (test) => {
    const url = await demo(test)
    const { json } = await post(url, CHAT, {
      model: 'demo-small',
      messages: [user('old'), user([{ type: 'text', text: 'hi' }, { type: 'image_url' }])],
    })
    test.match(json, {
      object: 'chat.completion',
      model: 'demo-small',
      system_fingerprint: 'tollgate-demo-provider',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'demo-provider demo-a here. You said: hi (and 1 attachment)' },
          finish_reason: 'stop',
        },
      ],
    })
    test.equal(json.usage.total_tokens, json.usage.prompt_tokens + json.usage.completion_tokens)
  },
)

t.test('a chat stream joins to the whole answer, with usage only where it is asked for', async (test) => {
  const url = await demo(test)
  const body = { model: 'demo-large', messages: [user('a stream, please')], stream: true }
  const plain = await post(url, CHAT, body)
  const text = eventsOf(plain.text)
    .map((chunk) => chunk.choices[0].delta.content ?? '')
    .join('')
  test.equal(text, 'demo-provider demo-a here. You said: a stream, please')
  test.ok(plain.text.endsWith('data: [DONE]\n\n'))
  test.notMatch(plain.text, 'usage')
  const withUsage = eventsOf((await post(url, CHAT, { ...body, stream_options: { include_usage: true } })).text)
  test.match(withUsage.at(-1), { choices: [], usage: { total_tokens: Number } })
  test.equal(withUsage[0].usage, null)
})

t.test('max_tokens and stop cut the text, and n gives several choices', async (test) => {
  const url = await demo(test)
  const ask = (fields: object) => post(url, CHAT, { model: 'demo-small', messages: [user('one two three')], ...fields })
  test.match((await ask({ max_tokens: 2 })).json, {
    choices: [{ finish_reason: 'length', message: { content: 'demo-provide' } }],
    usage: { completion_tokens: 2 },
  })
  test.match((await ask({ stop: ['two'] })).json, {
    choices: [{ finish_reason: 'stop', message: { content: /one $/ } }],
  })
  test.equal((await ask({ n: 3 })).json.choices.length, 3)
  test.equal((await ask({ max_tokens: 0 })).status, 400)
})

t.test('a tool that the prompt names is called with arguments from the prompt, whole and streamed', async (test) => {
  const url = await demo(test)
  const body = {
    model: 'demo-small',
    messages: [user('please get weather for Rome, 3 days, in kelvin')],
    tools: [{ type: 'function', function: WEATHER }],
  }
  const { json } = await post(url, CHAT, body)
  test.match(json.choices[0], {
    finish_reason: 'tool_calls',
    message: { content: null, tool_calls: [{ id: /^call_/, type: 'function', function: { name: 'get_weather' } }] },
  })
  test.strictSame(JSON.parse(json.choices[0].message.tool_calls[0].function.arguments), {
    city: 'Rome',
    days: 3,
    unit: 'kelvin',
  })
  const parts = eventsOf((await post(url, CHAT, { ...body, stream: true })).text).flatMap(
    (chunk) => chunk.choices[0].delta.tool_calls ?? [],
  )
  test.match(parts[0], { index: 0, id: /^call_/, function: { name: 'get_weather' } })
  test.strictSame(JSON.parse(parts.map((part) => part.function.arguments).join('')), {
    city: 'Rome',
    days: 3,
    unit: 'kelvin',
  })
})

t.test('a redaction token in the prompt becomes the argument', async (test) => {
  const url = await demo(test)
  const tool = {
    type: 'function',
    function: { name: 'send_mail', parameters: { type: 'object', properties: { to: { type: 'string' } } } },
  }
  const { json } = await post(url, CHAT, {
    model: 'demo-small',
    messages: [user('Use send_mail to write to [[LLM_REDACTED_EMAIL_a1B2c3D4]]')],
    tools: [tool],
  })
  test.equal(json.choices[0].message.tool_calls[0].function.arguments, '{"to":"[[LLM_REDACTED_EMAIL_a1B2c3D4]]"}')
})

t.test('tool results are answered in words, and tool_choice none is obeyed', async (test) => {
  const url = await demo(test)
  const tools = [{ type: 'function', function: WEATHER }]
  const results = [
    user('get_weather in Rome'),
    { role: 'assistant', tool_calls: [] },
    { role: 'tool', tool_call_id: 'x', content: 'sunny' },
  ]
  const content = async (fields: object) =>
    (await post(url, CHAT, { model: 'demo-small', tools, ...fields })).json.choices[0].message.content
  test.match(await content({ messages: results }), 'The tool answered: sunny')
  test.match(await content({ messages: [user('get_weather')], tool_choice: 'none' }), 'You said: get_weather')
  test.equal(await content({ messages: [user('hello')], tool_choice: 'required' }), null)
})

t.test('response_format gives JSON that fulfils the schema, also when the system text asks in words', async (test) => {
  const url = await demo(test)
  const schema = {
    type: 'object',
    required: ['name', 'tags', 'size', 'child'],
    properties: {
      name: { type: 'string', maxLength: 5 },
      tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 },
      size: { type: 'integer', minimum: 7 },
      child: { $ref: '#/$defs/child' },
    },
    $defs: {
      child: {
        type: 'object',
        properties: { when: { type: 'string', format: 'date' }, next: { $ref: '#/$defs/child' } },
      },
    },
  }
  const ask = async (fields: object) =>
    JSON.parse(
      (await post(url, CHAT, { model: 'demo-small', messages: [user('hello world')], ...fields })).json.choices[0]
        .message.content,
    )
  test.match(await ask({ response_format: { type: 'json_object' } }), { echo: 'hello world' })
  const expected = { name: 'hello', tags: ['a', 'a'], size: 7, child: { when: '2026-01-15' } }
  test.match(await ask({ response_format: { type: 'json_schema', json_schema: { schema } } }), expected)
  const system = { role: 'system', content: `Answer with JSON only, by this schema: ${JSON.stringify(schema)}` }
  test.match(await ask({ messages: [system, user('hello world')] }), expected)
})

t.test('every third call fails where that is asked for, and "fail with 429" fails at once', async (test) => {
  const url = await demo(test, { failEvery: 3 })
  const ask = async (text: string) => (await post(url, CHAT, { model: 'demo-small', messages: [user(text)] })).status
  test.strictSame([await ask('1'), await ask('2'), await ask('3'), await ask('4')], [200, 200, 500, 200])
  test.equal(await ask('please fail with 429'), 429)
})

t.test('an Anthropic message has the whole event grammar, tools and usage', async (test) => {
  const url = await demo(test)
  const body = { model: 'demo-small', max_tokens: 100, system: 'short', messages: [user('hi')] }
  test.match((await post(url, '/v1/messages', body)).json, {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: /You said: hi$/ }],
    stop_reason: 'end_turn',
    usage: { input_tokens: Number, output_tokens: Number },
  })
  const events = eventsOf((await post(url, '/v1/messages', { ...body, stream: true })).text)
  const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1])
  test.strictSame(types, [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const tools = [{ name: 'get_weather', input_schema: WEATHER.parameters }]
  const called = await post(url, '/v1/messages', { ...body, tools, messages: [user('get_weather city=Oslo')] })
  test.match(called.json, {
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'get_weather', input: { city: 'Oslo', days: 1, unit: 'celsius' } }],
  })
  const result = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'rain' }] }],
  }
  test.match(
    (await post(url, '/v1/messages', { ...body, tools, messages: [result] })).json.content[0].text,
    'answered: rain',
  )
  test.match((await post(url, '/v1/messages/count_tokens', body)).json, { input_tokens: Number })
  test.match((await post(url, '/v1/messages', { ...body, messages: [] })).json, {
    type: 'error',
    error: { type: 'invalid_request_error' },
  })
})

t.test('a Gemini answer has its shape, whole and streamed', async (test) => {
  const url = await demo(test)
  const path = '/v1beta/models/demo-small'
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
  test.match((await post(url, `${path}:generateContent`, body)).json, {
    candidates: [{ content: { role: 'model', parts: [{ text: /You said: hi$/ }] }, finishReason: 'STOP' }],
    usageMetadata: { totalTokenCount: Number },
  })
  const events = eventsOf((await post(url, `${path}:streamGenerateContent?alt=sse`, body)).text)
  test.match(events.map((event) => event.candidates[0].content.parts[0].text).join(''), /You said: hi$/)
  test.match(events.at(-1), { candidates: [{ finishReason: 'STOP' }], usageMetadata: {} })
  const tools = [
    {
      functionDeclarations: [
        { name: 'get_weather', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
      ],
    },
  ]
  const called = await post(url, `${path}:generateContent`, {
    contents: [{ parts: [{ text: 'get_weather in Lima' }] }],
    tools,
  })
  test.match(called.json.candidates[0].content.parts, [
    { functionCall: { name: 'get_weather', args: { city: 'Lima' } } },
  ])
  test.match((await post(url, '/v1beta/models/other:generateContent', body)).json, {
    error: { code: 404, status: 'NOT_FOUND' },
  })
})

t.test('the models list names the demo as its owner, in each vendor’s shape', async (test) => {
  const url = await demo(test)
  const list = async (path: string, headers: Record<string, string> = {}): Promise<unknown> =>
    (await fetch(url + path, { headers })).json()
  test.match(await list('/v1/models'), {
    object: 'list',
    data: [{ id: 'demo-small', owned_by: 'tollgate-demo-provider' }, { id: 'demo-large' }],
  })
  test.match(await list('/v1/models', { 'anthropic-version': '2023-06-01' }), {
    data: [{ type: 'model', display_name: /demo-provider/ }],
  })
  test.match(await list('/v1beta/models'), { models: [{ name: 'models/demo-small' }] })
})

t.test('bad input gets a clear refusal', async (test) => {
  const url = await demo(test)
  const message = async (body: unknown) => (await post(url, CHAT, body)).json.error.message
  test.match(await message('{"model":'), 'must be a JSON object')
  test.match(await message('[]'), 'must be a JSON object')
  test.match(await message({ model: 'gpt-9', messages: [user('x')] }), "'gpt-9' does not exist")
  test.match(await message({ model: 'demo-small', messages: 'x' }), "'messages' must be a list of objects")
  test.equal((await post(url, '/v1/other', {})).status, 404)
  const proto =
    '{"model":"demo-small","messages":[{"role":"user","content":"call x"}],"tools":[{"type":"function","function":{"name":"x","parameters":{"required":["__proto__","constructor"]}}}]}'
  test.equal((await post(url, CHAT, proto)).status, 200)
})

t.test('a body beyond the limit is refused without being read to its end', async (test) => {
  const url = await demo(test)
  const headers: [string, string][] = [['Content-Length', String(1e12)]]
  const response = await sendRaw(url, [
    requestBytes('POST', CHAT, headers),
    ...Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, 32)),
  ])
  test.equal(response.status, 413)
})

import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { traitsOf } from '../../../../src/domain/formats/messages/model-traits.ts'
import { DEFAULT_MAX_TOKENS } from '../../../../src/domain/formats/messages/request-translate.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.ts'

const user = { role: 'user', content: 'Hello' }
const OLD = 'claude-sonnet-4-5-20250929'
const NEW = 'claude-opus-4-8'
const TARGET: RenderTarget = {
  model: OLD,
  maxOutputTokens: undefined,
  defaultMaxOutputTokens: undefined,
  stream: false,
}

function fromChat(document: JsonObject, target: Partial<RenderTarget> = {}) {
  return messages.renderRequest(chatCompletions.parseRequest({ messages: [user], ...document }), {
    ...TARGET,
    ...target,
  })
}

const messagesOf = (list: JsonValue | undefined) => asArray(list).map((item) => asObject(item))

/** The messages that a chat-completions conversation becomes. */
const turns = (...list: JsonObject[]): JsonValue | undefined => fromChat({ messages: list }).document.messages

const fields = (rendered: { warnings: readonly { field: string }[] }): string[] =>
  rendered.warnings.map((warning) => warning.field)

t.test('the output limit is the binding one, then the client’s, the model’s, a constant', async (test) => {
  const limit = (target: Partial<RenderTarget>, document: JsonObject = {}) =>
    fromChat(document, target).document.max_tokens
  test.equal(limit({ maxOutputTokens: 1, defaultMaxOutputTokens: 3 }, { max_tokens: 2 }), 1)
  test.equal(limit({ defaultMaxOutputTokens: 3 }, { max_tokens: 2 }), 2)
  test.equal(limit({ defaultMaxOutputTokens: 3 }), 3)
  test.equal(limit({}), DEFAULT_MAX_TOKENS)
  test.equal(limit({}, { reasoning_effort: 'high' }), DEFAULT_MAX_TOKENS + 16_384)
})

t.test('effort becomes a budget for models that think by budget', async (test) => {
  const thinking = (document: JsonObject) => fromChat({ max_tokens: 100_000, ...document }).document.thinking
  test.strictSame(thinking({ reasoning_effort: 'minimal' }), { type: 'enabled', budget_tokens: 1024 })
  test.strictSame(thinking({ reasoning_effort: 'medium' }), { type: 'enabled', budget_tokens: 8192 })
  test.strictSame(thinking({ reasoning: { max_tokens: 3000 } }), { type: 'enabled', budget_tokens: 3000 })
  test.strictSame(thinking({ reasoning: { max_tokens: 3 } }), { type: 'enabled', budget_tokens: 1024 })
  test.equal(thinking({ reasoning_effort: 'none' }), undefined)
  test.equal(thinking({}), undefined)
  const small = fromChat({ reasoning_effort: 'high', max_tokens: 1000 })
  test.equal(small.document.thinking, undefined)
  test.strictSame(fields(small), ['reasoning'])
})

t.test('a limit that binds leaves the answer a fifth of it', async (test) => {
  const budget = (document: JsonObject, target: Partial<RenderTarget> = {}) =>
    asObject(fromChat(document, target).document.thinking)?.budget_tokens
  for (const [limit, most] of [
    [1279, undefined],
    [1280, 1024],
    [3000, 2400],
    [8193, 6554],
    [10_240, 8192],
    [20_000, 8192],
  ] as const) {
    test.equal(budget({ reasoning_effort: 'medium', max_tokens: limit }), most, `the client's ${limit}`)
    test.equal(budget({ reasoning_effort: 'medium' }, { maxOutputTokens: limit }), most, `what is left: ${limit}`)
    test.equal(budget({ reasoning_effort: 'medium' }, { defaultMaxOutputTokens: limit }), most, `the model's ${limit}`)
  }
  // In tokens the client has said itself what is to be left.
  test.equal(budget({ reasoning: { max_tokens: 3000 }, max_tokens: 3001 }), 3000)
  test.equal(budget({ reasoning: { max_tokens: 3000 }, max_tokens: 3000 }), 2400)
  test.equal(budget({ reasoning: { max_tokens: 3 }, max_tokens: 1025 }), undefined)
})

t.test('effort stays a word for models that think by effort', async (test) => {
  const asked = (document: JsonObject) => {
    const { thinking, output_config: config } = fromChat(document, { model: NEW }).document
    return { thinking, config }
  }
  const adaptive = { type: 'adaptive' }
  test.strictSame(asked({ reasoning_effort: 'low' }), { thinking: adaptive, config: { effort: 'low' } })
  for (const effort of ['xhigh', 'max'])
    test.strictSame(asked({ reasoning_effort: effort }), { thinking: adaptive, config: { effort: 'max' } })
  test.strictSame(asked({ reasoning: { max_tokens: 9000 } }), { thinking: adaptive, config: { effort: 'high' } })
  test.strictSame(asked({ reasoning_effort: 'none' }), { thinking: { type: 'disabled' }, config: undefined })
  const always = fromChat({ reasoning_effort: 'none' }, { model: 'claude-fable-5' })
  test.match(always.document, { thinking: undefined, output_config: { effort: 'low' } })
  test.strictSame(fields(always), ['reasoning'])
})

t.test('what the vendor refuses beside thinking makes thinking give way', async (test) => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const forced = fromChat({ reasoning_effort: 'low', tools, tool_choice: 'required' })
  test.strictSame([forced.document.thinking, fields(forced)], [undefined, ['reasoning']])
  const conversation = [user, toolCall('a'), { role: 'tool', tool_call_id: 'a', content: 'x' }]
  test.equal(fromChat({ reasoning_effort: 'low', messages: conversation }).document.thinking, undefined)
  const goesOn = [...conversation, user]
  test.equal(fromChat({ reasoning_effort: 'low', messages: goesOn }).document.thinking, undefined, 'and so behind it')
  const begun = [user, { role: 'assistant', content: 'The answer is' }]
  const prefilled = fromChat({ reasoning_effort: 'low', messages: begun })
  test.strictSame([prefilled.document.thinking, fields(prefilled)], [undefined, ['reasoning']], 'and the last word')
  test.ok(fromChat({ reasoning_effort: 'low', messages: begun }, { model: NEW }).document.thinking)
  test.ok(fromChat({ reasoning_effort: 'low', messages: [{ role: 'system', content: 'x' }] }).document.thinking)
  const over = [...conversation, { role: 'assistant', content: 'y' }, user]
  test.ok(fromChat({ reasoning_effort: 'low', messages: over }).document.thinking)
  test.ok(fromChat({ reasoning_effort: 'low', messages: conversation }, { model: NEW }).document.thinking)
  test.equal(fromChat({ reasoning_effort: 'low' }, { model: 'claude-3-5-haiku-20241022' }).document.thinking, undefined)
})

t.test('sampling parameters that the model or the format refuses are left out by name', async (test) => {
  const sampling = {
    temperature: 1.5,
    top_p: 0.9,
    top_k: 5,
    seed: 1,
    presence_penalty: 1,
    frequency_penalty: 0,
    n: 2,
    stop: [' \n', 'END'],
  }
  const old = fromChat(sampling)
  test.match(old.document, { temperature: 1, top_k: 5, stop_sequences: ['END'] })
  test.notOk('top_p' in old.document)
  test.strictSame(fields(old).toSorted(), ['n', 'presence_penalty', 'seed', 'stop', 'temperature', 'top_p'])
  const fresh = fromChat(sampling, { model: NEW })
  for (const field of ['temperature', 'top_p', 'top_k']) test.notOk(field in fresh.document)
  test.match(fromChat({ top_p: 0.5 }).document, { top_p: 0.5 })
  test.match(fromChat({ temperature: 0, top_p: 0.5 }, { model: 'glm-5' }).document, { temperature: 0 })
})

t.test('models are told apart by their names', async (test) => {
  const table: Record<string, [string, boolean, boolean]> = {
    'claude-3-5-sonnet-20241022': ['none', true, true],
    'claude-3-haiku-20240307': ['none', true, true],
    'claude-2.1': ['none', true, true],
    'claude-3-7-sonnet-latest': ['budget', true, true],
    'claude-sonnet-4-20250514': ['budget', true, true],
    'claude-opus-4-1-20250805': ['budget', true, true],
    'claude-opus-4-0': ['budget', true, true],
    'anthropic.claude-haiku-4-5-20251001-v1:0': ['budget', true, true],
    'claude-sonnet-4@20250514': ['budget', true, true],
    'claude-4-sonnet': ['budget', true, true],
    'anthropic/claude-4.5-sonnet-20250929': ['budget', true, true],
    'claude-sonnet-3.7': ['budget', true, true],
    'claude-haiku-3.5': ['none', true, true],
    'claude-opus-3': ['none', true, true],
    'claude-4.6-opus-20260205': ['adaptive', true, false],
    'claude-4.7-opus': ['adaptive', false, false],
    'claude-opus-30': ['adaptive', false, false],
    'claude-opus-4-6': ['adaptive', true, false],
    'claude-sonnet-4-6-20260217': ['adaptive', true, false],
    'claude-opus-4-7': ['adaptive', false, false],
    'claude-opus-4-10': ['adaptive', false, false],
    'claude-sonnet-5': ['adaptive', false, false],
    'claude-new-6': ['adaptive', false, false],
    'claude-opus-latest': ['adaptive', false, false],
    'claude-mock': ['adaptive', true, true],
    'kimi-k2': ['budget', true, true],
  }
  for (const [name, [thinking, sampling, lastWord]] of Object.entries(table)) {
    test.match(traitsOf(name), { thinking, sampling, lastWord }, name)
  }
})

const toolCall = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } })),
})
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: `r ${id}` })
const resultBlock = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `r ${id}` })

t.test('results of parallel calls become one turn, before what the user adds', async (test) => {
  const [, calls, results, ...rest] = [
    ...(turns(user, toolCall('a', 'b'), user, result('a'), result('b'), user) as JsonValue[]),
  ]
  test.match(calls, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: { a: 1 } }, { id: 'b' }] })
  const hello = { type: 'text', text: 'Hello' }
  test.strictSame(results, { role: 'user', content: [resultBlock('a'), resultBlock('b'), hello, hello] })
  test.strictSame(rest, [])
})

t.test('the white space of a turn that comes back in the pieces of its stream stays', async (test) => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const pieces = ['\n', 'Dear', ' ', 'Ada', '\n\n', '- one', '\n', ' '].map((text) => ({ type: 'text', text }))
  const result = { role: 'tool', tool_call_id: 'a', content: 'r' }
  const [, answer] = messagesOf(turns(user, { role: 'assistant', content: pieces, tool_calls: [call] }, result))
  test.match(answer?.content, [{ text: 'Dear ' }, { text: 'Ada\n\n' }, { text: '- one\n ' }, { type: 'tool_use' }])

  const contents = pieces.map((piece) => ({ role: 'model', parts: [{ text: piece.text }] }))
  const chat = [{ role: 'user', parts: [{ text: 'Hello' }] }, ...contents, { role: 'user', parts: [{ text: 'go' }] }]
  const rendered = renderRequestFor('messages', generateContent.parseRequest({ contents: chat }, {}), TARGET)
  const [, told] = messagesOf(rendered.document.messages)
  test.match(told?.content, [{ text: 'Dear ' }, { text: 'Ada\n\n' }, { text: '- one\n ' }])
})

t.test('where tools were called and none is offered, Claude is told of those, and can call none', async (test) => {
  const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } })
  const list = [
    user,
    { role: 'assistant', content: null, tool_calls: [call('a', 'f'), call('b', 'ns.g'), call('c', 'f')] },
    ...['a', 'b', 'c'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' })),
  ]
  const sent = (fields: JsonObject, model = OLD) =>
    renderRequestFor('messages', chatCompletions.parseRequest({ messages: list, ...fields }), { ...TARGET, model })
  const rendered = sent({})
  const input_schema = { type: 'object', properties: {} }
  test.strictSame(rendered.document.tools, [
    { name: 'f', input_schema },
    { name: 'ns_g', input_schema },
  ])
  test.strictSame(rendered.document.tool_choice, { type: 'none' })
  test.strictSame(fields(rendered), ['tools'])
  const tools = [{ type: 'function', function: { name: 'h' } }]
  test.match(sent({ tools }).document, { tools: [{ name: 'h' }], tool_choice: undefined })
  test.equal(sent({}, 'glm-4.6').document.tools, undefined, "other vendors' servers do not demand it")
  test.equal(fromChat({ messages: [user] }).document.tools, undefined)
})

t.test('white space between what the user says stays', async (test) => {
  const text = (value: string) => ({ type: 'text', text: value })
  const image = { type: 'image_url', image_url: { url: 'https://a.test/a.png' } }
  const content: JsonObject[] = [...['\n', 'Dear', ' ', '', 'Ada'].map(text), image, text(' ')]
  const source = { type: 'url', url: 'https://a.test/a.png' }
  const said = [text('Dear '), text('Ada'), { type: 'image', source }]
  test.strictSame(turns({ role: 'user', content }), [{ role: 'user', content: said }])
})

t.test('neighbours of one role become one turn, and empty texts none', async (test) => {
  test.strictSame(
    turns(
      { role: 'user', content: ' ' },
      user,
      { role: 'user', content: '' },
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b \n' },
    ),
    [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  )
})

t.test('instructions inside the conversation keep their place, also between a call and its result', async (test) => {
  const system = { role: 'system', content: 'Be polite.' }
  const text = { type: 'text', text: '<system>\nBe polite.\n</system>' }
  test.strictSame(turns(user, system, { role: 'assistant', content: 'a' }, user), [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }, text] },
    { role: 'assistant', content: 'a' },
    user,
  ])
  test.match(turns(user, toolCall('a'), system, result('a')), [{}, {}, { content: [resultBlock('a'), text] }])
})

t.test(
  'a conversation that begins with the assistant, or holds instructions alone, is made one that is taken',
  async (test) => {
    test.match(turns({ role: 'assistant', content: 'a' }, user), [{ role: 'user' }, { role: 'assistant' }, user])
    const { document } = fromChat({ messages: [{ role: 'system', content: 'Say hello.' }] })
    test.strictSame(document.messages, [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }])
    test.notOk('system' in document)
  },
)

t.test(
  'ids and arguments that the vendor refuses are made ones that it takes, the same for call and result',
  async (test) => {
    const call = {
      role: 'assistant',
      tool_calls: [{ id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '{"a' } }],
    }
    test.match(turns(user, call, result('functions.f:0')), [
      user,
      { content: [{ id: 'functions_2ef_3a0', input: { invalid_json: '{"a' } }] },
      { content: [{ tool_use_id: 'functions_2ef_3a0' }] },
    ])
  },
)

t.test('tools, tool choice, images and a schema are translated', async (test) => {
  const { document } = fromChat({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }],
    tools: [
      {
        type: 'function',
        function: { name: 'f', description: 'd', strict: true, parameters: { properties: {} } },
        cache_control: { type: 'ephemeral' },
      },
      { type: 'function', function: { name: 'g' } },
    ],
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: false,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', schema: { type: 'object', properties: { type: { type: 'object' } } } },
    },
    user: 'u',
  })
  test.strictSame(document.tools, [
    {
      name: 'f',
      description: 'd',
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
      strict: true,
      cache_control: { type: 'ephemeral' },
    },
    { name: 'g', input_schema: { type: 'object', properties: {} } },
  ])
  test.strictSame(document.tool_choice, { type: 'tool', name: 'f', disable_parallel_tool_use: true })
  test.strictSame(document.metadata, { user_id: 'u' })
  test.match(document.messages, [
    { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
  ])
  const closed = { type: 'object', additionalProperties: false }
  test.strictSame(document.output_config, {
    format: { type: 'json_schema', schema: { ...closed, properties: { type: closed } } },
  })
})

t.test('an image goes by the name of its type that the vendor takes', async (test) => {
  for (const [given, expected] of [
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPG', 'image/jpeg'],
    ['image/jpeg', 'image/jpeg'],
    ['image/png', 'image/png'],
  ]) {
    const url = `data:${given};base64,AAAA`
    test.strictSame(turns({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }), [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: expected, data: 'AAAA' } }],
      },
    ])
  }
})

t.test('the words of tool choice', async (test) => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const choice = (fields: JsonObject) => fromChat({ tools, ...fields }).document.tool_choice
  test.strictSame(choice({ tool_choice: 'required' }), { type: 'any' })
  test.strictSame(choice({ tool_choice: 'none', parallel_tool_calls: false }), { type: 'none' })
  test.strictSame(choice({ parallel_tool_calls: false }), { type: 'auto', disable_parallel_tool_use: true })
  test.equal(choice({}), undefined)
  test.equal(fromChat({ tool_choice: 'auto' }).document.tool_choice, undefined)
})

t.test(
  'a messages request keeps its conversation, tools and limits on the way through chat-completions',
  async (test) => {
    const document = {
      max_tokens: 100,
      system: 'Short.',
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: [1] } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'found' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
    }
    const chat = chatCompletions.renderRequest(messages.parseRequest(document), { ...TARGET, model: 'gpt' })
    test.strictSame(chat.warnings, [])
    const back = messages.renderRequest(chatCompletions.parseRequest(chat.document), { ...TARGET, model: OLD })
    test.strictSame(back, { document: { ...document, model: OLD }, warnings: [] })
  },
)

t.test('a text file is sent as its text, another file but a PDF not at all', async (test) => {
  const file = (type: string, data: string) => ({
    role: 'user',
    content: [user.content, { type: 'file', file: { filename: 'a', file_data: `data:${type};base64,${data}` } }].map(
      (part) => (typeof part === 'string' ? { type: 'text', text: part } : part),
    ),
  })
  const source = { type: 'text', media_type: 'text/plain', data: 'é' }
  test.match(turns(file('text/markdown', 'w6k=')), [{ content: [{}, { type: 'document', title: 'a', source }] }])
  for (const [type, data] of [
    ['text/plain', '/w=='],
    ['text/plain', '!'],
    ['video/mp4', 'AAAA'],
  ] as const) {
    const rendered = fromChat({ messages: [file(type, data)] })
    test.strictSame([rendered.document.messages, fields(rendered)], [[user], ['messages[0].content[1]']])
  }
})

t.test('arguments keep their digits, without a warning', async (test) => {
  const call = (text: string) => ({
    messages: [
      user,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }] },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  for (const text of ['{"id":12345678901234567890}', '{"id":"12345678901234567890","n":9007199254740991}']) {
    const rendered = fromChat(call(text))
    test.strictSame(fields(rendered), [])
    test.match(JSON.stringify(rendered.document), `"input":${text}`)
  }
})

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})

t.test('what Claude refuses in a schema of the answer is told in its description', async (test) => {
  const sent = (schema: JsonObject, model = OLD) => {
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } }
    const { document, warnings } = fromChat({ response_format }, { model })
    const { format } = document.output_config as { format: { schema: JsonObject } }
    return { schema: format.schema, fields: fields({ warnings }) }
  }
  const table: [came: JsonObject, goes: JsonObject, isWhole?: boolean][] = [
    [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'integer', description: '{minimum: 1, maximum: 9}' }, false],
    [
      { type: 'string', description: 'd', minLength: 2, format: 'iri' },
      { type: 'string', description: 'd\n\n{minLength: 2, format: "iri"}' },
      false,
    ],
    [
      { type: 'array', items: { minimum: 1 }, minItems: 1 },
      { type: 'array', items: { description: '{minimum: 1}' }, minItems: 1 },
      false,
    ],
    [{ type: 'array', minItems: 2 }, { type: 'array', description: '{minItems: 2}' }, false],
    [{ enum: [{ a: 1 }] }, { description: '{enum: [{"a":1}]}' }, false],
    [{ const: { a: 1 } }, { description: '{const: {"a":1}}' }, false],
    [{ type: 'object', properties: { a: {} }, additionalProperties: true }, object({ a: {} }), false],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', additionalProperties: { type: 'integer' } },
      false,
    ],
    [{ type: ['object', 'null'], properties: {} }, object({}, { type: ['object', 'null'] })],
    [{ oneOf: [{ const: 1 }, { type: 'null' }] }, { anyOf: [{ const: 1 }, { type: 'null' }] }],
    [{ allOf: [{ type: 'object' }] }, { allOf: [{ type: 'object', additionalProperties: false }] }],
    [{ $ref: '#/$defs/a', description: 'd' }, { $ref: '#/$defs/a' }],
    [{ $ref: '#/$defs/a', required: ['b'] }, { $ref: '#/$defs/a' }, false],
    [
      { const: 1, examples: [1] },
      { const: 1, description: '{examples: [1]}' },
    ],
    [
      { type: 'object', properties: { minimum: { enum: [1] } }, title: 't', default: {} },
      object({ minimum: { enum: [1] } }, { title: 't', default: {} }),
    ],
  ]
  for (const [came, goes, isWhole = true] of table) {
    const { schema, fields: warned } = sent(object({ a: came }, { $defs: { a: came } }))
    test.strictSame(schema, object({ a: goes }, { $defs: { a: goes } }), JSON.stringify(came))
    test.strictSame(warned, isWhole ? [] : ['response_format'], JSON.stringify(came))
  }
  const bounds = object({ a: { type: 'integer', minimum: 1 } })
  test.strictSame(sent(bounds, 'glm-5'), { schema: bounds, fields: [] }, 'other vendors have limits of their own')
  test.strictSame(
    sent({ ...bounds, anyOf: 1, $defs: 1 }).schema.anyOf,
    1,
    'what is no schema is the vendor’s to refuse',
  )
})

t.test('a tool is strict where Claude takes its schema, and keeps it whole where not', async (test) => {
  const sent = (parameters: JsonObject, model = OLD) => {
    const rendered = fromChat(
      { tools: [{ type: 'function', function: { name: 'f', strict: true, parameters } }] },
      { model },
    )
    const [tool] = rendered.document.tools as JsonObject[]
    return [tool?.input_schema, tool?.strict, fields(rendered)]
  }
  const taken = object({ a: { type: 'string', format: 'date' } }, { required: ['a'] })
  test.strictSame(sent(taken), [taken, true, []])
  test.strictSame(sent({ ...taken, additionalProperties: undefined }), [taken, true, []])
  const map = { type: 'object', additionalProperties: { type: 'string' } }
  for (const inner of [{ type: 'integer', maximum: 9 }, { type: ['string', 'null'], maxLength: 2 }, map]) {
    test.strictSame(sent(object({ a: inner })), [object({ a: inner }), undefined, ['tools[0].strict']])
    test.strictSame(sent(object({ a: inner }), 'glm-5'), [object({ a: inner }), true, []])
  }
})

t.test(
  'behind the model’s own turn at the end a user’s is put for the models that refuse to go on with it',
  async (test) => {
    const answer = { role: 'assistant', content: 'The answer is' }
    const sent = (model: string, ...list: JsonObject[]) => fromChat({ messages: [user, ...list] }, { model })
    for (const model of ['claude-opus-4-6', 'claude-sonnet-4-6', NEW, 'claude-sonnet-5']) {
      const rendered = sent(model, answer)
      test.strictSame(rendered.document.messages, [user, answer, { role: 'user', content: '(Continue.)' }], model)
      test.strictSame(fields(rendered), ['messages[1]'], model)
    }
    for (const model of [OLD, 'claude-haiku-4-5', 'claude-3-5-sonnet-latest', 'claude-mock', 'deepseek-chat']) {
      test.strictSame(sent(model, answer).document.messages, [user, answer], model)
    }
    test.equal((sent(NEW, toolCall('a')).document.messages as JsonValue[]).length, 2, 'calls without results')
    const first = sent(NEW, { role: 'assistant', content: '' }, { role: 'assistant', content: 'x' }, user)
    test.match(first.document.messages, [user, { role: 'assistant', content: 'x' }, user])
    test.strictSame(fields(first), [])
  },
)

t.test('calls that a server gave no id have one that the vendor takes, each its own', async (test) => {
  const conversation = { messages: [user, toolCall('', ''), result(''), result('')] }
  const { document } = renderRequestFor('messages', chatCompletions.parseRequest(conversation), TARGET)
  const [, calls, results] = document['messages'] as JsonValue[]
  test.match(calls, { content: [{ id: '_' }, { id: '_2' }] })
  test.match(results, { content: [{ tool_use_id: '_' }, { tool_use_id: '_2' }] })
})

t.test('what the newest Claude refuses, and what the older ones know not, is said otherwise to each', async (test) => {
  const newest = { model: 'claude-opus-5-5' }
  test.strictSame(fields(fromChat({ reasoning_effort: 'none' }, newest)), ['reasoning'])
  const sonnet = fromChat({ reasoning_effort: 'none' }, { model: 'claude-sonnet-5-5' })
  test.strictSame(sonnet.document.thinking, { type: 'between_tools' })
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } })
  const tools = [tool('f'), tool('g')]
  const forced = fromChat({ tools, tool_choice: 'required', reasoning_effort: 'low' }, newest)
  test.match(forced.document, { tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' } })
  test.strictSame(fields(forced), ['tool_choice'])
  const one = fromChat({ tools, tool_choice: { type: 'function', function: { name: 'g' } } }, newest)
  test.match(one.document, { tools: [{ name: 'g' }], tool_choice: { type: 'auto' } })
  test.equal(asArray(one.document.tools).length, 1)

  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } }
  const strict = [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }]
  const told = fromChat({ response_format, tools: strict }, { model: 'claude-sonnet-4-20250514' })
  test.strictSame(fields(told), ['tools[0].strict', 'response_format'])
  test.match(told.document, { output_config: undefined, system: /JSON schema: \{"type":"object"/ })
  test.strictSame(fields(fromChat({ response_format, tools: strict }, { model: 'claude-opus-4-1' })), [])
})

import fc from 'fast-check'
import t from 'tap'
import type { FormatName } from '../../../../src/domain/completion/request.ts'
import { InvalidRequestError } from '../../../../src/domain/errors.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { asArray, type JsonObject, type JsonValue } from '../../../../src/domain/json.ts'
import { fixture } from '../golden.ts'

const user = { role: 'user', content: 'Hello' }
const NO_TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }

const full = (): JsonObject => JSON.parse(fixture('chat-completions/requests/full.json'))

function render(document: JsonObject, target: Partial<RenderTarget>): JsonObject {
  const { document: rendered } = chatCompletions.renderRequest(chatCompletions.parseRequest(document), {
    ...NO_TARGET,
    ...target,
  })
  return rendered
}

const refused: { param: string; document: JsonObject }[] = [
  { param: 'messages', document: {} },
  { param: 'messages', document: { messages: [] } },
  { param: 'messages', document: { messages: 'Hello' } },
  { param: 'messages', document: { messages: Array.from({ length: 100_001 }, () => user) } },
  { param: 'messages[1]', document: { messages: [user, null] } },
  { param: 'messages[0].role', document: { messages: [{ content: 'Hello' }] } },
  { param: 'messages[0].role', document: { messages: [{ role: 'robot', content: 'Hello' }] } },
  { param: 'messages[0].content', document: { messages: [{ role: 'user', content: 1 }] } },
  { param: 'messages[0].content', document: { messages: [{ role: 'user' }] } },
  { param: 'messages[0].content', document: { messages: [{ role: 'system', content: null }, user] } },
  { param: 'messages[1].content', document: { messages: [user, { role: 'user', content: null }] } },
  { param: 'messages[1].content', document: { messages: [user, { role: 'developer' }] } },
  { param: 'messages[0].content[0]', document: { messages: [{ role: 'user', content: ['Hello'] }] } },
  { param: 'messages[0].content[0].type', document: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] } },
  {
    param: 'messages[1].content[1].text',
    document: {
      messages: [user, { role: 'user', content: [{ type: 'image_url', image_url: 'x' }, { type: 'text' }] }],
    },
  },
  {
    param: 'messages[0].content[0].image_url.url',
    document: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
  },
  {
    param: 'messages[0].content[0].input_audio.format',
    document: { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: '' } }] }] },
  },
  {
    param: 'messages[0].content[0].file',
    document: { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
  },
  { param: 'messages[0].tool_call_id', document: { messages: [{ role: 'tool', content: 'x' }] } },
  { param: 'messages[0].tool_calls[0].id', document: { messages: [{ role: 'assistant', tool_calls: [{}] }] } },
  {
    param: 'messages[0].tool_calls[0].function.arguments',
    document: {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }] },
      ],
    },
  },
  { param: 'model', document: { messages: [user], model: 5 } },
  { param: 'model', document: { messages: [user], model: '' } },
  { param: 'stream', document: { messages: [user], stream: 'true' } },
  { param: 'stream_options.include_usage', document: { messages: [user], stream_options: { include_usage: 1 } } },
  { param: 'max_tokens', document: { messages: [user], max_tokens: 0 } },
  { param: 'max_completion_tokens', document: { messages: [user], max_completion_tokens: 1.5 } },
  { param: 'n', document: { messages: [user], n: 129 } },
  { param: 'temperature', document: { messages: [user], temperature: 'hot' } },
  { param: 'stop', document: { messages: [user], stop: 5 } },
  { param: 'stop[1]', document: { messages: [user], stop: ['a', 5] } },
  { param: 'response_format.type', document: { messages: [user], response_format: {} } },
  { param: 'response_format.json_schema', document: { messages: [user], response_format: { type: 'json_schema' } } },
  {
    param: 'response_format.json_schema.name',
    document: { messages: [user], response_format: { type: 'json_schema', json_schema: {} } },
  },
  { param: 'tools[0].type', document: { messages: [user], tools: [{}] } },
  { param: 'tools[0].function.name', document: { messages: [user], tools: [{ type: 'function', function: {} }] } },
  { param: 'functions[0].name', document: { messages: [user], functions: [{}] } },
  { param: 'tool_choice', document: { messages: [user], tool_choice: 5 } },
  { param: 'tool_choice.function', document: { messages: [user], tool_choice: { type: 'function' } } },
  { param: 'user', document: { messages: [user], user: 5 } },
]

for (const [index, { param, document }] of refused.entries()) {
  t.test(`a wrong ${param} is refused by its path (${index})`, async (test) => {
    try {
      chatCompletions.parseRequest(document)
      test.fail('it was taken')
    } catch (error) {
      test.ok(error instanceof InvalidRequestError)
      test.match(error, { code: 'invalid_request_error', details: { param } })
    }
  })
}

t.test('null means absent for every optional field', async (test) => {
  const fields = [
    'model',
    'stream',
    'stream_options',
    'max_tokens',
    'n',
    'stop',
    'tools',
    'tool_choice',
    'response_format',
    'user',
  ]
  const document = { messages: [user], ...Object.fromEntries(fields.map((field) => [field, null])) }
  const { source: _one, ...neutral } = chatCompletions.parseRequest(document)
  const { source: _other, ...plain } = chatCompletions.parseRequest({ messages: [user] })
  test.strictSame(neutral, plain)
})

t.test('a request that needs no change is the source document itself', async (test) => {
  const document = full()
  test.equal(render(document, { model: 'gpt-5', stream: true }), document)
  test.equal(render(document, { model: 'gpt-5', stream: true, maxOutputTokens: 500 }), document)
  test.equal(render(document, { model: 'gpt-5', stream: true, maxOutputTokens: 501 }), document)
})

t.test('rendering patches a copy that shares what it does not change', async (test) => {
  const known = () => ({ ...full(), messages: asArray(full().messages).slice(1) })
  const document = known()
  const rendered = render(document, { model: 'other', stream: true, maxOutputTokens: 100 })
  test.strictSame(rendered, { ...known(), model: 'other', max_completion_tokens: 100 })
  test.equal(rendered.messages, document.messages)
  test.strictSame(document, known(), 'the source is as it was')
})

t.test('usage is asked of every stream, and no options go with a plain answer', async (test) => {
  const asked = { messages: [user], stream: true, stream_options: { include_usage: false, include_obfuscation: false } }
  test.strictSame(render(asked, { stream: true }).stream_options, { include_usage: true, include_obfuscation: false })
  test.strictSame(render({ messages: [user] }, { stream: true }), {
    messages: [user],
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
  })
  test.strictSame(render(asked, { stream: false }), { messages: [user], model: 'm', stream: false })
})

t.test(
  'the output limit is lowered where the client put it, and added in the field that the provider knows',
  async (test) => {
    const limited = (fields: JsonObject, target: Partial<RenderTarget>) => {
      const { max_tokens, max_completion_tokens } = render({ model: 'm', messages: [user], ...fields }, target)
      return [max_tokens, max_completion_tokens]
    }
    test.strictSame(limited({ max_tokens: 50 }, { maxOutputTokens: 10 }), [10, undefined])
    test.strictSame(limited({ max_tokens: 50, max_completion_tokens: 5 }, { maxOutputTokens: 10 }), [10, 5])
    test.strictSame(limited({ max_tokens: null }, { maxOutputTokens: 10 }), [10, undefined])
    const newer = { maxOutputTokens: 10, outputLimitField: 'max_completion_tokens' } as const
    test.strictSame(limited({}, newer), [undefined, 10])
    test.strictSame(limited({ max_tokens: 50 }, newer), [10, undefined])
    test.strictSame(limited({ max_tokens: 50 }, {}), [50, undefined])
  },
)

t.test('parse then render keeps every field that nobody knows, prototype keys included', async (test) => {
  const document = fc.record({
    model: fc.constant('m'),
    messages: fc.array(
      fc
        .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.string())
        .map(([extra, content]) => ({ ...extra, role: 'user', content, name: 'x' })),
      { minLength: 1, maxLength: 5 },
    ),
    x_extra: fc.jsonValue(),
    ['__proto__']: fc.jsonValue(),
  })
  fc.assert(
    fc.property(document, (made) => {
      const source: JsonObject = JSON.parse(JSON.stringify(made))
      const before = JSON.stringify(source)
      test.equal(JSON.stringify(render(source, {})), before)
      test.equal(JSON.stringify(render({ ...source, model: 'x' }, {})), JSON.stringify({ ...source, model: 'm' }))
    }),
    { numRuns: 50 },
  )
})

t.test("another vendor's long id of the end user is left out, with a warning", async (test) => {
  const document = { model: 'm', max_tokens: 9, messages: [user] }
  for (const [length, fields] of [
    [64, []],
    [155, ['user']],
  ] as const) {
    const request = messages.parseRequest({ ...document, metadata: { user_id: 'u'.repeat(length) } })
    const rendered = chatCompletions.renderRequest(request, NO_TARGET)
    test.strictSame(
      rendered.warnings.map(({ field }) => field),
      fields,
    )
    test.equal(rendered.document.user, fields.length > 0 ? undefined : 'u'.repeat(length))
  }
})

t.test('what another format sends is rendered with a warning for each loss', async (test) => {
  const format: FormatName = 'messages'
  const request = {
    ...chatCompletions.parseRequest({ messages: [user] }),
    source: { format, document: {} },
    messages: [
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', isError: true, content: [{ type: 'text', text: 'no' }] },
          {
            type: 'tool-result',
            toolCallId: 'b',
            content: [{ type: 'image', media: { type: 'base64', mediaType: 'image/png', data: 'AA==' } }],
          },
        ],
      },
    ],
    sampling: { topK: 5, stop: ['1', '2', '3', '4', '5'] },
    reasoning: { budgetTokens: 4000 },
  } as const
  const { document, warnings } = chatCompletions.renderRequest(request, NO_TARGET)
  test.strictSame(document, {
    model: 'm',
    messages: [
      { role: 'tool', tool_call_id: 'a', content: 'Error: no' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
    ],
    stop: ['1', '2', '3', '4'],
    reasoning_effort: 'medium',
  } satisfies Record<string, JsonValue>)
  test.strictSame(
    warnings.map((warning) => warning.field),
    ['messages[0].content[0].is_error', 'reasoning.budget', 'top_k', 'stop'],
  )
})

t.test('a text in base64 is sent as its text: the vendor takes PDF files only', async (test) => {
  const format: FormatName = 'generate-content'
  const sent = (mediaType: string, data: string, name?: string) => {
    const media = { type: 'base64' as const, mediaType, data }
    const part = { type: 'document' as const, media, ...(name === undefined ? {} : { name }) }
    const request = {
      ...chatCompletions.parseRequest({ messages: [user] }),
      source: { format, document: {} },
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'read' }, part] }],
    }
    const { document, warnings } = chatCompletions.renderRequest(request, NO_TARGET)
    test.strictSame(warnings, [])
    return document.messages
  }
  const turn = (part: JsonObject) => [{ role: 'user', content: [{ type: 'text', text: 'read' }, part] }]
  test.strictSame(sent('text/plain', 'w6k='), turn({ type: 'text', text: 'é' }))
  test.strictSame(sent('text/csv; charset=utf-8', 'YSxi', 'a.csv'), turn({ type: 'text', text: 'a.csv\na,b' }))
  for (const [type, data, name, filename] of [
    ['text/plain', '/w==', undefined, 'document'],
    // By whose end the vendor tells what a file is.
    ['application/pdf', 'JVBERi0=', undefined, 'document.pdf'],
    ['application/pdf', 'JVBERi0=', 'Report of 1.5', 'Report of 1.5.pdf'],
    ['application/pdf', 'JVBERi0=', 'R.PDF', 'R.PDF'],
  ] as const) {
    const file = { filename, file_data: `data:${type};base64,${data}` }
    test.strictSame(sent(type, data, name), turn({ type: 'file', file }))
  }
})

t.test('a choice among some tools: another format is shown no others', async (test) => {
  const tool = (name: string) => ({ type: 'function', function: { name } })
  const tools = [tool('f'), tool('g'), tool('h')]
  const choice = (mode: string) => ({ type: 'allowed_tools', allowed_tools: { mode, tools: [tool('f'), tool('h')] } })
  for (const [mode, type] of [
    ['required', 'any'],
    ['auto', 'auto'],
  ] as const) {
    const request = chatCompletions.parseRequest({ messages: [user], tools, tool_choice: choice(mode) })
    test.strictSame(request.tools.length, 3)
    const { document, warnings } = messages.renderRequest(request, NO_TARGET)
    test.match(document, { tools: [{ name: 'f' }, { name: 'h' }], tool_choice: { type } })
    test.equal((document.tools as JsonValue[]).length, 2)
    test.strictSame(warnings, [])
    const back = chatCompletions.renderRequest({ ...request, source: { format: 'messages', document: {} } }, NO_TARGET)
    test.strictSame(back.document.tools, [tool('f'), tool('h')])
    test.equal(back.document.tool_choice, mode)
  }
  for (const [names, fields] of [
    [['f', 'g'], []],
    [['f', 'x'], ['tool_choice']],
    [['x'], ['tool_choice']],
  ] as const) {
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: names.map(tool) } }
    const request = chatCompletions.parseRequest({ messages: [user], tools, tool_choice: allowed })
    const { warnings } = renderRequestFor('messages', request, NO_TARGET)
    test.strictSame(
      warnings.map(({ field }) => field),
      fields,
    )
  }
  const flat = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }, 1] }
  const { toolChoice } = chatCompletions.parseRequest({ messages: [user], tools, tool_choice: flat })
  test.strictSame(toolChoice, { type: 'required', among: ['g'] })
})

t.test(
  'a schema is read as other servers take it, stays as it is for them, and is carried to other vendors',
  async (t) => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } } }
    const text = JSON.stringify(schema)
    const forms: [fields: JsonObject, name?: string][] = [
      [{ response_format: { type: 'json_schema', schema } }],
      [{ response_format: { type: 'json_schema', value: { name: 'x', schema } } }, 'x'],
      [{ response_format: { type: 'json_schema', value: { schema } } }],
      [{ response_format: { type: 'json_schema', value: schema } }],
      [{ response_format: { type: 'json_object', schema } }],
      [{ response_format: { type: 'json_object', value: schema } }],
      [{ response_format: { type: 'json_schema', json_schema: null, schema } }],
      [{ response_format: { type: 'text', json_schema: null }, guided_json: schema }],
      [{ response_format: { type: 'json', value: text } }],
      [{ guided_json: schema }],
      [{ guided_json: text, response_format: { type: 'text' } }],
      [{ json_schema: schema }],
      [{ structured_outputs: { json: schema } }],
      [{ nvext: { guided_json: schema } }],
    ]
    for (const [fields, name = 'answer'] of forms) {
      const document: JsonObject = { messages: [user], ...structuredClone(fields) }
      const request = chatCompletions.parseRequest(document)
      t.strictSame(request.responseFormat, { type: 'json-schema', name, schema }, JSON.stringify(fields))
      t.match(request.source.document, fields)
      t.strictSame(chatCompletions.unmodelledFields(document), [], JSON.stringify(fields))
      for (const responseFormat of [{ type: 'json' as const }, request.responseFormat]) {
        t.match(chatCompletions.reviseRequest(document, responseFormat ? { responseFormat } : {}), fields)
      }
      const warned = renderRequestFor('messages', request, {
        ...NO_TARGET,
        model: 'claude-sonnet-4-5',
        maxOutputTokens: 10,
      })
      t.match(warned.document, {
        output_config: { format: { type: 'json_schema', schema: { properties: schema.properties } } },
      })
      t.strictSame(warned.warnings, [])
    }
  },
)

t.test('where both stand, OpenAI’s counts; what is no schema is left to the server that takes it', async (t) => {
  const schema = { type: 'object' }
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } }
  const both = chatCompletions.parseRequest({ messages: [user], response_format, guided_json: { type: 'array' } })
  t.strictSame(both.responseFormat, { type: 'json-schema', name: 'n', schema })
  for (const other of [{ schema: 'no JSON' }, { schema: 7 }, { value: [schema] }]) {
    const document = { messages: [user], response_format: { type: 'json_schema', ...other } }
    t.equal(chatCompletions.parseRequest(document).responseFormat, undefined)
    t.match(chatCompletions.unmodelledFields(document), [{ field: 'response_format' }])
    t.equal(chatCompletions.asksForJson?.(document), true)
  }
  t.throws(() => chatCompletions.parseRequest({ messages: [user], response_format: { type: 'json_schema' } }))
  for (const none of [{ guided_json: false }, { guided_json: '' }, { json_schema: null }]) {
    const document = { messages: [user], ...none }
    t.equal(chatCompletions.asksForJson?.(document), false)
    const revised = chatCompletions.reviseRequest(document, { responseFormat: { type: 'json' } })
    t.strictSame(revised.response_format, { type: 'json_object' })
  }
})

t.test('a schema in a text is read within the bounds of a document', async (t) => {
  const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const formatOf = (text: string) =>
    chatCompletions.parseRequest({ messages: [user], guided_json: text }).responseFormat
  t.match(formatOf(nested(127)), { type: 'json-schema', schema: { not: {} } })
  const beyond = [nested(128), nested(3_000), '['.repeat(3_000_000), `{"enum":[1${',1'.repeat(500_000)}]}`]
  for (const text of beyond) {
    t.equal(formatOf(text), undefined)
    const document = { messages: [user], response_format: { type: 'json_object', schema: text } }
    t.strictSame(chatCompletions.parseRequest(document).responseFormat, { type: 'json' })
    t.match(chatCompletions.unmodelledFields(document), [{ field: 'response_format' }])
  }
})

t.test('an effort that no other format has is told of', async (t) => {
  const told = (effort: string) => {
    const document = { messages: [], reasoning_effort: effort }
    return chatCompletions.unmodelledFields(document).map(({ field }) => field)
  }
  t.strictSame(['max', 'none', 'ultra'].map(told), [[], [], ['reasoning_effort']])
})

t.test('no field has the provider choose another model than the gateway has', async (t) => {
  const document = { model: 'm', messages: [user], models: ['dear'], route: 'fallback', fallbacks: ['dear'], top_a: 1 }
  const { document: sent, warnings } = chatCompletions.renderRequest(chatCompletions.parseRequest(document), NO_TARGET)
  t.strictSame(sent, { model: 'm', messages: [user], top_a: 1 })
  t.strictSame(
    warnings.map(({ field }) => field),
    ['models', 'route', 'fallbacks'],
  )
  const nothing = { model: 'm', messages: [user], models: null }
  t.strictSame(chatCompletions.renderRequest(chatCompletions.parseRequest(nothing), NO_TARGET).warnings, [])
})

t.test('n_predict, which llama.cpp obeys before any other limit, counts as one and goes as one', async (t) => {
  for (const [limits, read, maxOutputTokens, sent] of [
    [{ n_predict: 50 }, 50, undefined, { max_tokens: 50 }],
    [{ n_predict: 50 }, 50, 20, { max_tokens: 20 }],
    [{ n_predict: 50, max_tokens: 10 }, 10, undefined, { max_tokens: 10 }],
    [{ n_predict: 50, max_completion_tokens: null }, 50, undefined, { max_completion_tokens: null, max_tokens: 50 }],
    [{ n_predict: -1 }, undefined, 20, { max_tokens: 20 }],
    [{ n_predict: -1 }, undefined, undefined, {}],
    [{ n_predict: 'x' }, undefined, undefined, {}],
  ] as const) {
    const document = { model: 'm', messages: [user], ...limits }
    t.equal(chatCompletions.parseRequest(document).sampling.maxOutputTokens, read, JSON.stringify(limits))
    t.strictSame(render(document, { maxOutputTokens }), { model: 'm', messages: [user], ...sent })
  }
})

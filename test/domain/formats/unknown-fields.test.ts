import t from 'tap'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import type { TextSpan } from '../../../src/domain/completion/text-span.ts'
import { clientFormatOf, formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const EMAIL = 'bob@b.example'

/** What a server that speaks a format of another vendor may put into the prompt. */
const UNKNOWN: JsonObject = {
  chat_template_kwargs: { note: EMAIL, documents: [{ [EMAIL]: EMAIL }], customer_id: EMAIL, id: EMAIL, n: 3 },
  chat_template: `{{ '${EMAIL}' }}`,
  suffix: EMAIL,
  user_id: EMAIL,
  type: EMAIL,
  [EMAIL]: 1,
}

const REQUESTS: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': { model: 'm', messages: [], instructions: EMAIL },
  messages: { model: 'm', max_tokens: 1, messages: [], prompt: EMAIL },
  'generate-content': { contents: [], input: EMAIL },
  responses: { model: 'm', input: [], messages: EMAIL },
}

for (const [name, known] of Object.entries(REQUESTS)) {
  const format = clientFormatOf(name as FormatName)
  t.test(`${name}: fields of the request that the vendor does not know are texts of the user`, async (t) => {
    const document: JsonObject = { ...structuredClone(known), ...structuredClone(UNKNOWN) }
    const spans: TextSpan[] = []
    const changed = format.visitRequestText(document, (span) => {
      spans.push(span)
      return span.text.replaceAll(EMAIL, '[[X]]')
    })
    t.ok(changed)
    const expected = JSON.stringify({ ...known, ...UNKNOWN }).replaceAll(EMAIL, '[[X]]')
    t.strictSame(document, JSON.parse(expected))
    t.strictSame(new Set(spans.map(({ scope, role }) => `${scope} ${role}`)), new Set(['message user']))
  })
}

const NOTE: JsonObject = { note: EMAIL, note_id: EMAIL, inner: { id: EMAIL, [EMAIL]: [EMAIL] } }

/** Everywhere in what is otherwise the vendor's. */
const DEFINITIONS: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': {
    tools: [
      { type: 'function', ...NOTE, function: { name: 'f', description: EMAIL, ...NOTE } },
      { type: 'custom', ...NOTE, custom: { name: 'c', description: EMAIL, ...NOTE } },
      { type: 'mcp', server_description: EMAIL, description: EMAIL, instructions: EMAIL },
    ],
    response_format: {
      type: 'json_schema',
      ...NOTE,
      schema: { title: EMAIL },
      json_schema: {
        name: 'n',
        description: EMAIL,
        schema: { 'x-note': EMAIL, items: { errorMessage: EMAIL } },
        ...NOTE,
      },
    },
  },
  messages: {
    tools: [
      { name: 'f', input_schema: { 'x-note': EMAIL }, ...NOTE },
      { type: 'custom', name: 'g', input_schema: {}, ...NOTE },
      { type: 'web_search_20250305', name: 'web_search', description: EMAIL },
    ],
    output_config: { effort: 'low', ...NOTE, format: { type: 'json_schema', schema: { title: EMAIL }, ...NOTE } },
  },
  responses: {
    tools: [
      { type: 'function', name: 'f', description: EMAIL, parameters: { 'x-note': EMAIL }, ...NOTE },
      { type: 'custom', name: 'c', description: EMAIL, ...NOTE },
      { type: 'mcp', server_description: EMAIL, description: EMAIL, instructions: EMAIL },
    ],
    text: {
      ...NOTE,
      format: { type: 'json_schema', name: 'n', description: EMAIL, schema: { title: EMAIL }, ...NOTE },
    },
  },
  'generate-content': {
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { 'x-note': EMAIL }, ...NOTE }] }],
    generationConfig: { responseJsonSchema: { title: EMAIL }, _responseJsonSchema: { title: EMAIL }, ...NOTE },
  },
}

for (const [name, definitions] of Object.entries(DEFINITIONS)) {
  t.test(`${name}: so are those of tools and of the form of the answer`, async (t) => {
    const document = structuredClone(definitions)
    const scopes = new Set<string>()
    clientFormatOf(name as FormatName).visitRequestText(document, ({ scope, text }) => {
      scopes.add(scope)
      return text.replaceAll(EMAIL, '[[X]]')
    })
    t.strictSame(document, JSON.parse(JSON.stringify(definitions).replaceAll(EMAIL, '[[X]]')))
    t.strictSame([...scopes], ['tool-definition'])
  })
}

t.test('grammars and settings stay as they are', async (t) => {
  const document: JsonObject = {
    model: 'm',
    messages: [],
    guided_regex: EMAIL,
    guided_grammar: EMAIL,
    grammar: EMAIL,
    ebnf: EMAIL,
    regex: EMAIL,
    structured_outputs: { regex: EMAIL, grammar: EMAIL, structural_tag: EMAIL, whitespace_pattern: EMAIL },
    response_format: {
      type: 'regex',
      value: EMAIL,
      grammar: EMAIL,
      pattern: EMAIL,
      structures: [{ begin: EMAIL }],
      triggers: [EMAIL],
    },
    guided_json: { properties: { [EMAIL]: { pattern: EMAIL, format: EMAIL, $ref: EMAIL } }, required: [EMAIL] },
    data_sources: [
      { type: 'azure_search', parameters: { authentication: { type: 'api_key', key: EMAIL }, endpoint: EMAIL } },
    ],
    tools: [
      { type: 'function', function: { name: EMAIL, parameters: { properties: { [EMAIL]: {} } }, strict: true } },
      { type: 'custom', custom: { name: EMAIL, format: { type: 'grammar', grammar: { definition: EMAIL } } } },
      { type: 'mcp', server_url: EMAIL, headers: { Authorization: EMAIL }, authorization: EMAIL },
    ],
    seed: 1,
    n: 2,
  }
  const named = { type: 'json_schema', value: { name: EMAIL, schema: { pattern: EMAIL, required: [EMAIL] } } }
  const visited: string[] = []
  for (const request of [document, { messages: [], response_format: named }]) {
    formatOf('chat-completions').visitRequestText(request, ({ text }) => (visited.push(text), text))
  }
  t.strictSame(visited, [])
})

t.test('the words beside them are texts', async (t) => {
  const schema = { properties: { a: { description: EMAIL, enum: [EMAIL] } } }
  const document: JsonObject = {
    model: 'm',
    messages: [],
    guided_json: schema,
    response_format: { type: 'json', value: schema },
    json_schema: JSON.stringify(schema),
    structured_outputs: { json: schema, choice: [EMAIL], note: EMAIL },
    data_sources: [
      { note: EMAIL, parameters: { role_information: EMAIL, filter: `author eq '${EMAIL}'`, other: { a_id: EMAIL } } },
    ],
    documents: [
      { id: EMAIL, customer_id: EMAIL, type: EMAIL, signature: EMAIL, title: EMAIL, data: { user_id: EMAIL } },
    ],
    prediction: { type: 'content', content: EMAIL, note_id: EMAIL },
    tools: [{ type: 'function', function: { name: 'f', note: { [EMAIL]: EMAIL } } }],
  }
  const expected = JSON.stringify(document).replaceAll(EMAIL, '[[X]]')
  formatOf('chat-completions').visitRequestText(document, ({ text }) => text.replaceAll(EMAIL, '[[X]]'))
  t.strictSame(document, JSON.parse(expected))
})

t.test('what is not of the form that is known is text', async (t) => {
  for (const fields of [
    { structured_outputs: EMAIL, data_sources: EMAIL },
    { structured_outputs: [EMAIL], data_sources: [EMAIL], guided_json: [EMAIL] },
    { response_format: { type: 'json_object', json_schema: EMAIL, schema: EMAIL } },
    { response_format: { type: 'json_object', json_schema: [EMAIL] } },
    { response_format: { type: 'json', value: JSON.stringify({ description: EMAIL }) } },
    { response_format: { type: 'json_object', value: EMAIL } },
    { response_format: { value: [EMAIL] } },
    { response_format: { type: 'regex', value: { description: EMAIL } } },
    { response_format: { type: 'json_schema', value: { name: 'n', schema: { items: [EMAIL] }, note: EMAIL } } },
    { prediction: EMAIL },
    { prediction: [{ type: 'content', content: EMAIL }] },
    { prediction: { type: 'content', content: { text: EMAIL } } },
    { prediction: { type: 'content', content: [{ type: 'text', text: EMAIL }, EMAIL], note: EMAIL } },
    { data_sources: [{ parameters: { authentication: EMAIL } }, { parameters: EMAIL }] },
    {
      tools: [
        { type: 'custom', custom: EMAIL },
        { type: 'function', function: [EMAIL] },
      ],
    },
    { response_format: { type: 'structural_tag', structures: EMAIL } },
    { response_format: { type: 'structural_tag', structures: [{ begin: '<f>', end: '</f>', note: EMAIL }, EMAIL] } },
    {
      response_format: {
        type: 'structural_tag',
        structures: [{ begin: '<f>', schema: { description: EMAIL, enum: [EMAIL] }, end: '</f>' }],
      },
    },
  ]) {
    const document: JsonObject = structuredClone(fields)
    formatOf('chat-completions').visitRequestText(document, ({ text }) => text.replaceAll(EMAIL, '[[X]]'))
    t.strictSame(document, JSON.parse(JSON.stringify(fields).replaceAll(EMAIL, '[[X]]')))
  }
})

t.test(
  'what stands in calls and parts beside what vendors know is text, ids and addresses that they know stay',
  async (t) => {
    const seen = 'a@seen.example'
    const address = `https://media.example/${seen}?sig=${seen}`
    const signed = { extra_content: { google: { thought_signature: seen, ...NOTE }, ...NOTE } }
    const specific = { provider_specific_fields: { thought_signature: seen, ...NOTE } }
    const call = { name: seen, arguments: '{}', ...NOTE, ...specific }
    const calls = [
      { id: seen, type: 'function', index: 0, function: call, ...NOTE, ...signed, ...specific },
      { id: seen, type: 'custom', custom: { name: seen, input: 'x', ...NOTE } },
      { id: seen, type: 'function', function: call, extra_content: EMAIL },
      { id: seen, type: 'function', function: EMAIL, custom: [EMAIL], extra_content: { google: EMAIL } },
    ]
    const parts = [
      { type: 'file', file: { filename: EMAIL, file_id: 'file-1', ...NOTE } },
      { type: 'image_url', image_url: { url: address, detail: 'low', ...NOTE } },
      { type: 'image_url', image_url: address },
      { type: 'video_url', video_url: { url: address, ...NOTE } },
      { type: 'audio_url', audio_url: { url: address } },
      { type: 'document_url', document_url: address, document_name: EMAIL },
      { type: 'input_file', file_url: address, filename: EMAIL, file_id: 'file-1' },
      { type: 'image', image: address, text: { value: EMAIL } },
      { type: 'image', source: { type: 'url', url: address, ...NOTE } },
      { type: 'video_url', video_url: EMAIL },
      { type: 'video', video: [address, `${address}2`] },
      { type: 'image', source_type: 'url', url: address },
      { type: 'image_url', image_url: { file_id: 'file-AKIAIOSFODNN7EXAMPLE' } },
      { type: 'file', file: { filename: 'x.pdf', file_data: address } },
      { type: 'video', video: { url: address, detail: EMAIL } },
      { type: 'image_url', image_url: `//media.example/${seen}/my photo.png?sig=a%2Fb\n` },
      ...['content', 'text', 'base64', 'url', 'string', undefined].map((type) => ({
        type: 'document',
        source: {
          ...(type === undefined ? {} : { type }),
          data: `to ${EMAIL}`,
          media_type: 'text/plain',
          url: EMAIL,
          file_id: EMAIL,
          content: [{ type: 'text', text: EMAIL }],
        },
      })),
      { type: 'x', file_id: `of ${EMAIL}`, filename: { a: EMAIL }, file_data: { text: EMAIL } },
      { type: 'x', file_id: EMAIL, filename: [EMAIL], file_data: [EMAIL] },
      { type: 'input_audio', input_audio: { data: seen, format: seen, ...NOTE } },
      { type: 'other', file: EMAIL, image_url: [EMAIL], input_audio: [{ id: EMAIL }] },
    ]
    const messages = [
      { role: 'user', content: parts },
      { role: 'assistant', tool_calls: calls },
      { role: 'assistant', function_call: call },
      { role: 'assistant', content: 'x', ...signed, ...specific },
      { role: 'user', content: 'x', tool_calls: [EMAIL], function_call: { name: seen, arguments: { to: EMAIL } } },
      { role: 'user', content: 'x', tool_calls: { to: EMAIL } },
      {
        role: 'user',
        content: 'x',
        tool_calls: [EMAIL, { id: '1', function: { name: 'f', arguments: `{"a":"${EMAIL}"}` } }],
      },
      { role: 'user', content: 'x', user_id: EMAIL, sender: { id: EMAIL, type: 'person', run_id: 'run_1' } },
      {
        role: 'assistant',
        tool_calls: [
          { id: seen, type: 'custom', custom: { name: seen, input: { id: EMAIL, [EMAIL]: [EMAIL] } } },
          { id: seen, type: 'mcp', function: { name: seen, arguments: { to: EMAIL } } },
        ],
      },
    ]
    const document: JsonObject = structuredClone({ messages })
    formatOf('chat-completions').visitRequestText(document, ({ text }) =>
      text.replaceAll(EMAIL, '[[X]]').replaceAll(seen, '[[SEEN]]'),
    )
    t.strictSame(document, JSON.parse(JSON.stringify({ messages }).replaceAll(EMAIL, '[[X]]')))
  },
)

t.test('what a vendor searches for is a parameter', async (t) => {
  const filter = { metadata_filter: `author = "${EMAIL}"` }
  const stores = [{ dataStore: 'd', filter: EMAIL }, { filter: EMAIL }]
  const document: JsonObject = {
    tools: [
      { file_search: { ...filter, top_k: 3 } },
      { retrieval: { vertexAiSearch: { datastore: 'd', filter: EMAIL, dataStoreSpecs: stores } } },
      { retrieval: { vertex_ai_search: { data_store_specs: stores, dataStoreSpecs: { filter: EMAIL } } } },
      { retrieval: { vertex_rag_store: { rag_retrieval_config: { filter } } } },
    ],
  }
  const expected = JSON.stringify(document).replaceAll(EMAIL, '[[X]]')
  const scopes = new Set<string>()
  formatOf('generate-content').visitRequestText(document, ({ scope, text }) => {
    scopes.add(scope)
    return text.replaceAll(EMAIL, '[[X]]')
  })
  t.strictSame(document, JSON.parse(expected))
  t.strictSame([...scopes], ['parameter'])
})

t.test('JSON is asked for by fields of other servers, too', async (t) => {
  const { asksForJson } = formatOf('chat-completions')
  for (const document of [
    { guided_json: {} },
    { json_schema: '{}' },
    { nvext: { guided_json: {} } },
    { structured_outputs: { json: {} } },
    { structured_outputs: { json_object: true } },
    { response_format: { type: 'json', value: {} } },
  ]) {
    t.equal(asksForJson?.(document), true, JSON.stringify(document))
  }
  for (const document of [
    {},
    { guided_json: null, structured_outputs: { regex: 'x' } },
    { response_format: { type: 'text' } },
  ])
    t.equal(asksForJson?.(document), false, JSON.stringify(document))
})

t.test('so it is in the parts and blocks of the other vendors', async (t) => {
  const seen = 'a@seen.example'
  const formats: Partial<Record<FormatName, JsonObject>> = {
    'generate-content': {
      contents: [
        {
          role: 'user',
          parts: [
            { functionCall: { id: seen, name: seen, args: { id: EMAIL }, ...NOTE } },
            { functionResponse: { id: seen, name: seen, response: { id: EMAIL }, ...NOTE } },
            { function_response: { name: seen, response: EMAIL, parts: [{ inline_data: { data: 'QUJD', ...NOTE } }] } },
            { inlineData: { mimeType: 'image/png', data: 'QUJD', displayName: EMAIL, ...NOTE } },
            { file_data: { mime_type: 'image/png', file_uri: `https://media.example/${seen}`, ...NOTE } },
            { executableCode: { language: 'PYTHON', code: EMAIL, ...NOTE } },
            { text: 'x', file_data: `of ${EMAIL}`, inline_data: [EMAIL] },
            { fileData: { fileUri: `of ${EMAIL}`, displayName: { a: EMAIL } } },
          ],
        },
      ],
    },
    messages: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image',
              source: { type: 'url', url: `https://media.example/${seen}`, ...NOTE },
              text: EMAIL,
              title: EMAIL,
            },
            { type: 'image', source: EMAIL },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: EMAIL, content: EMAIL } },
            { type: 'document', source: { type: 'content', content: [`of ${EMAIL}`] }, context: [{ text: EMAIL }] },
            { type: 'document', source: { type: 'content', content: { text: EMAIL } }, title: { text: EMAIL } },
            {
              type: 'search_result',
              source: [EMAIL],
              title: EMAIL,
              content: [],
              citations: { enabled: true, note: EMAIL },
            },
            { type: 'document', source: { type: 'plain', data: EMAIL, url: EMAIL, content: { text: EMAIL } } },
            { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: EMAIL } },
            { type: 'document', source: { type: 'file', file_id: 'file-1', ...NOTE }, thinking: EMAIL },
            { type: 'text', text: EMAIL, data: EMAIL, input: { note: EMAIL } },
            { type: 'tool_result', tool_use_id: seen, content: EMAIL, context: EMAIL },
            { type: 'redacted_thinking', data: seen, content: [EMAIL] },
          ],
        },
      ],
    },
    'chat-completions': { messages: [{ role: 'user', name: { first: EMAIL }, content: EMAIL }] },
  }
  for (const [name, request] of Object.entries(formats)) {
    const document = structuredClone(request)
    clientFormatOf(name as FormatName).visitRequestText(document, ({ text }) =>
      text.replaceAll(EMAIL, '[[X]]').replaceAll(seen, '[[seen]]'),
    )
    t.strictSame(document, JSON.parse(JSON.stringify(request).replaceAll(EMAIL, '[[X]]')), name)
  }
})

t.test('an id stays, whatever else stands in its place is text', async (t) => {
  const document = (user_id: string): JsonObject => ({
    messages: [{ role: 'user', content: 'x', sender: { user_id, id: user_id } }],
  })
  const visited = (id: string): string[] => {
    const texts: string[] = []
    formatOf('chat-completions').visitRequestText(document(id), ({ text }) => (texts.push(text), text))
    return texts.filter((text) => text === id)
  }
  for (const id of ['usr_1', '4915112345678', 'a.b:c/d=e+f|g~h-i', 'AAAA+/==']) t.strictSame(visited(id), [], id)
  for (const text of [
    'a%40b.example',
    'a＠b.example',
    'a&#64;b.example',
    'a [at] b',
    '[[LLM_REDACTED_EMAIL_abcdefgh]]',
  ]) {
    t.strictSame(visited(text), [text, text], text)
  }
})

t.test('no text of a tool is visited twice', async (t) => {
  const tools = [
    { name: 'f', input_schema: { type: 'object' }, user_location: { city: EMAIL }, input_examples: [{ a: EMAIL }] },
  ]
  const texts: string[] = []
  formatOf('messages').visitRequestText(
    { messages: [], tools },
    ({ text, isName }) => (isName || texts.push(text), text),
  )
  t.strictSame(texts, [EMAIL, EMAIL])
})

t.test(
  'what says of itself that it is base64 of a text, and need not be, is read both ways, each time the same',
  async (t) => {
    const secret = '4111111111111111'
    const encoded = Buffer.from(`mail ${EMAIL}`).toString('base64')
    const data = [secret, 'AKIAIOSFODNN7EXAMPLE', encoded].map((text) => ({ media_type: 'text/plain', data: text }))
    const formats: Partial<Record<FormatName, JsonObject>> = {
      messages: {
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { data } }] }],
      },
      'generate-content': { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: { data } } }] }] },
      'chat-completions': { messages: [{ role: 'user', content: 'x', extra: data }] },
    }
    for (const [name, request] of Object.entries(formats)) {
      const { visitRequestText } = clientFormatOf(name as FormatName)
      const seen: string[] = []
      const document = structuredClone(request)
      visitRequestText(document, ({ text }) => (seen.push(text), text))
      for (const text of [secret, 'AKIAIOSFODNN7EXAMPLE', `mail ${EMAIL}`])
        t.ok(seen.includes(text), `${name}: ${text}`)
      const again: string[] = []
      visitRequestText(document, ({ text }) => (again.push(text), text.replaceAll(EMAIL, 'X').replaceAll(secret, 'Y')))
      t.strictSame(again, seen, name)
      t.match(JSON.stringify(document), Buffer.from('mail X').toString('base64'))
      t.notMatch(JSON.stringify(document), secret)
    }
  },
)

t.test('a file is read as its name says, also when that is masked', async (t) => {
  const file = { filename: `mail of ${EMAIL}.md`, file_data: Buffer.from(EMAIL).toString('base64') }
  const document: JsonObject = { messages: [{ role: 'user', content: [{ type: 'file', file: { ...file } }] }] }
  const seen: string[] = []
  formatOf('chat-completions').visitRequestText(
    document,
    ({ text }) => (seen.push(text), text.includes('@') ? 'X' : text),
  )
  t.strictSame(seen, [EMAIL, file.filename])
})

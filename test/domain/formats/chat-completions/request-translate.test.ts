import t from 'tap'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { canBeStrict } from '../../../../src/domain/formats/chat-completions/strict-schema.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject, JsonValue } from '../../../../src/domain/json.ts'

const user = { role: 'user', content: 'Hello' }
const TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }

/** What an Anthropic client's request becomes. */
function fromMessages(document: JsonObject, target: Partial<RenderTarget> = {}) {
  const request = messages.parseRequest({ max_tokens: 100, messages: [user], ...document })
  return chatCompletions.renderRequest(request, { ...TARGET, ...target })
}

t.test('the schema of a tool without arguments has properties, which OpenAI demands', async (test) => {
  const parameters = (schema: JsonObject) =>
    fromMessages({ tools: [{ name: 'f', input_schema: schema }] }).document.tools
  const tool = (schema: JsonObject) => [{ type: 'function', function: { name: 'f', parameters: schema } }]
  const closed = { type: 'object', additionalProperties: false }
  test.strictSame(parameters({ type: 'object' }), tool({ type: 'object', properties: {} }))
  test.strictSame(parameters(closed), tool({ ...closed, properties: {} }))
  const full = { type: 'object', properties: { a: { type: 'object' } } }
  test.strictSame(parameters(full), tool(full))
})

t.test('a list in a schema says of what it is, which OpenAI demands', async (test) => {
  const list = { type: 'array', description: 'tags' }
  const full = { type: 'array', items: { type: 'string' } }
  const schema = {
    type: 'object',
    properties: {
      list,
      full,
      either: { anyOf: [list, { type: ['array', 'null'] }] },
      tuple: { type: 'array', prefixItems: [] },
    },
    $defs: { deep: { items: list, type: 'array' } },
  }
  const items = { ...list, items: {} }
  const fitted = {
    type: 'object',
    properties: {
      list: items,
      full,
      either: { anyOf: [items, { type: ['array', 'null'], items: {} }] },
      tuple: { type: 'array', prefixItems: [], items: {} },
    },
    $defs: { deep: { items, type: 'array' } },
  }
  const { document } = fromMessages({ tools: [{ name: 'f', input_schema: schema }] })
  test.strictSame(document.tools, [{ type: 'function', function: { name: 'f', parameters: fitted } }])
  const format = { output_config: { format: { type: 'json_schema', schema } } }
  test.match(fromMessages(format).document, { response_format: { json_schema: { schema: fitted } } })
})

t.test('a list of whatever, which OpenAI is not strict about, is sent without strict', async (test) => {
  const schema = { type: 'object', properties: { a: { type: 'array' } }, required: ['a'], additionalProperties: false }
  const format = { output_config: { format: { type: 'json_schema', schema } } }
  const { document, warnings } = fromMessages({ ...format, tools: [{ name: 'f', input_schema: schema, strict: true }] })
  test.notMatch(JSON.stringify(document), 'strict')
  test.strictSame(warnings.map(({ field }) => field).toSorted(), ['response_format', 'tools[0].strict'])
})

t.test('a maximum of 0, to which some servers answer without end, is sent as 1 to all but Anthropic', async (test) => {
  const request = messages.parseRequest({ max_tokens: 0, messages: [user] })
  const warnings = (format: string) => [{ field: 'max_tokens', message: `${format} has no maximum of 0; 1 was sent` }]
  const chat = chatCompletions.renderRequest(request, TARGET)
  test.equal(chat.document['max_tokens'], 1)
  test.strictSame(chat.warnings, warnings('chat-completions'))
  const gemini = generateContent.renderRequest(request, TARGET)
  test.match(gemini.document, { generationConfig: { maxOutputTokens: 1 } })
  test.strictSame(gemini.warnings, warnings('generate-content'))
  test.equal(messages.renderRequest(request, TARGET).document['max_tokens'], 0)
})

/** An object of `properties`, closed, all of them required. */
const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const text = { type: 'string' }

t.test(
  'strict is sent with schemas that OpenAI is strict about, and left out with a warning of others',
  async (test) => {
    const sent = (schema: JsonObject) => {
      const { document, warnings } = fromMessages({
        tools: [{ name: 'f', input_schema: schema, strict: true }],
        output_config: { format: { type: 'json_schema', schema } },
      })
      test.match(document, {
        response_format: { json_schema: { schema } },
        tools: [{ function: { parameters: schema } }],
      })
      return { document, fields: warnings.map(({ field }) => field) }
    }
    const kept = sent(closed({ a: text }))
    test.match(kept.document, {
      response_format: { json_schema: { strict: true } },
      tools: [{ function: { strict: true } }],
    })
    test.strictSame(kept.fields, [])
    const lost = sent({ ...closed({ a: text, b: text }), required: ['a'] })
    test.notMatch(JSON.stringify(lost.document), 'strict')
    test.strictSame(lost.fields.toSorted(), ['response_format', 'tools[0].strict'])
  },
)

t.test('a client’s own request to a server of its format keeps its strict', async (test) => {
  const json_schema = { name: 'n', strict: true, schema: { type: 'object', properties: { a: text } } }
  const document = { model: 'm', messages: [user], response_format: { type: 'json_schema', json_schema } }
  test.equal(chatCompletions.renderRequest(chatCompletions.parseRequest(document), TARGET).document, document)
})

t.test('which schemas OpenAI is strict about', async (test) => {
  const inner: [taken: boolean, schema: JsonValue][] = [
    [true, text],
    [true, { type: ['string', 'null'] }],
    [true, { enum: ['a'] }],
    [true, { type: 'string', format: 'date', pattern: '^a', minLength: 1 }],
    [true, { type: 'array', items: closed({ b: text }), minItems: 2 }],
    [true, { anyOf: [closed({ b: text }), { type: 'null' }] }],
    [true, { ...closed({ b: text }), type: ['object', 'null'] }],
    [true, { $ref: '#/$defs/a' }],
    [true, closed({ allOf: text })],
    [false, { $ref: '#/$defs/a', description: 'd' }],
    [false, { type: 'object' }],
    [false, { ...closed({ b: text }), additionalProperties: {} }],
    [false, { ...closed({ b: text }), required: [] }],
    [false, { type: ['object', 'null'], properties: { b: text } }],
    [false, { properties: { b: text } }],
    [false, { allOf: [closed({ b: text })] }],
    [false, { type: 'array', items: { type: 'object' } }],
    [false, { anyOf: [{ type: 'object' }, { type: 'null' }] }],
    [false, { type: 'array', items: text, uniqueItems: true }],
    [false, { type: 'string', format: 'uri' }],
    [false, { type: 'string', default: 'a' }],
    [false, { description: 'anything' }],
    [false, true],
  ]
  for (const [taken, schema] of inner) {
    test.equal(canBeStrict(closed({ a: schema })), taken, JSON.stringify(schema))
    test.equal(canBeStrict({ ...closed({}), $defs: { a: schema } }), taken, JSON.stringify(schema))
  }
  for (const schema of [undefined, text, { ...closed({}), anyOf: [closed({})] }, { $ref: '#' }]) {
    test.notOk(canBeStrict(schema), JSON.stringify(schema))
  }
})

t.test('sampling goes to OpenAI’s reasoning models as far as they take it, and whole to all others', async (test) => {
  const all = { temperature: 0.5, top_p: 0.9, stop_sequences: ['END'] }
  const sent = (model: string, document: JsonObject = {}) => {
    const rendered = fromMessages({ ...all, ...document }, { model })
    const left = ['temperature', 'top_p', 'stop'].filter((field) => field in rendered.document)
    const lost = rendered.warnings.map(({ field }) => field).filter((field) => field !== 'reasoning')
    test.strictSame([...left, ...lost].toSorted(), ['stop', 'temperature', 'top_p'], `${model}: sent or told of`)
    return left
  }
  const whole = ['temperature', 'top_p', 'stop']
  const others = [
    'gpt-4o',
    'gpt-5-chat-latest',
    'gpt-5.2-chat-latest',
    'deepseek-chat',
    'my-gpt-5',
    'gpt-5-4',
    'gpt-50',
    'gpt-oss',
  ]
  for (const model of [...others, 'marco-o1', 'mistral-large', 'gpt-60']) test.strictSame(sent(model), whole, model)
  for (const model of ['o3', 'openai/o4-mini', 'gpt-5', 'openai/gpt-5-mini', 'gpt-5-2025-08-07', 'gpt-5-codex']) {
    test.strictSame(sent(model), [], model)
  }
  test.strictSame(sent('o1-2024-12-17'), ['stop'])
  for (const model of ['gpt-5.1', 'openai/gpt-5.2-2025-12-11', 'gpt-5.4-mini']) {
    test.strictSame(sent(model), ['temperature', 'top_p'], `${model} does not reason by default`)
    test.strictSame(sent(model, { thinking: { type: 'adaptive' } }), [], `${model} reasons`)
  }
  for (const model of ['gpt-5.5', 'gpt-5.6-terra', 'gpt-5.12']) {
    test.strictSame(sent(model), ['stop'], `${model} reasons by default`)
    test.strictSame(sent(model, { thinking: { type: 'disabled' } }), whole, `${model} does not reason`)
  }
  test.strictSame(sent('gpt-6-luna', { thinking: { type: 'disabled' } }), ['temperature', 'top_p'])
  for (const model of ['gpt-5.2-pro', 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-6-luna'])
    test.strictSame(sent(model), [], model)
})

t.test('a default of the vendor is nothing lost; penalties are', async (test) => {
  const sent = (generationConfig: JsonObject) => {
    const request = generateContent.parseRequest({ contents: [{ parts: [{ text: 'x' }] }], generationConfig }, {})
    const { document, warnings } = chatCompletions.renderRequest(request, { ...TARGET, model: 'gpt-5' })
    const { model: _model, messages: _said, ...rest } = document
    return [rest, warnings.map(({ field }) => field)]
  }
  const defaults = { temperature: 1, topP: 1, frequencyPenalty: 0, presencePenalty: 0 }
  test.strictSame(sent(defaults), [{ temperature: 1 }, []])
  const penalties = { frequencyPenalty: 1, presencePenalty: -1, seed: 7 }
  test.strictSame(sent(penalties), [{ seed: 7 }, ['frequency_penalty', 'presence_penalty']])
})

t.test('OpenAI’s newest models do not reason beside tools, which they refuse', async (test) => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const low = { thinking: { type: 'enabled', budget_tokens: 2000 } }
  const off = { thinking: { type: 'disabled' } }
  const sent = (model: string, document: JsonObject) => {
    const { document: rendered, warnings } = fromMessages(document, { model })
    return [
      rendered.reasoning_effort,
      warnings.map(({ field }) => field).filter((field) => field === 'reasoning').length,
    ]
  }
  for (const model of ['gpt-5.4', 'gpt-5.4-mini-2026-03-17', 'gpt-5.5', 'gpt-5.6-terra', 'gpt-6-luna']) {
    const byDefault = /gpt-(?:5\.6|6)/.test(model) ? ['none', 1] : [undefined, 0]
    test.strictSame(sent(model, { tools, ...low }), ['none', 1], model)
    test.strictSame(sent(model, { tools, ...off }), ['none', 0], model)
    test.strictSame(sent(model, { tools }), byDefault, model)
    test.strictSame(sent(model, low), ['low', 0], `${model} without tools`)
    test.strictSame(sent(model, {}), [undefined, 0], `${model} without tools`)
  }
  const others = ['gpt-5', 'gpt-5.2', 'o3', 'openai/gpt-5.6', 'deepseek-reasoner', 'gpt-6-astra', 'gpt-5-4']
  for (const model of others) {
    test.strictSame(sent(model, { tools, ...low }), ['low', 0], model)
    test.strictSame(sent(model, { tools }), [undefined, 0], model)
  }
})

/** What a Gemini client's request becomes. */
function fromGemini(document: JsonObject, model: string) {
  const request = generateContent.parseRequest({ contents: [{ parts: [{ text: 'Hello' }] }], ...document }, {})
  const rendered = chatCompletions.renderRequest(request, { ...TARGET, model })
  return { ...rendered, fields: rendered.warnings.map(({ field }) => field) }
}

t.test('JSON mode, which OpenAI refuses where nothing says JSON, is said in words besides', async (test) => {
  const json = { generationConfig: { responseMimeType: 'application/json' } }
  test.match(fromGemini(json, 'gpt-4o'), {
    document: {
      messages: [{ role: 'system', content: 'Answer with a JSON object.' }, user],
      response_format: { type: 'json_object' },
    },
    fields: ['response_format'],
  })
  const said = { ...json, contents: [{ parts: [{ text: 'Hello, in json' }] }] }
  const result = { functionResponse: { id: 'a', name: 'f', response: { output: 'JSON' } } }
  const call = { functionCall: { id: 'a', name: 'f', args: {} } }
  const told = { ...json, contents: [{ parts: [call], role: 'model' }, { parts: [result] }] }
  for (const asked of [said, told]) test.strictSame(fromGemini(asked, 'gpt-4o').fields, [])
})

t.test('a schema whose root is no object, which OpenAI refuses, goes to its models as an instruction', async (test) => {
  const schema = { type: 'array', items: { type: 'string' } }
  const asked = { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }
  const sent = fromGemini(asked, 'gpt-4o')
  test.match(sent.document, { response_format: undefined, messages: [{ role: 'system' }, user] })
  test.match(JSON.stringify(sent.document.messages), JSON.stringify(JSON.stringify(schema)).slice(1, -1))
  test.strictSame(sent.fields, ['response_format'])
  test.match(fromGemini(asked, 'llama-3').document, { response_format: { json_schema: { schema } }, messages: [user] })
  const choice = { type: 'object', properties: {}, anyOf: [{ type: 'object' }] }
  const format = { output_config: { format: { type: 'json_schema', schema: choice } } }
  test.equal(fromMessages(format, { model: 'gpt-4o' }).document.response_format, undefined)
})

t.test('a word on parallel calls goes to the models that take one', async (test) => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const sent = (model: string, choice: JsonObject) => {
    const { document, warnings } = fromMessages({ tools, tool_choice: choice }, { model })
    return [document.parallel_tool_calls, ...warnings.map(({ field }) => field)]
  }
  const one = { type: 'auto', disable_parallel_tool_use: true }
  test.strictSame(sent('gpt-4o', one), [false])
  test.strictSame(sent('o4-mini', one), [undefined, 'parallel_tool_calls'])
  test.strictSame(sent('o4-mini', { type: 'auto' }), [undefined])
})

t.test("Mistral's API gets no field that it refuses from other formats", async (test) => {
  const request = generateContent.parseRequest(
    { contents: [{ parts: [{ text: 'Hello' }] }], generationConfig: { seed: 3 } },
    { stream: true },
  )
  const sent = chatCompletions.renderRequest(request, { ...TARGET, stream: true, dialect: 'mistral' })
  test.strictSame(sent.document, { model: 'm', messages: [user], stream: true, random_seed: 3 })
  test.strictSame(sent.warnings, [])
})

t.test("what Mistral's API refuses is told of, however much else is lost", async (test) => {
  const tool = { input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }
  const tools = Array.from({ length: 64 }, (_, index) => ({ ...tool, name: `f${index}` }))
  const { warnings } = fromMessages({ tools, metadata: { user_id: 'u' } }, { dialect: 'mistral' })
  test.equal(warnings.at(-1)?.field, 'user')
})

t.test("DeepSeek gets clients of other formats' wishes in its own words", async (test) => {
  const sent = (fields: JsonObject, model = 'deepseek-v4-pro') => {
    const { document, warnings } = fromMessages(fields, { model })
    const { model: _model, messages: _messages, max_tokens: _limit, ...rest } = document
    return { rest, fields: warnings.map(({ field }) => field) }
  }
  const thinking = { type: 'disabled' }
  test.strictSame(sent({ thinking }), { rest: { thinking }, fields: [] })
  const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]
  const forced = sent({ tools, tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } })
  test.match(forced, { rest: { thinking, tool_choice: 'required' }, fields: ['reasoning'] })
  test.equal(forced.rest.reasoning_effort, undefined)
  const schema = { type: 'object', properties: {} }
  const formed = sent({ output_config: { format: { type: 'json_schema', schema } } })
  test.strictSame(formed, { rest: { response_format: { type: 'json_object' } }, fields: ['response_format'] })
})

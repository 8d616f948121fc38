import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { asArray, asObject, type JsonObject } from '../../../../src/domain/json.ts'

const messages = [{ role: 'user', content: 'Hello' }]
const tools = [{ type: 'function', function: { name: 'f' } }]

function sent(fields: JsonObject, model: string, maxOutputTokens?: number) {
  const request = chatCompletions.parseRequest({ model: 'auto', messages, ...fields })
  const { document, warnings } = chatCompletions.renderRequest(request, target(model, maxOutputTokens))
  const { model: _model, messages: _messages, ...rest } = document
  return { rest, fields: warnings.map(({ field }) => field) }
}

function target(model: string, maxOutputTokens?: number): RenderTarget {
  return {
    model,
    provider: 'openai',
    maxOutputTokens,
    defaultMaxOutputTokens: undefined,
    stream: false,
    outputLimitField: 'max_completion_tokens',
  }
}

t.test('what a model refuses that the gateway has chosen is left out, with a warning', async (t) => {
  const asked = { temperature: 0.2, top_p: 0.5, presence_penalty: 1, stop: 'x', seed: 3, top_k: 4, max_tokens: 100 }
  t.strictSame(sent(asked, 'o4-mini'), {
    rest: { seed: 3, max_completion_tokens: 100 },
    fields: ['top_k', 'temperature', 'top_p', 'stop', 'presence_penalty'],
  })
  const { top_k: _topK, ...known } = asked
  t.strictSame(sent(asked, 'gpt-4o'), { rest: known, fields: ['top_k'] })
  t.strictSame(sent(asked, 'openai/gpt-4o'), { rest: asked, fields: [] }, 'a gateway takes more')
  t.strictSame(sent(asked, 'llama-3.3-70b'), { rest: asked, fields: [] })
  t.strictSame(sent(asked, 'grok-4-1-fast-non-reasoning'), { rest: asked, fields: [] })
  const { presence_penalty: _penalty, stop: _stop, ...taken } = asked
  t.strictSame(sent(asked, 'grok-4.3'), { rest: taken, fields: ['stop', 'presence_penalty'] })
  t.strictSame(sent({ ...asked, model: 'o4-mini' }, 'o4-mini'), { rest: asked, fields: [] }, 'who names it is told')
  const named = 'openai/o4-mini'
  t.strictSame(sent({ ...asked, model: named }, 'o4-mini'), { rest: asked, fields: [] }, 'with the provider, too')
  t.strictSame(sent({ temperature: 1, top_p: 1, max_tokens: null }, 'gpt-5'), {
    rest: { temperature: 1, max_tokens: null },
    fields: [],
  })
})

t.test('what gpt-6 refuses is left out, too', async (t) => {
  const asked = {
    temperature: 0.2,
    top_p: 0.5,
    presence_penalty: 1,
    stop: 'x',
    max_tokens: 100,
    reasoning_effort: 'none',
  }
  const lost = ['temperature', 'top_p', 'stop', 'presence_penalty']
  t.strictSame(sent(asked, 'gpt-6-astra'), {
    rest: { max_completion_tokens: 100, reasoning_effort: 'low' },
    fields: ['reasoning', ...lost],
  })
  t.strictSame(sent(asked, 'gpt-6.1-sol').fields, ['reasoning', ...lost])
  t.strictSame(sent(asked, 'gpt-6-luna'), {
    rest: { temperature: 0.2, top_p: 0.5, max_completion_tokens: 100, reasoning_effort: 'none' },
    fields: ['stop', 'presence_penalty'],
  })
  t.strictSame(sent({ reasoning_effort: 'none' }, 'gpt-6.1-terra').fields, [])
  t.strictSame(sent({ tools }, 'gpt-6.1-terra').rest, { tools, reasoning_effort: 'none' })
  t.strictSame(sent({ temperature: 0.2 }, 'gpt-6-luna'), { rest: {}, fields: ['temperature'] }, 'it reasons unasked')
  t.strictSame(sent({ tools }, 'gpt-6-luna'), { rest: { tools, reasoning_effort: 'none' }, fields: ['reasoning'] })
  t.strictSame(sent({ tools }, 'gpt-6-astra'), { rest: { tools }, fields: [] }, 'it takes no tools, whatever is said')
})

t.test('a limit keeps its amount under the name that the model takes', async (t) => {
  t.strictSame(sent({ max_tokens: 100 }, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
  t.strictSame(sent({ max_tokens: 10 }, 'gpt-5', 50).rest, { max_completion_tokens: 10 })
  t.strictSame(sent({}, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
  t.strictSame(sent({ max_tokens: 100, max_completion_tokens: 90 }, 'gpt-5', 50).rest, { max_completion_tokens: 50 })
})

t.test('an effort is said as the model takes it, or not at all', async (t) => {
  const effort = (fields: JsonObject, model: string) => sent(fields, model).rest.reasoning_effort
  t.equal(effort({ reasoning_effort: 'high' }, 'gpt-4o'), undefined)
  t.equal(effort({ reasoning_effort: 'minimal' }, 'o3'), 'low')
  t.equal(effort({ reasoning_effort: 'low' }, 'o3'), 'low')
  t.equal(effort({ reasoning_effort: 'ultra' }, 'o3'), 'ultra', "a word of another vendor's")
  t.equal(effort({ reasoning_effort: 'max' }, 'gpt-5.1'), 'high')
  t.equal(effort({ reasoning_effort: 'max' }, 'deepseek-v4'), 'max', 'other vendors have it')
  t.equal(effort({ reasoning_effort: 'max' }, 'gpt-4o'), undefined)
  t.equal(effort({ reasoning_effort: 'max', model: 'gpt-5.6' }, 'gpt-5.6'), 'max', 'who names it is told')
  const most = { rest: { reasoning_effort: 'xhigh' }, fields: ['reasoning'] }
  t.strictSame(sent({ reasoning_effort: 'max' }, 'gpt-5.6'), most, 'over this interface')
  t.strictSame(sent({ reasoning_effort: 'none' }, 'gpt-4o').fields, [])
  t.equal(effort({ tools }, 'gpt-5.6'), 'none')
  t.equal(effort({ tools, model: 'gpt-5.6' }, 'gpt-5.6'), undefined)
  const reasoning = { effort: 'high' }
  t.strictSame(sent({ reasoning }, 'openai/gpt-4o'), { rest: { reasoning }, fields: [] }, "OpenRouter's shape")
  t.strictSame(sent({ reasoning }, 'gpt-4o'), { rest: {}, fields: ['reasoning'] })
  t.strictSame(sent({ reasoning }, 'gpt-5'), { rest: { reasoning_effort: 'high' }, fields: [] })
  const two = { reasoning, reasoning_effort: 'high' }
  t.strictSame(sent(two, 'gpt-5'), { rest: { reasoning_effort: 'high' }, fields: [] })
  t.strictSame(sent({ reasoning_effort: 'high' }, 'gpt-4o').fields, ['reasoning'])
})

t.test(
  'log probabilities, biases, verbosity and a word on parallel calls go to the models that take them',
  async (t) => {
    const asked = {
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { 5: 1 },
      verbosity: 'low',
      tools,
      parallel_tool_calls: false,
    }
    const { tools: _tools, ...fields } = asked
    t.strictSame(sent(asked, 'o3'), {
      rest: { tools },
      fields: ['parallel_tool_calls', 'verbosity', 'logprobs', 'top_logprobs', 'logit_bias'],
    })
    const { verbosity, ...older } = fields
    t.strictSame(sent(fields, 'gpt-4o'), { rest: older, fields: ['verbosity'] })
    t.strictSame(sent({ verbosity }, 'gpt-5-mini'), { rest: { verbosity }, fields: [] })
    const { logit_bias: _bias, ...free } = fields
    t.strictSame(sent(fields, 'gpt-5.1'), { rest: free, fields: ['logit_bias'] }, 'it does not reason')
    t.strictSame(sent(fields, 'qwen3'), { rest: fields, fields: [] })
    t.strictSame(sent({ ...asked, model: 'o3' }, 'o3'), { rest: asked, fields: [] }, 'who names it is told')
    const nothing = { logprobs: false, top_logprobs: null, logit_bias: {}, verbosity: 'medium' }
    t.strictSame(sent(nothing, 'o3'), { rest: nothing, fields: [] })
  },
)

t.test('a prompt is asked to be kept for a time by the models that take that', async (t) => {
  const takes = (prompt_cache_retention: string, model: string): boolean => {
    const { rest, fields } = sent({ prompt_cache_retention }, model)
    const isSent = rest.prompt_cache_retention === prompt_cache_retention
    t.strictSame(fields, isSent ? [] : ['prompt_cache_retention'])
    return isSent
  }
  const both = ['gpt-4.1', 'gpt-4.1-2025-04-14', 'gpt-5', 'gpt-5-codex', 'gpt-5.1-codex-mini', 'gpt-5.4', 'qwen3']
  for (const model of both) t.ok(takes('24h', model) && takes('in_memory', model), model)
  for (const model of ['gpt-5.5', 'gpt-5.5-pro']) t.ok(takes('24h', model) && !takes('in_memory', model), model)
  for (const model of ['gpt-5.6', 'gpt-5.6-sol', 'gpt-6-sol'])
    t.notOk(takes('24h', model) || takes('in_memory', model), model)
  for (const model of ['gpt-4o', 'gpt-4.1-mini', 'gpt-5-mini', 'o4-mini'])
    t.ok(!takes('24h', model) && takes('in_memory', model), model)
  t.ok(takes('24h', 'openai/gpt-4o'), 'a gateway takes more')
  t.strictSame(sent({ prompt_cache_retention: null }, 'gpt-4o').fields, [])
  const named = { model: 'gpt-4o', prompt_cache_retention: '24h' }
  t.strictSame(sent(named, 'gpt-4o'), { rest: { prompt_cache_retention: '24h' }, fields: [] }, 'who names it is told')
})

t.test('thinking in earlier turns, for which OpenAI has no field, is left out for its models', async (t) => {
  const thought = { role: 'assistant', content: 'a', reasoning_content: 'hm', reasoning: null }
  const render = (model: string, named = 'auto') => {
    const request = chatCompletions.parseRequest({ model: named, messages: [...messages, thought, ...messages] })
    const target = { model, maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
    const { document, warnings } = chatCompletions.renderRequest(request, target)
    return { messages: document.messages, fields: warnings.map(({ field }) => field) }
  }
  t.strictSame(render('gpt-4o'), {
    messages: [...messages, { role: 'assistant', content: 'a' }, ...messages],
    fields: ['messages[1].thinking'],
  })
  for (const [model, named] of [['deepseek-chat'], ['gpt-4o', 'gpt-4o']] as const)
    t.strictSame(render(model, named), { messages: [...messages, thought, ...messages], fields: [] })
})

t.test("thinking that Mistral's models put between the parts of a text is left out for OpenAI's, too", async (t) => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }
  const text = { type: 'text', text: 'a' }
  const sentAs = (message: JsonObject) => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages: [message, ...messages] })
    const target = { model: 'gpt-4o', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
    const { document, warnings } = chatCompletions.renderRequest(request, target)
    return [asArray(document.messages)[0], ...warnings.map(({ field }) => field)]
  }
  const role = 'assistant'
  t.strictSame(sentAs({ role, content: [thinking, text] }), [{ role, content: [text] }, 'messages[0].thinking'])
  t.strictSame(sentAs({ role, content: [thinking] }), [{ role, content: '' }, 'messages[0].thinking'])
  t.strictSame(sentAs({ role, content: [text] }), [{ role, content: [text] }])
  t.strictSame(sentAs({ role, content: 'a', reasoning_content: null, reasoning: '' }), [{ role, content: 'a' }])
  for (const field of ['reasoning_details', 'thinking_blocks']) {
    const details = [{ type: 'reasoning.encrypted', data: 'x' }]
    t.strictSame(sentAs({ role, content: 'a', [field]: details }), [{ role, content: 'a' }, 'messages[0].thinking'])
  }
})

t.test("what servers like OpenAI's take of schemas and JSON mode goes to its own models as they take it", async (t) => {
  const list = { type: 'array' }
  const open = { type: 'object', properties: { a: list }, required: ['a'] }
  const items = { ...open, properties: { a: { type: 'array', items: {} } } }
  const form = (schema: JsonObject, strict?: boolean): JsonObject => ({
    type: 'json_schema',
    json_schema: { name: 'n', schema, ...(strict === undefined ? {} : { strict }) },
  })
  const told = ['response_format']
  t.strictSame(sent({ response_format: form(open, true) }, 'gpt-4o'), {
    rest: { response_format: form(items) },
    fields: told,
  })
  t.strictSame(sent({ response_format: form(open, true) }, 'openai/gpt-4o').fields, [])
  const closed = form({ type: 'object', properties: {}, required: [], additionalProperties: false }, true)
  t.strictSame(sent({ response_format: closed }, 'gpt-4o'), { rest: { response_format: closed }, fields: [] })
  const named = { json_schema: { name: 'answer', schema: items } }
  t.match(sent({ guided_json: open }, 'gpt-4o'), {
    rest: { guided_json: undefined, response_format: named },
    fields: [],
  })
  const five = { stop: ['a', 'b', 'c', 'd', 'e'] }
  t.strictSame(sent(five, 'gpt-4o'), { rest: { stop: five.stop.slice(0, 4) }, fields: ['stop'] })
  t.strictSame(sent(five, 'llama-3.3-70b'), { rest: five, fields: [] })
  t.strictSame(sent({ guided_regex: '.', user: 'x'.repeat(65) }, 'gpt-4o'), {
    rest: {},
    fields: ['guided_regex', 'user'],
  })

  const heard = (fields: JsonObject, model = 'gpt-4o') => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages, ...fields })
    const target = { model, maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
    const { document } = chatCompletions.renderRequest(request, target)
    return { said: asArray(document.messages).length, format: document.response_format }
  }
  const json = { type: 'json_object' }
  t.strictSame(heard({ response_format: json }), { said: 2, format: json }, 'nothing says JSON')
  t.strictSame(heard({ response_format: json }, 'llama-3.3-70b'), { said: 1, format: json })
  t.strictSame(heard({ response_format: json, model: 'gpt-4o' }), { said: 1, format: json })
  t.strictSame(heard({ response_format: form(list) }), { said: 2, format: undefined }, 'a list is no root')

  const tool = (definition: JsonObject) => ({ type: 'function', function: { name: 'f', ...definition } })
  t.strictSame(sent({ tools: [tool({ parameters: { type: 'object' } }), { type: 'custom' }] }, 'gpt-4o').rest.tools, [
    tool({ parameters: { type: 'object', properties: {} } }),
    { type: 'custom' },
  ])
  t.strictSame(sent({ tools: [tool({ parameters: open, strict: true })] }, 'gpt-4o'), {
    rest: { tools: [tool({ parameters: items })] },
    fields: ['tools[0].strict'],
  })
  t.strictSame(sent({ functions: [{ name: 'f', parameters: { type: 'object' } }] }, 'gpt-4o').rest.functions, [
    { name: 'f', parameters: { type: 'object', properties: {} } },
  ])
})

t.test("Mistral's API gets the fields that it knows", async (t) => {
  const render = (fields: JsonObject, named = 'auto') => {
    const request = chatCompletions.parseRequest({ model: named, messages, stream: true, ...fields })
    const { document, warnings } = chatCompletions.renderRequest(request, {
      model: 'mistral-large-latest',
      maxOutputTokens: undefined,
      defaultMaxOutputTokens: undefined,
      stream: true,
      dialect: 'mistral',
    })
    const { model: _model, stream: _stream, ...rest } = document
    return { rest, fields: warnings.map(({ field }) => field) }
  }
  t.strictSame(render({}).rest, { messages }, 'usage is not asked for')
  t.strictSame(render({ stream_options: { include_usage: true } }, 'mistral-large-latest').rest, { messages })
  t.strictSame(
    render({ max_completion_tokens: 5, seed: 3, temperature: 0.1, store: true, user: 'u', logprobs: false }),
    {
      rest: { messages, max_tokens: 5, random_seed: 3, temperature: 0.1 },
      fields: ['store', 'user'],
    },
  )
  const named = { max_completion_tokens: 5, messages }
  t.strictSame(render(named, 'mistral-large-latest'), { rest: named, fields: [] }, 'who names it is told')
  const said = { role: 'assistant', content: 'a', refusal: null, annotations: [], reasoning_content: 'hm' }
  t.strictSame(render({ messages: [{ role: 'developer', content: 'b', name: 'c' }, said, ...messages] }), {
    rest: { messages: [{ role: 'system', content: 'b' }, { role: 'assistant', content: 'a' }, ...messages] },
    fields: ['messages[0].name', 'messages[1].reasoning_content'],
  })
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]))
  t.equal(render(many).fields.length, 64)
})

t.test("OpenAI's role for the system goes to others as theirs", async (t) => {
  const said = [{ role: 'developer', content: 'Be brief.' }, ...messages]
  const roles = (model: string, fields: JsonObject = {}) => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages: said, ...fields })
    const { document, warnings } = chatCompletions.renderRequest(request, target(model))
    return [...asArray(document.messages).map((message) => asObject(message)?.role), warnings.length]
  }
  for (const model of ['deepseek-v4-pro', 'llama-3.3-70b', 'mistral-large']) {
    t.strictSame(roles(model), ['system', 'user', 0], model)
    t.strictSame(roles(model, { model }), ['developer', 'user', 0], 'who names it is told')
  }
  for (const model of ['gpt-5', 'openai/o3', 'gpt-4o']) t.strictSame(roles(model), ['developer', 'user', 0], model)
})

t.test('of two limits OpenAI gets the newer one alone', async (t) => {
  const both = { max_tokens: 100, max_completion_tokens: 90 }
  t.strictSame(sent(both, 'gpt-4o').rest, { max_completion_tokens: 90 })
  t.strictSame(sent(both, 'gpt-4o', 50).rest, { max_completion_tokens: 50 })
  t.strictSame(sent({ ...both, model: 'gpt-4o' }, 'gpt-4o').rest, both, 'who names it is told')
  t.strictSame(sent(both, 'llama-3.3-70b').rest, both, 'others go by either')
  t.strictSame(sent({ max_tokens: 100 }, 'gpt-4o').rest, { max_tokens: 100 })
})

t.test('DeepSeek is told not to think by its own field', async (t) => {
  const off = { reasoning_effort: 'none' }
  for (const model of ['deepseek-v4-pro', 'deepseek-v3.2', 'deepseek-flash'])
    t.strictSame(sent(off, model), { rest: { thinking: { type: 'disabled' } }, fields: [] }, model)
  for (const model of ['deepseek-reasoner', 'deepseek-v3.1', 'deepseek/deepseek-v4-pro', 'deepseek-v4-pro:cloud'])
    t.strictSame(sent(off, model), { rest: {}, fields: ['reasoning'] }, model)
  t.strictSame(sent({ ...off, model: 'deepseek-v4-pro' }, 'deepseek-v4-pro').rest, off, 'who names it is told')
  t.strictSame(sent({ reasoning_effort: 'high' }, 'deepseek-v4-pro').rest, { reasoning_effort: 'high' })
})

t.test('DeepSeek gets thinking in each earlier turn of a conversation with calls', async (t) => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const turns = [
    ...messages,
    { role: 'assistant', content: null, tool_calls: [call], reasoning: 'It is late.' },
    { role: 'tool', tool_call_id: 'call_1', content: '5' },
    { role: 'assistant', content: 'Five.' },
    { role: 'assistant', content: 'Or six.', reasoning_content: 'Or not.' },
    ...messages,
  ]
  const thoughts = (list: JsonObject[], model: string, fields: JsonObject = {}) => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages: list, tools, ...fields })
    const { document } = chatCompletions.renderRequest(request, target(model))
    return asArray(document.messages).map((message) => asObject(message)?.reasoning_content)
  }
  const [none, own] = [undefined, 'Or not.']
  t.strictSame(thoughts(turns, 'deepseek-v4-pro'), [none, 'It is late.', none, ' ', own, none])
  t.strictSame(thoughts(turns, 'deepseek-v4-pro', { model: 'deepseek-v4-pro' }), [none, none, none, none, own, none])
  t.strictSame(thoughts(turns, 'qwen3'), [none, none, none, none, own, none])
  t.strictSame(thoughts(turns.slice(3), 'deepseek-v4-pro'), [none, own, none], 'without calls nothing is demanded')
})

t.test('DeepSeek does not think where it is made to call a tool', async (t) => {
  const stopped = { thinking: { type: 'disabled' } }
  const [forced, named] = ['required', { type: 'function', function: { name: 'f' } }]
  for (const tool_choice of [forced, named]) {
    const asked = { tools, tool_choice, reasoning_effort: 'high', thinking: { type: 'enabled' } }
    t.strictSame(sent(asked, 'deepseek-v4-pro'), { rest: { tools, tool_choice, ...stopped }, fields: ['reasoning'] })
    t.strictSame(sent({ tools, tool_choice, ...stopped }, 'deepseek-v4-pro').fields, [], 'it did not want to')
    t.strictSame(sent({ tools, tool_choice }, 'deepseek/deepseek-v4-pro').rest, { tools, tool_choice })
  }
  t.strictSame(sent({ tools, tool_choice: 'auto' }, 'deepseek-v4-pro').rest, { tools, tool_choice: 'auto' })
})

t.test('DeepSeek is told of a schema in words', async (t) => {
  const form = (schema: JsonObject) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
  })
  const asked = (schema: JsonObject, model: string, fields: JsonObject = {}) => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages, ...form(schema), ...fields })
    const { document, warnings } = chatCompletions.renderRequest(request, target(model))
    return { document, fields: warnings.map(({ field }) => field) }
  }
  const object = { type: 'object', properties: { a: { type: 'string' } } }
  const told = asked(object, 'deepseek-v4-pro')
  t.strictSame(told.document.response_format, { type: 'json_object' })
  t.match(told.document.messages, [
    { role: 'system', content: /valid against this JSON schema: \{"type":"object"/ },
    messages[0],
  ])
  t.strictSame(told.fields, ['response_format'])
  t.equal(asked({ type: 'array' }, 'deepseek-v4-pro').document.response_format, undefined)
  for (const [model, fields] of [
    ['qwen3', {}],
    ['deepseek-v4-pro', { model: 'deepseek-v4-pro' }],
  ] as const)
    t.strictSame(asked(object, model, fields).document.response_format, form(object).response_format, model)
  const mode = sent({ response_format: { type: 'json_object' } }, 'deepseek-v4-pro')
  t.strictSame(mode.fields, ['response_format'], 'JSON mode needs its word')
})

t.test('a tier that the model is not served in is left out, with a warning', async (t) => {
  const takes = (service_tier: string, model: string): boolean => {
    const { rest, fields } = sent({ service_tier }, model)
    t.strictSame(fields, rest.service_tier === service_tier ? [] : ['service_tier'])
    return rest.service_tier === service_tier
  }
  const taken = (model: string) => ['flex', 'priority', 'fast'].filter((tier) => takes(tier, model))
  for (const model of ['o3', 'o4-mini', 'gpt-5', 'gpt-5.4-mini', 'gpt-6-sol', 'qwen3', 'openai/gpt-4o'])
    t.strictSame(taken(model), ['flex', 'priority', 'fast'], model)
  for (const model of ['gpt-4o', 'gpt-4.1-nano']) t.strictSame(taken(model), ['priority', 'fast'], model)
  t.strictSame(taken('gpt-5-nano'), ['flex'])
  for (const model of ['o1', 'gpt-3.5-turbo', 'gpt-5-chat-latest', 'chatgpt-4o-latest']) t.strictSame(taken(model), [])
  for (const tier of ['auto', 'default', 'scale']) t.ok(takes(tier, 'gpt-3.5-turbo'), tier)
  for (const tier of ['on_demand', 'ultrafast']) t.notOk(takes(tier, 'gpt-5.6-sol'), tier)
  t.ok(takes('on_demand', 'llama-3.3-70b-versatile'))
  t.strictSame(sent({ service_tier: null }, 'gpt-4o').fields, [])
  const named = { model: 'gpt-4o', service_tier: 'flex' }
  t.strictSame(sent(named, 'gpt-4o'), { rest: { service_tier: 'flex' }, fields: [] }, 'who names it is told')
})

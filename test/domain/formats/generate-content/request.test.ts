import t from 'tap'
import type { CompletionRequest } from '../../../../src/domain/completion/request.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.ts'
import { casesOf, fixture } from '../golden.ts'

const TARGET: RenderTarget = {
  model: 'gemini-2.5-flash',
  maxOutputTokens: undefined,
  defaultMaxOutputTokens: undefined,
  stream: false,
}
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }]

const parse = (fields: JsonObject = {}) =>
  generateContent.parseRequest({ contents: CONTENTS, ...fields }, { model: 'm' })
const chat = (fields: JsonObject): CompletionRequest =>
  chatCompletions.parseRequest({ messages: [{ role: 'user', content: 'Hello' }], ...fields })
const render = (request: CompletionRequest, target: Partial<RenderTarget> = {}) =>
  renderRequestFor('generate-content', request, { ...TARGET, ...target })
const configOf = (document: JsonObject) => asObject(document.generationConfig) ?? {}

t.test('a request goes on as the same object where nothing has to change', async (test) => {
  for (const name of casesOf('generate-content/requests', '.json')) {
    const document: JsonObject = JSON.parse(fixture(`generate-content/requests/${name}.json`))
    const request = generateContent.parseRequest(document, { model: TARGET.model, stream: true })
    test.equal(render(request, { stream: true }).document, document, name)
    test.strictSame(document, JSON.parse(fixture(`generate-content/requests/${name}.json`)), name)
  }
})

t.test('an output limit of the gateway is set in the spelling of the client, and never raised', async (test) => {
  const limited = (fields: JsonObject) => render(parse(fields), { maxOutputTokens: 10 }).document
  test.strictSame(limited({}), { contents: CONTENTS, generationConfig: { maxOutputTokens: 10 } })
  test.strictSame(limited({ generation_config: { max_output_tokens: 20, top_k: 1 } }).generation_config, {
    max_output_tokens: 10,
    top_k: 1,
  })
  test.strictSame(limited({ generationConfig: { maxOutputTokens: 5 } }).generationConfig, { maxOutputTokens: 5 })
})

t.test("the model in a body, which would contradict the path's, is taken out", async (test) => {
  test.strictSame(render(parse({ model: 'models/other' })).document, { contents: CONTENTS })
})

t.test('a request to be counted may stand inside a field', async (test) => {
  const document = { generateContentRequest: { model: 'models/x', contents: CONTENTS } }
  const request = generateContent.parseRequest(document, { model: 'm', countOnly: true })
  test.equal(request.messages.length, 1)
  test.strictSame(render(request).document, {
    generateContentRequest: { model: 'models/gemini-2.5-flash', contents: CONTENTS },
  })
})

const WRONG: readonly [JsonObject, string][] = [
  [{ contents: undefined }, 'contents'],
  [{ contents: [] }, 'contents'],
  [{ contents: 'Hello' }, 'contents'],
  [{ contents: ['Hello'] }, 'contents[0]'],
  [{ contents: [{ role: 'system', parts: [] }] }, 'contents[0].role'],
  [{ contents: [{ role: 'user', parts: [] }] }, 'contents[0].parts'],
  [{ contents: [{}] }, 'contents[0].parts'],
  [{ contents: [{ role: 'user', parts: 'Hello' }] }, 'contents[0].parts'],
  [{ contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0].text'],
  [{ contents: [{ parts: [{ inline_data: { data: 'x' } }] }] }, 'contents[0].parts[0].inline_data.mimeType'],
  [{ contents: [{ role: 'model', parts: [{ functionCall: {} }] }] }, 'contents[0].parts[0].functionCall.name'],
  [
    { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: '{}' } }] }] },
    'contents[0].parts[0].functionCall.args',
  ],
  [
    { contents: [{ parts: [{ functionResponse: { name: 'f', response: 'x' } }] }] },
    'contents[0].parts[0].functionResponse.response',
  ],
  [{ systemInstruction: 'x' }, 'systemInstruction'],
  [{ generation_config: { max_output_tokens: 0 } }, 'generation_config.max_output_tokens'],
  [{ generationConfig: { candidateCount: 9 } }, 'generationConfig.candidateCount'],
  [{ generationConfig: { stopSequences: 'x' } }, 'generationConfig.stopSequences'],
  [{ generationConfig: { stopSequences: [1] } }, 'generationConfig.stopSequences[0]'],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: -2 } } }, 'generationConfig.thinkingConfig.thinkingBudget'],
  [{ tools: 'x' }, 'tools'],
  [{ tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
  [{ toolConfig: { functionCallingConfig: { mode: 1 } } }, 'toolConfig.functionCallingConfig.mode'],
  [
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: 'f' } } },
    'toolConfig.functionCallingConfig.allowedFunctionNames',
  ],
  [
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [1] } } },
    'toolConfig.functionCallingConfig.allowedFunctionNames[0]',
  ],
]

t.test('a field of a wrong type is refused by its name', async (test) => {
  for (const [fields, param] of WRONG) {
    test.throws(() => parse(fields), { code: 'invalid_request_error', details: { param } }, param)
  }
  test.throws(() => parse({ contents: Array.from({ length: 100_001 }, () => CONTENTS[0] ?? null) }), {
    code: 'invalid_request_error',
  })
})

t.test('a field in two spellings is refused: one would be governed and the other obeyed', async (test) => {
  const both = (fields: JsonObject, param: string) =>
    test.throws(() => parse(fields), { code: 'invalid_request_error', details: { param } }, param)
  both({ systemInstruction: { parts: [] }, system_instruction: { parts: [] } }, 'system_instruction')
  both({ generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } }, 'generationConfig.max_output_tokens')
  both({ tools: [{ function_declarations: [], functionDeclarations: [] }] }, 'tools[0].functionDeclarations')
  both(
    { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: {}, parameters_json_schema: {} }] }] },
    'tools[0].functionDeclarations[0].parameters_json_schema',
  )
})

t.test('results without ids answer the calls of their name in order, those with ids theirs', async (test) => {
  const call = (name: string, id?: string) => ({
    functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
  })
  const result = (name: string, output: string, id?: string) => ({
    functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) },
  })
  const request = parse({
    contents: [
      ...CONTENTS,
      { role: 'model', parts: [call('a'), call('b'), call('a'), call('a', 'own')] },
      { role: 'function', parts: [result('a', '1'), result('a', '4', 'own'), result('b', '2'), result('a', '3')] },
      { role: 'model', parts: [call('a')] },
      { role: 'user', parts: [result('a', '5'), result('a', '6')] },
    ],
  })
  const ids = request.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => part.toolCallId) : [],
  )
  test.strictSame(ids, ['call_0', 'own', 'call_1', 'call_2', 'call_4', 'call_a'])
})

t.test('very many calls and results of different names take linear time', async (test) => {
  const many = 60_000
  const parts = (part: JsonObject) => Array.from({ length: many }, () => part)
  const request = parse({
    contents: [
      { role: 'model', parts: parts({ functionCall: { name: 'a', id: 'x' } }) },
      { role: 'user', parts: parts({ functionResponse: { name: 'a', response: {} } }) },
    ],
  })
  test.equal(request.messages[1]?.content.length, many)
})

t.test('tool definitions, choice and results reach another format and come back', async (test) => {
  const document: JsonObject = JSON.parse(fixture('generate-content/requests/full.json'))
  const request = generateContent.parseRequest(document, { model: 'm' })
  for (const format of [chatCompletions, messages]) {
    const there = renderRequestFor(format.name, request, { ...TARGET, defaultMaxOutputTokens: 100 })
    const back = format.parseRequest(there.document, {})
    test.strictSame(
      back.tools.map((tool) => [tool.name, tool.description, tool.parameters]),
      request.tools.map((tool) => [tool.name, tool.description, tool.parameters]),
    )
    // Chat-completions has no mark for a failed call: its text says so instead.
    const unmarked = JSON.stringify(callsAndResults(back)).replace('"Error: nobody"', '"nobody"')
    test.equal(unmarked, JSON.stringify(callsAndResults(request)), format.name)
    // The names that may be called are both: the list of tools says them there.
    test.strictSame(back.toolChoice, { type: request.toolChoice?.type })
    test.ok(there.warnings.some((warning) => warning.field === 'tools[1].googleSearch'))
  }
})

t.test('conversations of other formats keep texts, calls and results through this one', async (test) => {
  for (const format of [chatCompletions, messages]) {
    for (const name of casesOf(`${format.name}/requests`, '.json')) {
      const request = format.parseRequest(JSON.parse(fixture(`${format.name}/requests/${name}.json`)), {})
      const back = generateContent.parseRequest(render(request).document, {})
      test.strictSame(callsAndResults(back), callsAndResults(request), name)
      test.strictSame(
        back.tools.map((tool) => tool.name),
        request.tools.map((tool) => tool.name),
      )
    }
  }
})

/** What the model called and what came of it, in order. */
function callsAndResults(request: CompletionRequest): JsonValue[] {
  return request.messages.flatMap((message): JsonValue[] => {
    if (message.role === 'assistant') {
      return message.content.flatMap((part) =>
        part.type === 'tool-call' ? [[part.id, part.name, JSON.parse(part.arguments || '{}')]] : [],
      )
    }
    if (message.role !== 'tool') return []
    return message.content.map((part) => [
      part.toolCallId,
      part.content.map((one) => (one.type === 'text' ? one.text : '')).join(''),
    ])
  })
}

t.test('how much to think is said in the words that the model takes', async (test) => {
  const thinking = (fields: JsonObject, model: string) =>
    configOf(render(chat(fields), { model }).document).thinkingConfig
  test.strictSame(thinking({ reasoning_effort: 'medium' }, 'gemini-2.5-flash'), {
    thinkingBudget: 8192,
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning_effort: 'none' }, 'gemini-2.5-flash'), { thinkingBudget: 0 })
  test.strictSame(thinking({ reasoning_effort: 'none' }, 'models/gemini-2.5-pro'), { thinkingBudget: 128 })
  test.strictSame(thinking({ reasoning_effort: 'minimal' }, 'gemini-3-pro-preview'), {
    thinkingLevel: 'LOW',
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning_effort: 'xhigh' }, 'gemini-3.1-flash'), {
    thinkingLevel: 'HIGH',
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning_effort: 'low' }, 'gemini-flash-latest'), {
    thinkingLevel: 'LOW',
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning_effort: 'none' }, 'gemini-3-flash'), { thinkingLevel: 'MINIMAL' })
  test.strictSame(thinking({ reasoning_effort: 'none' }, 'gemini-3.8-flash'), { thinkingLevel: 'LOW' })
  test.strictSame(thinking({ reasoning: { max_tokens: 99_999 } }, 'gemini-2.5-flash'), {
    thinkingBudget: 24_576,
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning: { max_tokens: 3000 } }, 'gemini-3-pro'), {
    thinkingBudget: 3000,
    includeThoughts: true,
  })
  test.strictSame(thinking({ reasoning_effort: 'low' }, 'gemini-2.0-flash'), undefined)
  test.match(render(chat({ reasoning_effort: 'low' }), { model: 'gemma-3' }).warnings, [{ field: 'reasoning' }])
  const own = (config: JsonObject) => parse({ generationConfig: { thinkingConfig: config } }).reasoning
  test.strictSame(own({ thinkingBudget: 0 }), { effort: 'none' })
  test.strictSame(own({ thinkingBudget: -1 }), undefined)
  test.strictSame(own({ thinkingLevel: 'HIGH' }), { effort: 'high' })
})

t.test('models that require a signature get the substitute on the first foreign call of a step', async (test) => {
  const request = chat({
    messages: [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        tool_calls: ['1', '2'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
      },
      { role: 'tool', tool_call_id: '1', content: 'one' },
      { role: 'tool', tool_call_id: '2', content: 'two' },
    ],
  })
  const parts = (model: string) =>
    asArray(asObject(asArray(render(request, { model }).document.contents)[1])?.parts).map(
      (part) => asObject(part)?.thoughtSignature,
    )
  test.strictSame(parts('gemini-3-pro'), ['skip_thought_signature_validator', undefined])
  test.strictSame(parts('gemini-2.5-pro'), [undefined, undefined])
  const results = asObject(asArray(render(request).document.contents)[2])
  test.strictSame(results, {
    role: 'user',
    parts: [
      { functionResponse: { id: '1', name: 'f', response: { output: 'one' } } },
      { functionResponse: { id: '2', name: 'f', response: { output: 'two' } } },
    ],
  })
})

t.test('what other formats say and this one cannot is a warning', async (test) => {
  const request = chat({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'First.', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.webp?x=1', detail: 'low' } }],
      },
      { role: 'system', content: 'Later.' },
      {
        role: 'assistant',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{"n":12345678901234567890}' } }],
      },
    ],
    tools: [
      { type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } } },
    ],
    stop: ['1', '2', '3', '4', '5', '6'],
    parallel_tool_calls: false,
    user: 'u',
  })
  const { document, warnings } = render(request)
  test.match(JSON.stringify(document), '"args":{"n":12345678901234567890}')
  test.strictSame(warnings.map((warning) => warning.field).toSorted(), [
    'messages[0].content[0].detail',
    'messages[1]',
    'parallel_tool_calls',
    'stop',
    'system.cache_control',
    'tools[0].strict',
    'user',
  ])
  test.match(document, {
    systemInstruction: { parts: [{ text: 'First.' }, { text: 'Later.' }] },
    contents: [
      { parts: [{ fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?x=1' } }] },
      { role: 'model' },
    ],
  })
  test.strictSame(document.tools, [{ functionDeclarations: [{ name: 'f' }] }])
})

t.test('a file without a type is what its address says', async (test) => {
  const sent = (format: 'messages' | 'chat-completions', fileUri: string, mimeType?: string) => {
    const fileData = { fileUri, ...(mimeType === undefined ? {} : { mimeType }) }
    const request = parse({ contents: [{ role: 'user', parts: [{ text: 'x' }, { fileData }] }] })
    const { document, warnings } = renderRequestFor(format, request, TARGET)
    const [message] = asArray(document.messages)
    return { part: asArray(asObject(message)?.content)[1], warnings: warnings.length }
  }
  const picture = 'https://example.com/a.JPG?x=1'
  test.strictSame(sent('messages', picture), {
    part: { type: 'image', source: { type: 'url', url: picture } },
    warnings: 0,
  })
  test.strictSame(sent('chat-completions', picture), {
    part: { type: 'image_url', image_url: { url: picture } },
    warnings: 0,
  })
  const papers = ['https://example.com/a.pdf', 'https://example.com/paper', 'https://site.md', 'https://h.io?x=a.png']
  for (const paper of papers) {
    test.match(sent('messages', paper), {
      part: { type: 'document', source: { type: 'url', url: paper } },
      warnings: 0,
    })
  }
  for (const film of ['https://example.com/a.mp4', 'https://www.youtube.com/watch?v=x', 'https://youtu.be/x']) {
    test.strictSame(sent('messages', film), { part: undefined, warnings: 1 })
  }
  test.strictSame(sent('messages', 'https://example.com/a.txt'), { part: undefined, warnings: 1 })
  test.match(sent('messages', picture, 'application/pdf'), { part: { type: 'document' } })
})

t.test('instructions alone become what the user says, and empty texts are left out', async (test) => {
  test.strictSame(render(chat({ messages: [{ role: 'system', content: 'Speak.' }] })).document, {
    contents: [{ role: 'user', parts: [{ text: 'Speak.' }] }],
  })
  const request = chat({
    messages: [
      { role: 'user', content: '' },
      { role: 'user', content: 'x' },
    ],
  })
  test.strictSame(render(request).document, { contents: [{ role: 'user', parts: [{ text: 'x' }] }] })
})

t.test('each choice of tools has its words in both directions', async (test) => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  for (const choice of ['auto', 'none', 'required', { type: 'function', function: { name: 'f' } }]) {
    const request = chat({ tools, tool_choice: choice })
    test.strictSame(generateContent.parseRequest(render(request).document, {}).toolChoice, request.toolChoice)
  }
  test.equal(parse({ toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } }).toolChoice, undefined)
  test.equal(parse({ toolConfig: {} }).toolChoice, undefined)
})

t.test('a choice among some functions is kept, and told of where its mode is not known elsewhere', async (test) => {
  const calling = (mode: string) => ({
    toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['f', 'g'] } },
  })
  test.strictSame(parse(calling('ANY')).toolChoice, { type: 'required', among: ['f', 'g'] })
  test.equal(parse(calling('VALIDATED')).toolChoice, undefined)
  const functions = ['f', 'g', 'h'].map((name) => ({ type: 'function', function: { name } }))
  const request = { ...chat({ tools: functions }), toolChoice: { type: 'required', among: ['f', 'g'] } as const }
  test.match(render(request).document, {
    tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  })
  test.notMatch(JSON.stringify(render(request).document), '"h"')
})

t.test('JSON modes are carried over, and other media types are told of', async (test) => {
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } }
  const format = { type: 'json_schema', json_schema: { name: 'n', schema } }
  test.strictSame(configOf(render(chat({ response_format: format })).document), {
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
  })
  test.strictSame(configOf(render(chat({ response_format: { type: 'json_object' } })).document), {
    responseMimeType: 'application/json',
  })
  test.strictSame(render(chat({ response_format: { type: 'text' } })).document.generationConfig, undefined)
  test.strictSame(parse({ generationConfig: { responseMimeType: 'text/plain' } }).responseFormat, { type: 'text' })
  const other = { contents: CONTENTS, generationConfig: { responseMimeType: 'text/x.enum' } }
  test.strictSame(
    generateContent.unmodelledFields(other).map((warning) => warning.field),
    ['generationConfig.responseMimeType'],
  )
})

t.test('a model that refuses JSON beside tools gets the tools, with a warning', async (test) => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const json = { responseMimeType: 'application/json' }
  const config = (model: string, document: JsonObject) => {
    const request = chat({ response_format: { type: 'json_object' }, tools, ...document })
    const rendered = render(request, { model })
    return [rendered.document.generationConfig, rendered.warnings.map(({ field }) => field)]
  }
  for (const model of ['gemini-2.5-flash', 'models/gemini-2.0-flash', 'gemini-1.5-pro', 'google/gemini-2.5-pro']) {
    test.strictSame(config(model, {}), [undefined, ['response_format']], model)
    test.strictSame(config(model, { tools: [] }), [json, []], model)
    test.strictSame(config(model, { response_format: { type: 'text' } }), [undefined, []], model)
  }
  for (const model of ['gemini-3-pro-preview', 'gemini-3.1-flash', 'gemini-flash-latest', 'own-name']) {
    test.strictSame(config(model, {}), [json, []], model)
  }
})

t.test('the list of lost fields is bounded', async (test) => {
  const parts = Array.from({ length: 999 }, () => ({ future: 1 }))
  test.equal(generateContent.unmodelledFields({ contents: [{ parts }] }).length, 64)
})

t.test('penalties are sent to the models that take them, and nothing is lost by a zero', async (test) => {
  const sent = (fields: JsonObject, model: string) => {
    const { document, warnings } = render(chat(fields), { model })
    const { frequencyPenalty, presencePenalty } = configOf(document)
    return [frequencyPenalty, presencePenalty, ...warnings.map(({ field }) => field)]
  }
  const asked = { frequency_penalty: 0.5, presence_penalty: 0 }
  test.strictSame(sent(asked, 'gemini-2.0-flash'), [0.5, 0])
  test.strictSame(sent(asked, 'gemini-2.5-flash'), [undefined, 0, 'frequency_penalty'])
  test.strictSame(sent(asked, 'gemini-flash-latest'), [undefined, 0, 'frequency_penalty'])
})

t.test('a seed of more than 32 bits, and more choices than the vendor makes, are none that it takes', async (test) => {
  const sent = (fields: JsonObject) => {
    const { document, warnings } = render(chat(fields), { model: 'gemini-2.5-flash' })
    const { seed, candidateCount } = configOf(document)
    return [seed, candidateCount, ...warnings.map(({ field }) => field)]
  }
  test.strictSame(sent({ seed: 2 ** 31 - 1, n: 8 }), [2 ** 31 - 1, 8])
  test.strictSame(sent({ seed: 2 ** 31, n: 9 }), [undefined, 8, 'n', 'seed'])
  test.strictSame(sent({ seed: 0.5 }), [undefined, undefined, 'seed'])
})

t.test('that parallel calls cannot be forbidden is told to who forbade them', async (test) => {
  const sent = (fields: JsonObject) => render(chat(fields), { model: 'm' }).warnings.map(({ field }) => field)
  const tools = [{ type: 'function', function: { name: 'f' } }]
  test.strictSame(sent({ tools, parallel_tool_calls: false }), ['parallel_tool_calls'])
  test.strictSame(sent({ functions: [{ name: 'f' }] }), [])
})

t.test(
  'behind the model’s own turn at the end a user’s is put for the models that refuse to go on with it',
  async (test) => {
    const user = { role: 'user', content: 'Hello' }
    const answer = { role: 'assistant', content: 'The answer is' }
    const behind = { role: 'user', parts: [{ text: '(Continue.)' }] }
    const sent = (model: string, ...messages: JsonObject[]) => {
      const { document, warnings } = render(chat({ messages }), { model })
      return { last: asArray(document.contents).at(-1), fields: warnings.map(({ field }) => field) }
    }
    for (const model of ['gemini-3.5-flash-lite', 'gemini-3.6-flash', 'gemini-4-neon', 'gemini-flash-latest']) {
      test.strictSame(sent(model, user, answer), { last: behind, fields: ['messages[1]'] }, model)
      test.strictSame(sent(model, user, answer, user), { last: CONTENTS[0], fields: [] }, model)
    }
    const kept = { role: 'model', parts: [{ text: 'The answer is' }] }
    for (const model of ['gemini-2.5-flash', 'gemini-3-pro', 'gemini-3.1-flash-lite', 'gemini-3.5-flash', 'gemma-3']) {
      test.strictSame(sent(model, user, answer), { last: kept, fields: [] }, model)
    }
    const calls = {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    test.match(sent('gemini-3.6-flash', user, calls).last, { role: 'model' }, 'calls without results')
  },
)

t.test('a conversation that begins with a call has a user’s turn before it', async (test) => {
  const calls = {
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const rest = [calls, { role: 'tool', tool_call_id: 'a', content: 'done' }]
  const before = { role: 'user', parts: [{ text: '(The conversation begins with the answer.)' }] }
  const roles = (contents: JsonValue | undefined) => asArray(contents).map((content) => asObject(content)?.role)
  for (const first of [[], [{ role: 'system', content: 'Be brief.' }], [{ role: 'user', content: '' }]]) {
    const { document, warnings } = render(chat({ messages: [...first, ...rest] }))
    test.strictSame(asArray(document.contents)[0], before)
    test.strictSame(roles(document.contents), ['user', 'model', 'user'])
    test.match(warnings, [{ field: 'messages[0]' }])
  }
  const said = render(
    chat({
      messages: [
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Hi' },
      ],
    }),
  )
  test.strictSame(roles(said.document.contents), ['model', 'user'], 'what it said may be the beginning')
})

t.test(
  "a step's calls stand in one content and their results in the next, however the client has parted them",
  async (test) => {
    const call = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
    })
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: id })
    const user = { role: 'user', content: 'And?' }
    const sent = (list: JsonObject[], model = TARGET.model) =>
      asArray(render(chat({ messages: [user, ...list] }), { model }).document.contents).map((content) => {
        const { role, parts } = asObject(content) ?? {}
        return [role, ...asArray(parts).map((part) => Object.keys(asObject(part) ?? {}).join())]
      })
    const [said, called, answered] = [
      ['user', 'text'],
      ['model', 'functionCall', 'functionCall'],
      ['user', 'functionResponse', 'functionResponse'],
    ]
    test.strictSame(sent([call('a'), call('b'), result('a'), result('b')]), [said, called, answered])
    test.strictSame(
      sent([call('a'), call('b'), result('a'), user, result('b'), call('c'), user, result('c')]),
      [said, called, answered, said, ['model', 'functionCall'], ['user', 'functionResponse'], said],
      'what the user says between them follows',
    )
    test.strictSame(
      sent([call('a'), call('b'), result('a'), result('b')], 'gemini-3-pro')[1],
      ['model', 'functionCall,thoughtSignature', 'functionCall'],
      'the first of them bears the signature',
    )
  },
)

/** An agent's loop: the client sends all earlier ids back, and each must name one call and its result. */
import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf, renderRequestFor, renderResultFor } from '../../../src/domain/formats/registry.ts'
import type { RenderContext } from '../../../src/domain/formats/format.ts'
import { asObject, type JsonObject, type JsonValue } from '../../../src/domain/json.ts'
import { answerOf, partsOf } from './chat-completions/answer.ts'

const CHAT = formatOf('chat-completions')
const HELLO = { role: 'user', content: 'Hello' }

const sent = (to: ProviderFormatName, from: ProviderFormatName, document: JsonObject, model = 'm'): JsonObject =>
  renderRequestFor(to, formatOf(from).parseRequest(document, { model }), {
    model,
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: 100,
    stream: false,
  }).document

/** A chat-completions step: calls as pairs of id and name, and a result for each. */
const step = (...calls: [id: string, name: string][]): JsonObject[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
  },
  ...calls.map(([id, name]) => ({ role: 'tool', tool_call_id: id, content: `of ${name}` })),
]

/** `[id, name]` of calls and `[id, text]` of results, in the order of the document, whatever its format. */
function idsIn(value: JsonValue | undefined): [string, string][] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  const object = asObject(value)
  if (object === undefined) return []
  const named = object.functionCall ?? object.functionResponse
  if (named !== undefined) {
    const { id, name } = asObject(named) ?? {}
    return [[String(id), String(name)]]
  }
  if (object.type === 'tool_use') return [[String(object.id), String(object.name)]]
  if (object.type === 'function') return [[String(object.id), String(asObject(object.function)?.name)]]
  if (object.type === 'tool_result') return [[String(object.tool_use_id), String(object.content)]]
  if (object.role === 'tool') return [[String(object.tool_call_id), String(object.content)]]
  return Object.values(object).flatMap(idsIn)
}

const REPEATING = [HELLO, ...step(['call_0', 'a']), ...step(['call_0', 'b']), ...step(['call_0', 'a'], ['x', 'b'])]

t.test('ids that a server counts anew in every answer name one call each for another vendor', async (test) => {
  test.strictSame(idsIn(sent('messages', 'chat-completions', { messages: REPEATING })), [
    ['call_0', 'a'],
    ['call_0', 'of a'],
    ['call_0_2', 'b'],
    ['call_0_2', 'of b'],
    ['call_0_3', 'a'],
    ['x', 'b'],
    ['call_0_3', 'of a'],
    ['x', 'of b'],
  ])
})

t.test('a result is named by its own call where ids repeat', async (test) => {
  const ids = idsIn(sent('generate-content', 'chat-completions', { messages: REPEATING }))
  test.strictSame(ids.slice(0, 4), [
    ['call_0', 'a'],
    ['call_0', 'a'],
    ['call_0_2', 'b'],
    ['call_0_2', 'b'],
  ])
})

t.test('earlier ids stay as they were when the conversation grows', async (test) => {
  const whole = idsIn(sent('messages', 'chat-completions', { messages: REPEATING }))
  for (const length of [3, 5, 8]) {
    const ids = idsIn(sent('messages', 'chat-completions', { messages: REPEATING.slice(0, length) }))
    test.strictSame(ids, whole.slice(0, ids.length))
  }
})

t.test('calls of one step with one id take its results in order; an unknown id stays', async (test) => {
  const twice = step(['x', 'a'], ['x_2', 'a'], ['x', 'b'])
  const strange = { role: 'tool', tool_call_id: 'x', content: 'again' }
  const stranger = { role: 'tool', tool_call_id: 'nobody', content: 'late' }
  test.strictSame(idsIn(sent('messages', 'chat-completions', { messages: [HELLO, ...twice, strange, stranger] })), [
    ['x', 'a'],
    ['x_2', 'a'],
    ['x_3', 'b'],
    ['x', 'of a'],
    ['x_2', 'of a'],
    ['x_3', 'of b'],
    ['x_3', 'again'],
    ['nobody', 'late'],
  ])
})

t.test('an id that was answered in a step before names the call of the nearest', async (test) => {
  const [unanswered = {}] = step(['x', 'a'])
  const ids = idsIn(sent('messages', 'chat-completions', { messages: [HELLO, unanswered, HELLO, ...step(['x', 'b'])] }))
  test.strictSame(ids, [
    ['x', 'a'],
    ['x_2', 'b'],
    ['x_2', 'of b'],
  ])
})

t.test('a client of the same format keeps its document', async (test) => {
  const document = { model: 'm', messages: REPEATING }
  test.equal(sent('chat-completions', 'chat-completions', document), document)
})

t.test('results without ids find their calls where the calls repeat an id', async (test) => {
  const call = { role: 'model', parts: [{ functionCall: { id: 'x', name: 'a', args: {} } }] }
  const result = { role: 'user', parts: [{ functionResponse: { name: 'a', response: { output: 'of a' } } }] }
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }, call, result, call, result]
  test.strictSame(idsIn(sent('chat-completions', 'generate-content', { contents })), [
    ['x', 'a'],
    ['x', 'of a'],
    ['x_2', 'a'],
    ['x_2', 'of a'],
  ])
})

const MISTRAL = [
  'mistral-large-latest',
  'mistralai/Mistral-7B-Instruct-v0.3',
  'open-mixtral-8x22b',
  'ministral-8b',
  'magistral-medium-2509',
  'codestral-latest',
  'devstral-small-2507',
  'pixtral-12b',
  'hf.co/bartowski/Mistral-Nemo-GGUF',
]

const toolUse = (id: string): JsonObject[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'of f' }] },
]

t.test('Mistral gets ids of nine letters and digits, the same in call, result and later turns', async (test) => {
  const given = ['toolu_01A', 'toolu_01B', 'D681PevKs', 'toolu_01A', 'ä'.repeat(5000), '']
  const document = { max_tokens: 1, messages: [HELLO, ...given.flatMap(toolUse)] }
  for (const model of MISTRAL) {
    const ids = idsIn(sent('chat-completions', 'messages', document, model)).map(([id]) => id)
    const calls = ids.filter((_, index) => index % 2 === 0)
    test.strictSame(
      ids,
      calls.flatMap((id) => [id, id]),
    )
    test.equal(new Set(calls).size, given.length, model)
    for (const id of calls) test.match(id, /^[A-Za-z0-9]{9}$/)
    test.equal(calls[2], 'D681PevKs')
    // Of a fixed value, since the next turn may come to another process.
    test.equal(calls[0], 'e9i8447kz')
    const shorter = { max_tokens: 1, messages: [HELLO, ...toolUse('toolu_01A'), ...toolUse('toolu_01B')] }
    test.strictSame(
      idsIn(sent('chat-completions', 'messages', shorter, model)).map(([id]) => id),
      ids.slice(0, 4),
    )
  }
})

t.test('OpenAI gets ids of 40 characters at most', async (test) => {
  const long = 'chatcmpl-tool-0123456789abcdef0123456789abcdef'
  const document = { max_tokens: 1, messages: [HELLO, ...[long, `${long}0`, 'toolu_01A'].flatMap(toolUse)] }
  for (const model of ['gpt-4o', 'openai/gpt-5', 'o3-mini']) {
    const ids = idsIn(sent('chat-completions', 'messages', document, model)).map(([id]) => id ?? '')
    test.equal(new Set(ids).size, 3)
    test.ok(ids.every(({ length }) => length <= 40))
    test.strictSame(ids.slice(-2), ['toolu_01A', 'toolu_01A'])
  }
  const ids = idsIn(sent('chat-completions', 'messages', document, 'meta/llama')).map(([id]) => id)
  test.equal(ids[0], long)
})

t.test('clients of the same format, too, where the gateway has chosen the model', async (test) => {
  const call = (id: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{"n":12345678901234567890}' },
  })
  const messages = [
    HELLO,
    { role: 'assistant', content: null, tool_calls: [call('call_1'), call('D681PevKs')] },
    { role: 'tool', tool_call_id: 'call_1', content: 'one' },
    { role: 'tool', tool_call_id: 'D681PevKs', content: 'two' },
  ]
  const own = { model: 'auto', messages }
  test.strictSame(sent('chat-completions', 'chat-completions', own, 'gpt-4o').messages, messages)
  const rendered = sent('chat-completions', 'chat-completions', own, 'mistral-large-latest')
  test.match(rendered.messages, [
    HELLO,
    { tool_calls: [{ id: /^[A-Za-z0-9]{9}$/ }, call('D681PevKs')] },
    { tool_call_id: /^[A-Za-z0-9]{9}$/, content: 'one' },
    { tool_call_id: 'D681PevKs', content: 'two' },
  ])
  const [[id] = [], , [answered] = []] = idsIn(rendered)
  test.equal(id, answered)
  test.strictSame(messages[2], { role: 'tool', tool_call_id: 'call_1', content: 'one' }, 'the source stays')
})

t.test('other models, and clients of the same format that name the model, keep ids as they are', async (test) => {
  const document = { max_tokens: 1, messages: [HELLO, ...toolUse('toolu_01A')] }
  for (const model of ['gpt-5', 'deepseek-chat', 'llama3.1:8b', 'optimistral']) {
    const ids = idsIn(sent('chat-completions', 'messages', document, model)).map(([id]) => id)
    test.strictSame(ids, ['toolu_01A', 'toolu_01A'])
  }
  const own = { model: 'mistral-large-latest', messages: REPEATING }
  test.equal(sent('chat-completions', 'chat-completions', own, 'mistral-large-latest'), own)
})

const CALL = { function: { name: 'f', arguments: '{"a":1}' } }
const answer = (head: JsonObject, message: JsonObject): JsonObject => ({
  ...head,
  choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, ...message } }],
})
const wholeIds = (head: JsonObject, message: JsonObject): string[] =>
  CHAT.parseResult(answer(head, message)).choices.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
  )
const streamedIds = (head: JsonObject, delta: JsonObject): string[] => {
  const chunk = { ...head, choices: [{ index: 0, finish_reason: 'tool_calls', delta }] }
  return partsOf([{ data: JSON.stringify(chunk) }, { data: '[DONE]' }]).flatMap((part) =>
    part.type === 'tool-input-start' ? [part.toolCallId] : [],
  )
}
const indexed = (calls: JsonObject[]): JsonObject => ({
  tool_calls: calls.map((call, index) => ({ index, ...call })),
})

t.test('ids that a server leaves out differ between answers, and are the same whole and streamed', async (test) => {
  const heads = [{ id: 'chatcmpl-1' }, { id: 'chatcmpl-2' }, { created: 1 }, { created: 2 }, {}]
  const all = heads.flatMap((head) => {
    const ids = wholeIds(head, { tool_calls: [CALL, CALL] })
    test.strictSame(streamedIds(head, indexed([CALL, CALL])), ids)
    return ids
  })
  test.equal(new Set(all).size, all.length)
  test.strictSame(all.slice(0, 2), ['call_chatcmpl1_0_0', 'call_chatcmpl1_0_1'])
  test.match(all.at(-1), /^call_[a-z0-9]+_0_1$/)
  test.strictSame(wholeIds({ id: 'l1' }, { function_call: CALL.function }), ['call_l1_0_0'])
})

t.test('calls of one answer that bear one id get one each', async (test) => {
  const calls = [
    { id: 'x', ...CALL },
    { id: 'x', function: { name: 'f', arguments: '{"a":2}' } },
    { id: 'y', ...CALL },
  ]
  test.strictSame(wholeIds({ id: 'r' }, { tool_calls: calls }), ['x', 'call_r_0_1', 'y'])
  test.strictSame(streamedIds({ id: 'r' }, indexed(calls)), ['x', 'call_r_0_1', 'y'])
})

t.test('calls of one answer that bear one id keep their arguments apart, however their pieces come', async (test) => {
  const piece = (index: number, args: string, fields: JsonObject = {}): JsonObject => ({
    index,
    ...fields,
    function: { ...(fields.id === undefined ? {} : { name: 'f' }), arguments: args },
  })
  const x = { id: 'x' }
  const orders: JsonObject[][] = [
    [piece(0, '{"a":1}', x), piece(1, '{"a":2}', x)],
    [piece(0, '', x), piece(1, '', x), piece(0, '{"a":'), piece(1, '{"a":'), piece(0, '1}'), piece(1, '2}')],
    [piece(0, '', x), piece(1, '{"a":', x), piece(0, '{"a":', x), piece(1, '2}', x), piece(0, '1}', x)],
    [piece(0, '', x), piece(1, '{"a":'), piece(1, '2}', x), { ...x, ...piece(0, '{"a":1}') }],
  ]
  for (const pieces of orders) {
    const events = pieces.map((one) => ({
      data: JSON.stringify({ id: 'r', choices: [{ delta: { tool_calls: [one] } }] }),
    }))
    const { tools } = answerOf(partsOf([...events, { data: '[DONE]' }]))
    test.strictSame(
      tools.map((tool) => [tool.id, tool.arguments]),
      [
        ['x', '{"a":1}'],
        ['call_r_0_1', '{"a":2}'],
      ],
    )
  }
  // One call whose pieces are counted: a known id without a name is a further piece, whatever its index.
  const counted = [piece(0, '{"a":', x), { ...x, index: 1, function: { arguments: '1}' } }]
  const events = counted.map((one) => ({ data: JSON.stringify({ choices: [{ delta: { tool_calls: [one] } }] }) }))
  test.strictSame(
    answerOf(partsOf([...events, { data: '[DONE]' }])).tools.map((tool) => tool.arguments),
    ['{"a":1}'],
  )
})

t.test("a client's next turn names calls and results as the answer did", async (test) => {
  const context: RenderContext = {
    request: formatOf('messages').parseRequest({ max_tokens: 1, messages: [HELLO] }, {}),
    model: 'm',
    nowSeconds: 1,
    requestId: 'r',
  }
  const turns = ['r1', 'r2'].flatMap((id) => {
    const result = CHAT.parseResult(answer({ id }, { tool_calls: [CALL, CALL] }))
    const { content } = renderResultFor('messages', result, context).document
    const results = idsIn(content).map(([call]) => ({ type: 'tool_result', tool_use_id: call, content: `of ${call}` }))
    return [
      { role: 'assistant', content: content ?? null },
      { role: 'user', content: results },
    ]
  })
  const document = { max_tokens: 1, messages: [HELLO, ...turns] }
  const ids = idsIn(sent('chat-completions', 'messages', document)).filter(([, name]) => name === 'f')
  test.strictSame(
    ids.map(([id]) => id),
    ['call_r1_0_0', 'call_r1_0_1', 'call_r2_0_0', 'call_r2_0_1'],
  )
  const results = idsIn(sent('chat-completions', 'messages', document)).filter(([, text]) => text !== 'f')
  test.strictSame(
    results,
    ids.map(([id]) => [id, `of ${id}`]),
  )
})

import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { RenderContext } from '../../../../src/domain/formats/format.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'

const user = { role: 'user', content: 'x' }
const contextOf = (document: JsonObject): RenderContext => ({
  request: chatCompletions.parseRequest({ messages: [user], ...document }),
  model: 'm',
  nowSeconds: 1,
  requestId: 'r',
})
const functions = [{ name: 'f', parameters: { type: 'object', properties: {} } }]
const LEGACY = contextOf({ functions })
const NEWER = contextOf({ functions, tools: [{ type: 'function', function: functions[0] ?? null }] })
const use = (id: string, input: JsonObject) => ({ type: 'tool_use', id, name: 'f', input })
const answer = (...content: JsonObject[]) =>
  messages.parseResult({ id: 'msg_1', model: 'claude', content, stop_reason: 'tool_use', usage: {} })

t.test('a client that declares functions gets another vendor’s call as function_call', async (test) => {
  const result = answer(use('a', { b: 1 }), use('c', {}))
  const { document, warnings } = chatCompletions.renderResult(result, LEGACY)
  const called = { name: 'f', arguments: '{"b":1}' }
  test.match(document.choices, [{ message: { content: null, function_call: called }, finish_reason: 'function_call' }])
  test.notMatch(JSON.stringify(document), /tool_calls/)
  test.strictSame(
    warnings.map(({ field }) => field),
    ['choices[0].message.tool_calls'],
  )
  test.strictSame(chatCompletions.renderResult(answer(use('a', {})), LEGACY).warnings, [])
  const newer = chatCompletions.renderResult(result, NEWER).document.choices
  test.match(newer, [{ message: { tool_calls: [{ id: 'a' }, { id: 'c' }] }, finish_reason: 'tool_calls' }])
})

t.test('so it does in a stream', async (test) => {
  const start = (id: string): StreamPart => ({ type: 'tool-input-start', choice: 0, id, toolCallId: id, toolName: 'f' })
  const parts: StreamPart[] = [
    start('a'),
    { type: 'tool-input-delta', choice: 0, id: 'a', delta: '{"b":' },
    { type: 'tool-input-delta', choice: 0, id: 'a', delta: '1}' },
    { type: 'tool-input-end', choice: 0, id: 'a' },
    start('c'),
    { type: 'tool-input-end', choice: 0, id: 'c' },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'tool_use' } },
  ]
  const encoder = chatCompletions.createStreamEncoder(LEGACY)
  const chunks = parts.flatMap((part) => encoder.push(part)).map(({ data }) => JSON.parse(data).choices[0])
  test.strictSame(
    chunks.map(({ delta }) => delta),
    [
      { role: 'assistant', content: null },
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"b":' } },
      { function_call: { arguments: '1}' } },
      {},
    ],
  )
  test.equal(chunks.at(-1).finish_reason, 'function_call')
  test.equal(encoder.warnings.length, 1)
})

t.test('the other vendor is asked for one call at a time', async (test) => {
  test.equal(LEGACY.request.parallelToolCalls, false)
  test.equal(NEWER.request.parallelToolCalls, undefined)
})

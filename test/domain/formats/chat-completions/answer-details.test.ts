import t from 'tap'
import type { FinishReason } from '../../../../src/domain/completion/result.ts'
import { GatewayError, InvalidRequestError, UpstreamFormatError } from '../../../../src/domain/errors.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { parseFinish, renderFinish } from '../../../../src/domain/formats/chat-completions/finish.ts'
import { parseUsage, renderUsage } from '../../../../src/domain/formats/chat-completions/usage.ts'
import { FORMATS, formatOf, renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { answerOf, partsOf } from './answer.ts'

t.test('an answer without choices, or with a choice without a message, is refused', async (test) => {
  for (const document of [{}, { choices: [] }, { choices: 'x' }, { choices: [{}] }, { choices: [{ message: 'x' }] }]) {
    test.throws(() => chatCompletions.parseResult(document), UpstreamFormatError)
  }
})

t.test('arguments that are null are none, whole, streamed and in the next turn', async (test) => {
  for (const pieces of [['null'], ['', 'nu', 'll'], [' null', ' '], ['\n', 'null', '\n']]) {
    const streamed = pieces.map((piece, index): JsonObject => {
      const head = index === 0 ? { id: 'x' } : {}
      const called = { ...(index === 0 ? { name: 'f' } : {}), arguments: piece }
      return { choices: [{ delta: { tool_calls: [{ index: 0, ...head, function: called }] } }] }
    })
    const events = [...streamed.map((chunk) => ({ data: JSON.stringify(chunk) })), { data: '[DONE]' }]
    test.strictSame(answerOf(partsOf(events)).tools, [{ id: 'x', name: 'f', arguments: '{}' }])

    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: pieces.join('') } }],
    }
    const [choice] = chatCompletions.parseResult({ choices: [{ message }] }).choices
    test.match(choice?.content, [{ type: 'tool-call', arguments: '{}' }])
    const { messages } = chatCompletions.parseRequest({ messages: [message] })
    test.match(messages[0]?.content, [{ type: 'tool-call', arguments: '' }])
  }
})

t.test('an answer that says nothing has an empty text: without one it could not be sent back', async (test) => {
  const request = chatCompletions.parseRequest({ messages: [{ role: 'user', content: 'x' }] })
  const context = { request, model: 'm', nowSeconds: 7, requestId: 'r' }
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
  const call = { type: 'tool_use', id: 'x', name: 'f', input: {} }
  for (const { content, text } of [
    { content: [], text: '' },
    { content: [thought], text: '' },
    { content: [thought, call], text: null },
  ]) {
    const result = formatOf('messages').parseResult({ content, stop_reason: 'max_tokens' })
    test.match(chatCompletions.renderResult(result, context).document, { choices: [{ message: { content: text } }] })
  }
})

t.test('arguments that begin like null, or hold it, are sent as they come', async (test) => {
  for (const pieces of [
    ['n', 'o'],
    ['nul'],
    ['{"a":', 'null', '}'],
    ['"null"'],
    [' '],
    Array.from({ length: 40 }, () => ' '.repeat(9)),
  ]) {
    const streamed = pieces.map((piece): JsonObject => {
      return {
        choices: [{ delta: { tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: piece } }] } }],
      }
    })
    const events = [...streamed.map((chunk) => ({ data: JSON.stringify(chunk) })), { data: '[DONE]' }]
    test.equal(answerOf(partsOf(events)).tools[0]?.arguments, pieces.join(''))
  }
})

t.test('an index that has stood for two calls tells nothing of a third', async (test) => {
  const call = (index: number, id: string, args: string) => ({ index, id, function: { name: 'f', arguments: args } })
  const chunks = [[call(0, 'a', '{"x":1}')], [call(0, 'b', '{"y"')], [call(0, 'a', ''), call(1, 'b', ':2}')]]
  const events = chunks.map((tool_calls) => ({ data: JSON.stringify({ choices: [{ delta: { tool_calls } }] }) }))
  test.strictSame(answerOf(partsOf([...events, { data: '[DONE]' }])).tools, [
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'b', name: 'f', arguments: '{"y":2}' },
  ])
})

const finishes: [raw: string | undefined, hasTools: boolean, reason: FinishReason, word: string][] = [
  ['stop', false, 'stop', 'stop'],
  ['stop', true, 'tool-calls', 'tool_calls'],
  ['length', true, 'length', 'length'],
  ['tool_calls', true, 'tool-calls', 'tool_calls'],
  ['function_call', true, 'tool-calls', 'tool_calls'],
  ['content_filter', false, 'content-filter', 'content_filter'],
  ['STOP', false, 'stop', 'stop'],
  ['error', false, 'error', 'length'],
  ['brand_new', false, 'other', 'stop'],
  [undefined, false, 'stop', 'stop'],
]

for (const [raw, hasTools, reason, word] of finishes) {
  t.test(
    `a choice that ends by ${raw} ${hasTools ? 'with' : 'without'} tool calls ended by ${reason}`,
    async (test) => {
      const finish = parseFinish(raw, hasTools)
      test.strictSame(finish, { reason, raw })
      test.equal(renderFinish(finish), word)
    },
  )
}

const usages: { name: string; usage: JsonObject; expected: [number, number, number, number, number] }[] = [
  { name: 'plain', usage: { prompt_tokens: 5, completion_tokens: 2 }, expected: [5, 0, 0, 2, 0] },
  {
    name: 'with cached and written tokens (OpenRouter)',
    usage: {
      prompt_tokens: 10,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
    },
    expected: [3, 3, 4, 2, 0],
  },
  {
    name: 'with more cached than prompt tokens',
    usage: { prompt_tokens: 1, cached_tokens: 5 },
    expected: [1, 5, 0, 0, 0],
  },
  { name: 'with nonsense', usage: { prompt_tokens: '5', completion_tokens: 2 }, expected: [0, 0, 0, 2, 0] },
]

for (const { name, usage, expected } of usages) {
  t.test(`usage ${name} is unified, and its raw object kept`, async (test) => {
    const [input, cachedInput, cacheWrite, output, reasoning] = expected
    test.strictSame(parseUsage(usage), { input, cachedInput, cacheWrite, output, reasoning, raw: usage })
  })
}

t.test('usage that counts nothing is none: the answer is estimated', async (test) => {
  for (const usage of [{}, { prompt_tokens: '5', completion_tokens: -2 }, { prompt_tokens: null }]) {
    test.equal(parseUsage(usage), undefined)
  }
  test.ok(parseUsage({ prompt_tokens: 0 }))
})

t.test('rendered usage reads back as the same usage', async (test) => {
  const usage = { input: 5, cachedInput: 4, cacheWrite: 0, output: 3, reasoning: 2 }
  test.strictSame({ ...parseUsage(renderUsage(usage)), raw: undefined }, { ...usage, raw: undefined })
  test.equal(parseUsage(null), undefined)
})

t.test('a refusal has the shape of the vendor, and so has the event that ends a failed stream', async (test) => {
  const body = {
    error: { message: 'Wrong.', type: 'invalid_request_error', param: 'messages', code: 'invalid_request_error' },
  }
  const error = new InvalidRequestError('Wrong.', 'messages')
  test.strictSame(chatCompletions.renderError(error), body)
  test.strictSame(chatCompletions.renderStreamError(error), [{ data: JSON.stringify(body) }])
  test.match(chatCompletions.renderError(new GatewayError('budget_exceeded', 'Spent.')), {
    error: { type: 'insufficient_quota', param: null, code: 'budget_exceeded' },
  })
})

const errors: { document: JsonObject; message?: string; type?: string; code?: string; param?: string }[] = [
  {
    document: { error: { message: 'No.', type: 't', param: 'p', code: 'c' } },
    message: 'No.',
    type: 't',
    param: 'p',
    code: 'c',
  },
  { document: { error: 'No.' }, message: 'No.' },
  { document: { object: 'error', message: 'No.', code: 400 }, message: 'No.', code: '400' },
  { document: { detail: 'Not Found' }, message: 'Not Found' },
  {
    document: { detail: [{ loc: ['body', 'messages', 0], msg: 'field required' }] },
    message: 'body.messages.0: field required',
  },
  { document: { detail: [{}, { msg: 'field required' }] }, message: 'field required' },
  { document: { detail: [{}] } },
  {
    document: {
      object: 'error',
      message: { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs' }] },
      type: 'invalid',
    },
    message: 'body.seed: Extra inputs',
    type: 'invalid',
  },
  { document: { error: { message: { deep: true }, code: null } } },
  { document: {} },
]

for (const { document, message, type, code, param } of errors) {
  t.test(`the error body ${JSON.stringify(document)} is read`, async (test) => {
    test.strictSame(chatCompletions.parseError(document), { message, type, code, param })
  })
}

t.test('every format is registered under its name', async (test) => {
  for (const format of FORMATS) test.equal(formatOf(format.name), format)
  const request = chatCompletions.parseRequest({ messages: [{ role: 'user', content: 'x' }], logit_bias: {} })
  const target = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
  test.strictSame(renderRequestFor('chat-completions', request, target).warnings, [])
})

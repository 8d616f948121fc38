import t from 'tap'
import type { CompletionResult, Usage } from '../../../../src/domain/completion/result.ts'
import { GatewayError, InvalidRequestError } from '../../../../src/domain/errors.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const request = generateContent.parseRequest({ contents: { parts: { text: 'x' } } }, {})
const CONTEXT = { request, model: 'm', nowSeconds: 1, requestId: 'r' }
const answer = (fields: JsonObject) => generateContent.parseResult({ candidates: [{}], ...fields })
const usageOf = (usageMetadata: JsonObject) => {
  const { raw: _raw, ...usage } = answer({ usageMetadata }).usage ?? { raw: {} }
  return usage
}

t.test(
  'usage is unified: cached tokens are taken out of the prompt, thoughts are added to the output',
  async (test) => {
    const usage = (input: number, cachedInput: number, output: number, reasoning: number) => ({
      input,
      cachedInput,
      cacheWrite: 0,
      output,
      reasoning,
    })
    test.strictSame(usageOf({ promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 }), usage(10, 0, 4, 0))
    test.strictSame(
      usageOf({ promptTokenCount: 10, cachedContentTokenCount: 8, candidatesTokenCount: 4 }),
      usage(2, 8, 4, 0),
    )
    const thinking = { promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 3 }
    test.strictSame(usageOf({ ...thinking, totalTokenCount: 17 }), usage(10, 0, 7, 3))
    test.strictSame(
      usageOf({ ...thinking, totalTokenCount: 14 }),
      usage(10, 0, 4, 3),
      'counted inside, as the total shows',
    )
    test.strictSame(usageOf({ ...thinking, toolUsePromptTokenCount: 5, totalTokenCount: 22 }), usage(15, 0, 7, 3))
    test.strictSame(usageOf({ promptTokenCount: 1, cachedContentTokenCount: 9 }), usage(0, 1, 0, 0), 'never below zero')
    test.strictSame(usageOf({ promptTokenCount: -1, candidatesTokenCount: 0 }), usage(0, 0, 0, 0))
    test.equal(answer({ usageMetadata: { promptTokenCount: -1, candidatesTokenCount: 'x' } }).usage, undefined)
    test.equal(answer({ usageMetadata: null }).usage, undefined)
  },
)

t.test('usage of every provider comes back from this format as it was, and the total is the sum', async (test) => {
  const counts: Usage = { input: 1, cachedInput: 2, cacheWrite: 4, output: 16, reasoning: 8 }
  const result: CompletionResult = {
    source: { format: 'messages', document: {} },
    id: 'i',
    model: 'm',
    choices: [{ index: 0, content: [], finish: { reason: 'stop', raw: 'end_turn' } }],
    usage: counts,
  }
  const { document } = generateContent.renderResult(result, CONTEXT)
  test.match(document.usageMetadata, {
    promptTokenCount: 7,
    cachedContentTokenCount: 2,
    candidatesTokenCount: 8,
    thoughtsTokenCount: 8,
    totalTokenCount: 23,
  })
  const back = generateContent.parseResult(document).usage
  test.match(back, { input: 5, cachedInput: 2, output: 16, reasoning: 8 })
})

t.test('each finish reason has its meaning, and goes back as the word it was', async (test) => {
  const words = {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    LANGUAGE: 'other',
    OTHER: 'other',
    MALFORMED_FUNCTION_CALL: 'error',
    SOMETHING_NEW: 'other',
  }
  for (const [raw, reason] of Object.entries(words)) {
    const finish = answer({ candidates: [{ finishReason: raw }] }).choices[0]?.finish
    test.strictSame(finish, { reason, raw })
  }
  test.equal(answer({}).choices[0]?.finish.reason, 'stop')
  const calling = { content: { parts: [{ functionCall: { name: 'f' } }] } }
  test.equal(answer({ candidates: [{ ...calling, finishReason: 'STOP' }] }).choices[0]?.finish.reason, 'tool-calls')
  test.equal(answer({ candidates: [{ ...calling, finishReason: 'MAX_TOKENS' }] }).choices[0]?.finish.reason, 'length')
})

t.test('every end of another format has a word here', async (test) => {
  for (const [word, expected] of [
    ['stop', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['tool_calls', 'STOP'],
    ['content_filter', 'SAFETY'],
    ['error', 'OTHER'],
    ['weird', 'OTHER'],
  ] as const) {
    const result = chatCompletions.parseResult({ choices: [{ message: { content: 'x' }, finish_reason: word }] })
    test.match(generateContent.renderResult(result, CONTEXT).document.candidates, [{ finishReason: expected }], word)
  }
})

t.test('encrypted thinking is lost with a warning, a refusal is text', async (test) => {
  const result: CompletionResult = {
    source: { format: 'messages', document: {} },
    id: '',
    model: '',
    choices: [
      {
        index: 0,
        content: [
          { type: 'reasoning', text: '', redacted: 'x' },
          { type: 'refusal', text: 'No.' },
        ],
        finish: { reason: 'content-filter', raw: 'refusal' },
      },
    ],
    usage: undefined,
  }
  const { document, warnings } = generateContent.renderResult(result, CONTEXT)
  test.match(document, { candidates: [{ content: { parts: [{ text: 'No.' }] } }], modelVersion: 'm', responseId: 'r' })
  test.match(warnings, [{ field: 'candidates[0].thinking' }])
})

t.test('an answer without candidates and without a reason for it is no answer', async (test) => {
  test.throws(() => generateContent.parseResult({}), { code: 'upstream_format_error' })
  test.throws(() => generateContent.parseResult({ candidates: ['x'] }), { code: 'upstream_format_error' })
})

t.test('the same call has the same made-up id in a stream and in a whole answer', async (test) => {
  const document = {
    responseId: 'resp_1',
    candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] }, finishReason: 'STOP' }],
  }
  const [whole] = generateContent.parseResult(document).choices[0]?.content ?? []
  const streamed = generateContent.createStreamDecoder().push({ data: JSON.stringify(document) })
  test.match(whole, { id: 'call_resp1_0_0' })
  test.ok(streamed.some((part) => part.type === 'tool-input-start' && part.toolCallId === 'call_resp1_0_0'))
})

t.test("errors have Google's shape, with the gateway's code as their reason", async (test) => {
  const bodyOf = (error: GatewayError) => generateContent.renderError(error, 'r')
  test.strictSame(bodyOf(new InvalidRequestError('wrong', 'contents')), {
    error: {
      code: 400,
      message: 'wrong',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'invalid_request_error',
          domain: 'tollgate',
          metadata: { requestId: 'r', param: 'contents' },
        },
      ],
    },
  })
  const words = {
    invalid_api_key: 'UNAUTHENTICATED',
    model_not_allowed: 'PERMISSION_DENIED',
    model_not_found: 'NOT_FOUND',
    rate_limit_exceeded: 'RESOURCE_EXHAUSTED',
    internal_error: 'INTERNAL',
    all_providers_failed: 'UNAVAILABLE',
    no_healthy_provider: 'UNAVAILABLE',
    upstream_timeout: 'DEADLINE_EXCEEDED',
    request_too_large: 'INVALID_ARGUMENT',
  } as const
  for (const [code, status] of Object.entries(words)) {
    test.match(bodyOf(new GatewayError(code as keyof typeof words, 'x')), { error: { status } }, code)
  }
  const limited = bodyOf(new GatewayError('rate_limit_exceeded', 'x', { retryAfterSeconds: 1.2 }))
  test.match(limited, { error: { details: [{}, { retryDelay: '2s' }] } })
  const vendor = { type: 'FAILED_PRECONDITION', code: 'REGION' }
  const own = bodyOf(new GatewayError('provider_rejected_request', 'x', { vendor }))
  test.match(own, { error: { status: 'FAILED_PRECONDITION', details: [{ reason: 'REGION' }] } })
  const [event] = generateContent.renderStreamError(new GatewayError('upstream_timeout', 'x'), 'r')
  test.match(JSON.parse(event?.data ?? ''), { error: { code: 504 } })
})

t.test("a provider's error is read, whatever is missing in it", async (test) => {
  const details = [
    { '@type': 'x/google.rpc.BadRequest', fieldViolations: [{ field: 'contents', description: 'x' }] },
    { '@type': 'x/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
  ]
  test.strictSame(
    generateContent.parseError({ error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT', details } }),
    {
      message: 'm',
      type: 'INVALID_ARGUMENT',
      code: 'API_KEY_INVALID',
      param: 'contents',
    },
  )
  test.match(generateContent.parseError({ error: 'plain' }), { message: 'plain' })
  test.match(generateContent.parseError({}), { message: undefined, type: undefined, code: undefined, param: undefined })
})

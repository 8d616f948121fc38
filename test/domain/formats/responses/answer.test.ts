/** Answers of other formats as Responses clients get them: the stream says in the end what the whole answer says. */
import fc from 'fast-check'
import t from 'tap'
import { partsOf, ResultAssembler } from '../../../../src/domain/completion/assemble.ts'
import type { CompletionResult } from '../../../../src/domain/completion/result.ts'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import type { RenderContext } from '../../../../src/domain/formats/format.ts'
import { FORMATS, formatOf } from '../../../../src/domain/formats/registry.ts'
import { responses } from '../../../../src/domain/formats/responses/responses.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { readResponsesStream } from '../../../helpers/responses-grammar.ts'
import { cuts, script, streamOf } from '../generated-streams.ts'

const TOOLS = [
  { type: 'function', name: 'weather' },
  { type: 'custom', name: 'search' },
]

function contextOf(document: JsonObject = { input: 'x', tools: TOOLS }): RenderContext {
  return { request: responses.parseRequest(document), model: 'm', nowSeconds: 7, requestId: 'r' }
}

function streamed(parts: readonly StreamPart[], context = contextOf()) {
  const encoder = responses.createStreamEncoder(context)
  const events = [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
  return { ...readResponsesStream(events), encoder, events }
}

function resultOf(fields: Partial<CompletionResult['choices'][number]>): CompletionResult {
  return {
    source: { format: 'messages', document: {} },
    id: 'x',
    model: 'claude',
    choices: [{ index: 0, content: [], finish: { reason: 'stop', raw: undefined }, ...fields }],
    usage: { input: 5, cachedInput: 2, cacheWrite: 1, output: 9, reasoning: 4 },
  }
}

for (const { name } of FORMATS) {
  t.test(`${name} streams end in the answer that they would be whole`, async () => {
    fc.assert(
      fc.property(script, cuts, (said, cut) => {
        const decoder = formatOf(name).createStreamDecoder()
        const events = streamOf(name, said, { ...cut, failure: 'none' })
        const parts = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
        const assembler = new ResultAssembler()
        for (const part of parts) assembler.push(part)
        const whole = responses.renderResult(assembler.result(name), contextOf()).document
        const { response } = streamed(parts)
        return JSON.stringify(textsOf(response)) === JSON.stringify(textsOf(whole))
      }),
      { numRuns: 300 },
    )
  })
}

/** Neighbouring texts of one message are one part in a stream. */
function textsOf({ output, usage, status, incomplete_details: details }: JsonObject) {
  const items = JSON.parse(JSON.stringify(output)) as { type: string; content?: { text: string }[] }[]
  for (const item of items) {
    if (item.content !== undefined) item.content = [{ text: item.content.map(({ text }) => text).join('') }]
  }
  return { items, usage, status, details }
}

t.test('a whole answer', async (t) => {
  const { document, warnings } = responses.renderResult(
    resultOf({
      content: [
        { type: 'reasoning', text: 'Hm.', signature: 'sealed' },
        { type: 'text', text: 'Let me look.' },
        { type: 'refusal', text: 'No.' },
        { type: 'tool-call', id: 'call_1', name: 'weather', arguments: '{}' },
        { type: 'tool-call', id: 'call_2', name: 'search', arguments: '{"input":"a \\"b\\""}' },
      ],
      finish: { reason: 'tool-calls', raw: 'tool_use' },
    }),
    contextOf({
      input: 'x',
      tools: TOOLS,
      tool_choice: 'required',
      max_output_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: 'low' },
    }),
  )
  t.strictSame(document, {
    id: 'resp_r',
    object: 'response',
    created_at: 7,
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: 9,
    metadata: {},
    model: 'claude',
    output: [
      { id: 'rs_r_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      {
        id: 'msg_r_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      { id: 'fc_r_2', type: 'function_call', status: 'completed', call_id: 'call_1', name: 'weather', arguments: '{}' },
      {
        id: 'ctc_r_3',
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_2',
        name: 'search',
        input: 'a "b"',
      },
    ],
    parallel_tool_calls: false,
    previous_response_id: null,
    reasoning: { effort: 'low', summary: null },
    store: false,
    temperature: 0.5,
    tool_choice: 'required',
    tools: [],
    top_p: 0.9,
    truncation: 'disabled',
    usage: {
      input_tokens: 8,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 17,
    },
  })
  t.strictSame(
    warnings.map(({ field }) => field),
    ['output[0]'],
  )
})

t.test('why an answer ended', async (t) => {
  const ends = [
    ['stop', 'completed', null],
    ['tool-calls', 'completed', null],
    ['other', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['content-filter', 'incomplete', { reason: 'content_filter' }],
    ['error', 'failed', null],
  ] as const
  for (const [reason, status, details] of ends) {
    const result = resultOf({ content: [{ type: 'text', text: 'x' }], finish: { reason, raw: undefined } })
    const { document } = responses.renderResult(result, contextOf())
    t.match(document, { status, incomplete_details: details })
    const { response } = streamed([...partsOf(result)])
    t.strictSame(response, document, 'the same as a stream')
  }
})

t.test('the texts of an answer are visited, and nothing else is', async (t) => {
  const content = [
    { type: 'reasoning', text: 'mail 1' },
    { type: 'text', text: 'mail 2' },
    { type: 'refusal', text: 'mail 3' },
    { type: 'tool-call', id: 'mail 4', name: 'weather', arguments: '{"to":"mail 5"}' },
    { type: 'tool-call', id: 'x', name: 'search', arguments: '{"input":"mail 6"}' },
  ] as const
  const { document } = responses.renderResult(resultOf({ content }), contextOf())
  const seen: string[] = []
  t.ok(responses.visitResultText(document, ({ text }) => (seen.push(text), text.replace('mail', 'restored'))))
  t.strictSame(new Set(seen), new Set(['mail 1', 'mail 2', 'mail 3', 'to', 'mail 5', 'mail 6']))
  t.match(JSON.stringify(document), 'mail 4')
  t.equal(JSON.stringify(document).match(/restored/g)?.length, 5)
})

t.test('a call of a tool in a namespace comes back as such', async (t) => {
  const members = [
    { type: 'function', name: 'find' },
    { type: 'custom', name: 'note' },
  ]
  const context = contextOf({
    input: 'x',
    tools: [{ type: 'namespace', name: 'docs', description: '', tools: members }],
  })
  const calls = [
    { type: 'tool-call', id: 'call_1', name: 'docs__find', arguments: '{}' },
    { type: 'tool-call', id: 'call_2', name: 'docs__note', arguments: '{"input":"x"}' },
  ] as const
  const { document } = responses.renderResult(resultOf({ content: calls }), context)
  const { response } = streamed([...partsOf(resultOf({ content: calls }))], context)
  for (const { output } of [document, response])
    t.match(output, [
      { type: 'function_call', call_id: 'call_1', namespace: 'docs', name: 'find', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_2', namespace: 'docs', name: 'note', input: 'x' },
    ])
})

t.test('a call that was cut off is incomplete', async (t) => {
  for (const [written, status] of [
    ['{"input":"x"}', 'completed'],
    ['{}', 'completed'],
    ['', 'incomplete'],
    ['{"input":"rm -rf /tmp/', 'incomplete'],
  ] as const)
    for (const name of ['weather', 'search']) {
      const content = [{ type: 'tool-call', id: 'call_1', name, arguments: written }] as const
      const result = resultOf({ content, finish: { reason: 'length', raw: undefined } })
      const { output } = responses.renderResult(result, contextOf()).document
      t.match(output, [{ status }], `${name} ${written}`)
      t.strictSame(streamed([...partsOf(result)]).output, output)
    }
})

t.test('a text that the model has written for a custom call in place of an object is its whole input', async (t) => {
  for (const written of ['ls -l', '"ls"', '*** Begin Patch\n{', '[1'])
    for (const [name, status] of [
      ['weather', written === '"ls"' ? 'completed' : 'incomplete'],
      ['search', 'completed'],
    ] as const) {
      const content = [{ type: 'tool-call', id: 'call_1', name, arguments: written }] as const
      const result = resultOf({ content, finish: { reason: 'tool-calls', raw: undefined } })
      const { output } = responses.renderResult(result, contextOf()).document
      t.match(output, [{ status, [name === 'search' ? 'input' : 'arguments']: written }], `${name} ${written}`)
      t.strictSame(streamed([...partsOf(result)]).output, output)
    }
})

t.test('a custom call without arguments has an empty input', async (t) => {
  const content = [{ type: 'tool-call', id: 'call_1', name: 'search', arguments: '{}' }] as const
  const result = resultOf({ content, finish: { reason: 'tool-calls', raw: undefined } })
  const { output } = responses.renderResult(result, contextOf()).document
  t.match(output, [{ status: 'completed', input: '' }])
  t.strictSame(streamed([...partsOf(result)]).output, output)
})

t.test('an answer repeats the choice in the words of the client', async (t) => {
  const members = [{ type: 'function', name: 'find' }]
  const tools = [...TOOLS, { type: 'namespace', name: 'docs', description: '', tools: members }]
  for (const choice of [
    { type: 'function', name: 'weather' },
    { type: 'custom', name: 'search' },
    { type: 'function', name: 'docs.find' },
  ]) {
    const context = contextOf({ input: 'x', tools, tool_choice: choice })
    t.strictSame(responses.renderResult(resultOf({}), context).document.tool_choice, choice)
  }
})

t.test("a provider's error in the stream is the last event", async (t) => {
  const { error, events } = streamed([
    { type: 'text-start', choice: 0, id: 'a' },
    { type: 'text-delta', choice: 0, id: 'a', delta: 'x' },
    { type: 'error', message: 'overloaded', code: 'busy' },
    { type: 'text-delta', choice: 0, id: 'a', delta: 'y' },
  ])
  t.match(error, { message: 'overloaded', code: 'busy' })
  t.equal(events.at(-1)?.event, 'error')
})

t.test('what is kept for the end is told: texts, and an item or a part for more than its text', async (t) => {
  const say = (count: number): StreamPart[] =>
    Array.from({ length: count }, () => ({ type: 'text-delta', choice: 0, id: 'a', delta: 'abc' }))
  const once = streamed(say(1)).encoder.heldCharacters
  t.equal(streamed(say(40)).encoder.heldCharacters - once, 39 * 3)
  const byTurns = say(40).flatMap((part): StreamPart[] => [
    part,
    { type: 'reasoning-delta', choice: 0, id: 'b', delta: 'abc' },
  ])
  t.equal(streamed(byTurns).encoder.heldCharacters, 80 * once)
  const refusedByTurns = say(40).flatMap((part): StreamPart[] => [
    part,
    { type: 'refusal-delta', choice: 0, delta: 'abc' },
  ])
  t.equal(streamed(refusedByTurns).encoder.heldCharacters, 80 * once)
  t.ok(once > 100)
})

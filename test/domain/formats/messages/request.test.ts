import t from 'tap'
import { GatewayError, InvalidRequestError } from '../../../../src/domain/errors.ts'
import type { RenderTarget } from '../../../../src/domain/formats/format.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { casesOf, fixture } from '../golden.ts'

const user = { role: 'user', content: 'Hello' }
const TARGET: RenderTarget = {
  model: 'claude',
  maxOutputTokens: undefined,
  defaultMaxOutputTokens: undefined,
  stream: false,
}

function same(document: JsonObject, target: Partial<RenderTarget> = {}) {
  return messages.renderRequest(messages.parseRequest(document), { ...TARGET, ...target })
}

const fields = (rendered: { warnings: readonly { field: string }[] }): string[] =>
  rendered.warnings.map((warning) => warning.field)

const block = (content: JsonObject): JsonObject => ({ max_tokens: 1, messages: [{ role: 'user', content: [content] }] })
const base = { max_tokens: 1, messages: [user] }
const refused: [param: string, document: JsonObject][] = [
  ['max_tokens', { messages: [user] }],
  ['max_tokens', { ...base, max_tokens: -1 }],
  ['max_tokens', { ...base, max_tokens: '1' }],
  ['model', { ...base, model: '' }],
  ['messages', { max_tokens: 1 }],
  ['messages', { max_tokens: 1, messages: [] }],
  ['messages', { max_tokens: 1, messages: Array.from({ length: 100_001 }, () => user) }],
  ['messages[0]', { max_tokens: 1, messages: [null] }],
  ['messages[0].role', { max_tokens: 1, messages: [{ role: 'tool', content: 'x' }] }],
  ['messages[0].content', { max_tokens: 1, messages: [{ role: 'user' }] }],
  ['messages[0].content[0].type', block({ text: 'x' })],
  ['messages[0].content[0].text', block({ type: 'text' })],
  ['messages[0].content[0].source', block({ type: 'image' })],
  ['messages[0].content[0].source.data', block({ type: 'image', source: { type: 'base64', media_type: 'image/png' } })],
  ['messages[0].content[0].tool_use_id', block({ type: 'tool_result' })],
  ['messages[0].content[0].content', block({ type: 'tool_result', tool_use_id: 'a', content: 1 })],
  [
    'messages[0].content[0].input',
    {
      max_tokens: 1,
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: 'x' }] }],
    },
  ],
  ['system', { ...base, system: 1 }],
  ['system[0].type', { ...base, system: [{ type: 'image' }] }],
  ['tools[0].input_schema', { ...base, tools: [{ name: 'f' }] }],
  ['tool_choice.name', { ...base, tool_choice: { type: 'tool' } }],
  ['tool_choice.disable_parallel_tool_use', { ...base, tool_choice: { type: 'auto', disable_parallel_tool_use: 1 } }],
  ['stop_sequences[1]', { ...base, stop_sequences: ['a', 1] }],
  ['temperature', { ...base, temperature: 'hot' }],
  ['thinking.budget_tokens', { ...base, thinking: { type: 'enabled', budget_tokens: 0 } }],
  ['output_config.format.schema', { ...base, output_config: { format: { type: 'json_schema' } } }],
  ['metadata.user_id', { ...base, metadata: { user_id: 1 } }],
  ['stream', { ...base, stream: 'yes' }],
]

for (const [param, document] of refused) {
  t.test(`a wrong value is refused by the name ${param}: ${JSON.stringify(document).slice(0, 60)}`, async (test) => {
    try {
      messages.parseRequest(document)
      test.fail('it was taken')
    } catch (error) {
      test.ok(error instanceof InvalidRequestError)
      test.match(error, { details: { param } })
    }
  })
}

t.test('a turn of a message thread is refused with the word that the vendor’s SDKs act on', async (test) => {
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }, 1]) {
    for (const countOnly of [false, true]) {
      try {
        messages.parseRequest({ ...base, thread }, { countOnly })
        test.fail('it was taken')
      } catch (error) {
        test.ok(error instanceof GatewayError)
        test.match(error, { status: 400, code: 'thread_unsupported_request', details: { param: 'thread' } })
      }
    }
  }
  test.ok(messages.parseRequest({ ...base, thread: null }))
})

t.test('a count of tokens needs no output limit', async (test) => {
  const { sampling } = messages.parseRequest({ messages: [user] }, { countOnly: true })
  test.equal(sampling.maxOutputTokens, undefined)
})

t.test(
  'the same format keeps the document itself, or every field beside those that the gateway decides',
  async (test) => {
    for (const name of casesOf('messages/requests', '.json')) {
      const document: JsonObject = JSON.parse(fixture(`messages/requests/${name}.json`))
      const request = messages.parseRequest(document)
      const target = { ...TARGET, model: String(document.model), stream: request.stream }
      test.equal(messages.renderRequest(request, target).document, document)
      const { document: patched } = messages.renderRequest(request, {
        ...target,
        model: 'claude-x',
        maxOutputTokens: 50,
      })
      const { thinking, ...rest }: JsonObject = { ...document, model: 'claude-x', max_tokens: 50 }
      test.match(patched, rest)
      if (name === 'full') test.notOk('thinking' in patched, 'a limit that holds no thinking ends it')
      else test.strictSame(patched.thinking, thinking)
      test.strictSame(document, JSON.parse(fixture(`messages/requests/${name}.json`)))
    }
  },
)

t.test('a lowered limit lowers the thinking budget with it, and a higher one changes nothing', async (test) => {
  const document = { ...base, max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 5000, display: 'omitted' } }
  test.match(same(document, { maxOutputTokens: 3000 }).document, {
    max_tokens: 3000,
    thinking: { type: 'enabled', budget_tokens: 2400, display: 'omitted' },
  })
  test.match(same(document, { maxOutputTokens: 9000 }).document, { max_tokens: 8000, thinking: document.thinking })
  const thinkingWithin = (maxOutputTokens: number, budget: number) => {
    const thinking = { type: 'enabled', budget_tokens: budget }
    return same({ ...document, thinking }, { maxOutputTokens }).document.thinking
  }
  test.strictSame(thinkingWithin(3000, 2999), { type: 'enabled', budget_tokens: 2400 }, 'no room for an answer')
  test.strictSame(thinkingWithin(3000, 2400), { type: 'enabled', budget_tokens: 2400 })
  test.equal(thinkingWithin(1100, 1024), undefined)
})

t.test(
  'thinking that nobody signed is not sent to Anthropic, where a turn may have gone elsewhere before',
  async (test) => {
    const thought = { type: 'thinking', thinking: 'a', signature: '' }
    const document = {
      ...base,
      messages: [
        user,
        { role: 'assistant', content: [thought, { type: 'text', text: 'b' }] },
        { role: 'assistant', content: [thought] },
        user,
      ],
    }
    const rendered = same(document)
    test.strictSame(rendered.document.messages, [
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      user,
    ])
    test.strictSame(fields(rendered), ['messages[1].thinking', 'messages[2].thinking'])
    test.strictSame(same(document, { model: 'deepseek-chat' }).document.messages, document.messages)
  },
)

t.test('the names that every object inherits are unknown words like any other', async (test) => {
  for (const word of ['constructor', 'hasOwnProperty', 'toString']) {
    const document = {
      ...base,
      messages: [{ role: 'user', content: [{ type: word }] }],
      output_config: { effort: word },
    }
    test.same(
      messages.unmodelledFields(document).map(({ field }) => field),
      ['messages[0].content[0]'],
    )
    test.equal(messages.parseRequest(document).reasoning, undefined)
  }
})

t.test(
  'a choice of a tool of the vendor’s own is left out with it, as others refuse a choice of what is not there',
  async (test) => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const own = { name: 'f', input_schema: {} }
    const sent = (format: 'chat-completions' | 'generate-content', name: string) => {
      const document = { ...base, tools: [search, own], tool_choice: { type: 'tool', name } }
      const { document: rendered, warnings } = renderRequestFor(format, messages.parseRequest(document), TARGET)
      const { tool_choice: choice, toolConfig } = rendered
      return { choice, toolConfig, warned: warnings.map(({ field }) => field) }
    }
    for (const format of ['chat-completions', 'generate-content'] as const) {
      const none = { choice: undefined, toolConfig: undefined, warned: ['tools[0]', 'tool_choice'] }
      test.strictSame(sent(format, 'web_search'), none, format)
      test.strictSame(sent(format, 'f').warned, ['tools[0]'], format)
    }
    test.match(sent('chat-completions', 'f').choice, { function: { name: 'f' } })
    test.match(sent('chat-completions', 'unknown').choice, { function: { name: 'unknown' } })
  },
)

t.test(
  "the model's own last word is followed by the user's where the gateway chose a model that refuses it",
  async (test) => {
    const [old, young] = ['claude-sonnet-4-5', 'claude-opus-4-6']
    const asked = (content: string | JsonObject[], model: string | undefined = old): JsonObject => ({
      ...(model === undefined ? {} : { model }),
      max_tokens: 9,
      messages: [user, { role: 'assistant', content }],
    })
    const goesOn = { role: 'user', content: '(Continue.)' }
    for (const model of [old, 'auto', 'anthropic/claude-opus-4-6', undefined]) {
      const source = asked('{', model)
      const { document, warnings } = same(source, { model: young })
      test.strictSame(document, { ...source, model: young, messages: [...(source.messages as JsonObject[]), goesOn] })
      test.match(warnings, [{ field: 'messages[1]', message: /user's turn was put behind it/ }])
      test.same((source.messages as JsonObject[]).length, 2, 'the source is as it was')
    }
    const named = asked('{', young)
    test.equal(same(named, { model: young }).document, named, 'who named it reads what its vendor says')
    for (const model of [old, 'claude-mock', 'deepseek-chat'])
      test.strictSame(same(asked('{', young), { model }).document, { ...named, model }, model)
    const paused = [
      { type: 'text', text: 'a' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    ]
    const called = [{ type: 'tool_use', id: 't', name: 'f', input: {} }]
    for (const content of [paused, called]) test.strictSame(same(asked(content), { model: young }).warnings, [])
  },
)

t.test('a picture inside a document in blocks goes to another vendor, behind the document’s text', async (test) => {
  const source = (data: string) => ({ type: 'base64', media_type: 'image/png', data })
  const image = (data: string) => ({ type: 'image', source: source(data) })
  const document = (...content: JsonObject[]) => ({ type: 'document', source: { type: 'content', content } })
  const sent = (content: JsonObject) => {
    const request = messages.parseRequest(block(content))
    const rendered = renderRequestFor('chat-completions', request, TARGET)
    return { parts: JSON.stringify(rendered.document.messages), fields: fields(rendered) }
  }
  const url = (data: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } })
  const one = { type: 'text', text: 'one' }
  const mixed = sent(document(one, image('AAAA'), { type: 'text', text: 'two' }, image('BBBB')))
  test.strictSame(mixed.fields, [])
  const parts = [{ type: 'text', text: 'one\n\ntwo' }, url('AAAA'), url('BBBB')]
  test.equal(mixed.parts, JSON.stringify([{ role: 'user', content: parts }]))
  test.equal(sent(document(image('AAAA'))).parts, JSON.stringify([{ role: 'user', content: [url('AAAA')] }]))
  const result = { type: 'tool_result', tool_use_id: 'a', content: [document(one, image('AAAA'))] }
  test.match(sent(result).parts, /"one".*base64,AAAA/)
  const unknown = sent(document(one, { type: 'audio', source: source('AAAA') }))
  test.strictSame(unknown.fields, ['messages[0].content[0].source.content[1]'])
  const request = messages.parseRequest(block(document(one, image('AAAA'))))
  test.strictSame(
    request.messages[0]?.content.map(({ type }) => type),
    ['document', 'image'],
    'routing and quotas see it',
  )
})

t.test('no field has the provider choose another model than the gateway has', async (t) => {
  const document = { model: 'claude', max_tokens: 1, messages: [user] }
  for (const fallbacks of ['default', [{ model: 'claude-dear' }]]) {
    const rendered = same({ ...document, fallbacks })
    t.strictSame(rendered.document, document)
    t.strictSame(fields(rendered), ['fallbacks'])
  }
})

import t from 'tap'
import * as fc from 'fast-check'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import {
  createStreamEncoderFor,
  FORMATS,
  formatOf,
  renderRequestFor,
  renderResultFor,
} from '../../../src/domain/formats/registry.ts'
import type { RenderContext } from '../../../src/domain/formats/format.ts'
import { MOST_TOOLS, ToolNames } from '../../../src/domain/formats/tool-names.ts'
import { asArray, asObject, type JsonObject } from '../../../src/domain/json.ts'

const TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: 100, stream: false }
const LONG = `mcp__a_server_with_a_long_name__${'x'.repeat(60)}`

const parsed = (from: ProviderFormatName, document: JsonObject) => formatOf(from).parseRequest(document, { model: 'm' })
const sent = (from: ProviderFormatName, to: ProviderFormatName, document: JsonObject) =>
  renderRequestFor(to, parsed(from, document), TARGET).document
const contextOf = (from: ProviderFormatName, document: JsonObject, answeredIn: ProviderFormatName): RenderContext => ({
  request: parsed(from, document),
  model: 'm',
  nowSeconds: 0,
  requestId: 'r',
  answeredIn,
})

/** A client of Gemini, which takes dots and colons, in the second turn. */
const GEMINI: JsonObject = {
  contents: [
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts: [{ functionCall: { name: 'ns.tool', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'ns.tool', response: { result: 'x' } } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'ns.tool' }, { name: 'ns:tool' }, { name: 'ns_tool' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['ns.tool', 'ns:tool'] } },
}

const chatNames = (document: JsonObject) =>
  asArray(document['tools']).map((tool) => asObject(asObject(tool)?.['function'])?.['name'])

t.test('names that the other vendor refuses are sent as it takes them, each tool under one of its own', async (t) => {
  const toChat = sent('generate-content', 'chat-completions', GEMINI)
  t.same(chatNames(toChat), ['ns_tool_2', 'ns_tool_3'], 'ns_tool, which may not be called, keeps its own')
  t.match(JSON.stringify(toChat['messages']), '"name":"ns_tool_2"')
  t.notMatch(JSON.stringify(toChat), /ns[.:]tool/)
  const toClaude = JSON.stringify(sent('generate-content', 'messages', GEMINI))
  t.notMatch(toClaude, /ns[.:]tool/)
  t.match(toClaude, '{"type":"tool_use","id":')
})

t.test('names that the other vendor takes stay, and those of the own one whatever they are', async (t) => {
  const tools = [
    { type: 'function', function: { name: '2fa-check' } },
    { type: 'function', function: { name: LONG } },
  ]
  const document: JsonObject = { messages: [{ role: 'user', content: 'x' }], tools }
  t.match(JSON.stringify(sent('chat-completions', 'messages', document)), `"name":"${LONG}"`)
  t.match(JSON.stringify(sent('chat-completions', 'chat-completions', document)), `"name":"${LONG}"`)
  const toGemini = JSON.stringify(sent('chat-completions', 'generate-content', document))
  t.match(toGemini, '"name":"_2fa-check"')
  t.match(toGemini, `"name":"${LONG.slice(0, 64)}"`)
})

t.test('an answer, whole or streamed, calls the tools as the client knows them', async (t) => {
  const document: JsonObject = {
    max_tokens: 10,
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ name: LONG, input_schema: { type: 'object' } }],
  }
  const name = chatNames(sent('messages', 'chat-completions', document))[0]
  t.equal(name, LONG.slice(0, 64))
  const call = { index: 0, id: 'c', type: 'function', function: { name: name ?? '', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const answer = { id: 'a', model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const context = contextOf('messages', document, 'chat-completions')
  const whole = renderResultFor('messages', formatOf('chat-completions').parseResult(answer), context)
  t.match(JSON.stringify(whole.document), `"name":"${LONG}"`)

  const chunk = (delta: JsonObject, finish: string | null) => ({
    data: JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] }),
  })
  const decoder = formatOf('chat-completions').createStreamDecoder()
  const encoder = createStreamEncoderFor('messages', context)
  const parts = [chunk({ role: 'assistant', tool_calls: [call] }, null), chunk({}, 'tool_calls'), { data: '[DONE]' }]
    .flatMap((event) => decoder.push(event))
    .concat(decoder.end())
  const events = parts.flatMap((part) => encoder.push(part)).concat(encoder.end())
  t.match(events.map(({ data }) => data).join('\n'), `"name":"${LONG}"`)
})

const NAME = fc.oneof(
  fc.string({ minLength: 1, maxLength: 140, unit: 'binary' }),
  fc.constantFrom('a.b', 'a:b', 'a_b', 'a_b_2', '1', '_1', `${'x'.repeat(64)}1`, `${'x'.repeat(64)}2`, 'x'.repeat(64)),
)

t.test('whatever the names, each is sent as one that fits, no two alike, and comes back; history changes none', (t) => {
  for (const { name: format, toolNames: rules } of FORMATS)
    fc.assert(
      fc.property(
        fc.uniqueArray(NAME, { minLength: 1, maxLength: 12 }),
        fc.array(NAME, { maxLength: 6 }),
        (tools, called) => {
          const request = parsed('messages', { max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
          const offering = { ...request, tools: tools.map((name) => ({ name })) }
          const calls = called.map((name) => ({ type: 'tool-call' as const, id: name, name, arguments: '{}' }))
          const later = { ...offering, messages: [{ role: 'assistant' as const, content: calls }] }
          const names = ToolNames.of(offering, rules)
          const laterNames = ToolNames.of(later, rules)
          const all = [...new Set([...tools, ...called])]
          const sentNames = all.map((name) => laterNames?.sent(name) ?? name)
          const areFitting = sentNames.every(
            (name) =>
              name.length <= rules.longest &&
              rules.first.test(name.charAt(0)) &&
              [...name].every((one) => rules.character.test(one)),
          )
          return (
            areFitting &&
            new Set(sentNames).size === all.length &&
            all.every((name, index) => (laterNames?.original(sentNames[index] ?? '') ?? name) === name) &&
            tools.every((name) => (names?.sent(name) ?? name) === (laterNames?.sent(name) ?? name))
          )
        },
      ),
      { numRuns: format === 'messages' ? 100 : 300 },
    )
  t.pass()
  t.end()
})

const withTools = (count: number) => {
  const tools = Array.from({ length: count }, (_unused, index) => ({ name: `é${'x'.repeat(70)}${index}` }))
  return { ...parsed('messages', { max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }), tools }
}

t.test('many names that become alike are told apart in linear work', async (t) => {
  const request = withTools(MOST_TOOLS)
  const last = request.tools.at(-1)?.name ?? ''
  const names = ToolNames.of(request, formatOf('chat-completions').toolNames)
  t.equal(names?.original(names.sent(last)), last)
})

t.test(
  'more tools than any vendor takes go as they are, as keeping their names would cost more than the request',
  async (t) => {
    t.equal(ToolNames.of(withTools(MOST_TOOLS + 1), formatOf('chat-completions').toolNames), undefined)
  },
)

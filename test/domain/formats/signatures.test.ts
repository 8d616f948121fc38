/** Signatures of thoughts: worth something only to the vendor who made them, and refused with a 400 by every other. */
import t from 'tap'
import { partsOf } from '../../../src/domain/completion/assemble.ts'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const GEMINI = {
  responseId: 'r',
  modelVersion: 'gemini-3-pro-preview',
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 'R09PR0xF' },
          { functionCall: { id: 'f', name: 'clock', args: {} }, thoughtSignature: 'R09PR0xF' },
        ],
      },
      finishReason: 'STOP',
    },
  ],
}
const CLAUDE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'QU5USFJPUElD' },
    { type: 'tool_use', id: 't', name: 'clock', input: {} },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const CLIENT: Readonly<Record<string, JsonObject>> = {
  messages: { max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  'generate-content': { contents: [{ parts: [{ text: 'x' }] }] },
}

function shown(from: ProviderFormatName, answer: JsonObject, to: ProviderFormatName, answeredIn?: ProviderFormatName) {
  const format = formatOf(to)
  const request = format.parseRequest(CLIENT[to] ?? {}, {})
  const context = { request, model: 'm', nowSeconds: 1, requestId: 'r', ...(answeredIn ? { answeredIn } : {}) }
  const result = formatOf(from).parseResult(structuredClone(answer))
  const encoder = format.createStreamEncoder(context)
  const events = [...partsOf(result)].flatMap((part) => encoder.push(part))
  const whole = format.renderResult(result, context)
  return {
    whole: JSON.stringify(whole.document),
    stream: JSON.stringify([...events, ...encoder.end()]),
    warnings: [whole.warnings, encoder.warnings],
  }
}

t.test("Gemini's signatures are not shown to a client of Anthropic's", async (t) => {
  const { whole, stream, warnings } = shown('generate-content', GEMINI, 'messages')
  t.notMatch(whole + stream, 'R09PR0xF')
  t.match(whole, '"signature":""')
  for (const list of warnings) t.ok(list.some((one) => /signature/.test(one.message)))
})

t.test("Claude's signatures are not shown to a client of Gemini's", async (t) => {
  const { whole, stream, warnings } = shown('messages', CLAUDE, 'generate-content')
  t.notMatch(whole + stream, 'QU5USFJPUElD')
  t.match(whole, '"thought":true')
  for (const list of warnings) t.ok(list.some((one) => /signature/.test(one.message)))
})

t.test('an answer that is written anew in its own format keeps its signatures', async (t) => {
  const claude = shown('messages', CLAUDE, 'messages', 'messages')
  t.match(claude.whole, 'QU5USFJPUElD')
  t.match(claude.stream, 'QU5USFJPUElD')
  const gemini = shown('generate-content', GEMINI, 'generate-content', 'generate-content')
  t.equal(gemini.stream.split('R09PR0xF').length, 3)
})

const target = (model: string) => ({
  model,
  maxOutputTokens: undefined,
  defaultMaxOutputTokens: undefined,
  stream: false,
})

t.test("the next turn of a client of Gemini's may go to a model that demands signatures", async (t) => {
  const call = (name: string, fields: JsonObject = {}) => ({ functionCall: { name, args: {} }, ...fields })
  const result = (name: string) => ({ role: 'user', parts: [{ functionResponse: { name, response: {} } }] })
  const document = {
    contents: [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [{ text: 'hm', thought: true }, call('a'), call('b')] },
      result('a'),
      { role: 'model', parts: [call('c', { thoughtSignature: 'R09PR0xF' })] },
      { role: 'model', parts: [call('d')] },
      result('c'),
    ],
  }
  const format = formatOf('generate-content')
  const request = format.parseRequest(document, { model: 'm' })
  const { document: sent, warnings } = format.renderRequest(request, target('gemini-3-pro-preview'))
  t.match(sent['contents'], { 1: { parts: [{}, { thoughtSignature: 'skip_thought_signature_validator' }, {}] } })
  t.equal(JSON.stringify(sent).split('thoughtSignature').length - 1, 2, 'the first call of a step, where it has none')
  t.match(warnings, [{ field: 'contents[1]' }])
  t.notMatch(JSON.stringify(document), 'skip_', 'the source is not touched')
  t.equal(format.renderRequest(request, target('gemini-2.5-flash')).document, document)
})

t.test("the next turn of a client of Anthropic's may go to a model that thinks by budget", async (t) => {
  const turn = (content: JsonObject[]) => ({
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [...content, { type: 'tool_use', id: 't', name: 'clock', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '12' }] },
    ],
  })
  const format = formatOf('messages')
  const render = (document: JsonObject) =>
    format.renderRequest(format.parseRequest(document, {}), target('claude-sonnet-4-5'))
  const foreign = render(turn([{ type: 'thinking', thinking: 'hm', signature: '' }]))
  t.notMatch(JSON.stringify(foreign.document), /"thinking":/)
  t.match(
    foreign.warnings.map((one) => one.field),
    ['messages[1].thinking', 'thinking'],
  )
  t.notMatch(JSON.stringify(render(turn([])).document), /"thinking":/, 'nor where the other did not think at all')
  const own = render(turn([{ type: 'thinking', thinking: 'hm', signature: 'QU5USFJPUElD' }]))
  t.match(own.document, { thinking: { type: 'enabled' } })
})

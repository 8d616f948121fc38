import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { customCallOf } from '../../../../src/domain/formats/chat-completions/custom-call.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: 9, stream: false }
const call = { id: 't', type: 'custom', custom: { name: 'run', input: 'print("hi")' } }
const tool = { type: 'custom', custom: { name: 'run', format: { type: 'text' } } }
const document: JsonObject = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Run it' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 't', content: 'hi' },
  ],
  tools: [tool],
}
const request = chatCompletions.parseRequest(document)

t.test('the result of a custom tool has its call at other vendors, which refuse one without', async (t) => {
  const input = { input: 'print("hi")' }
  const claude = renderRequestFor('messages', request, TARGET)
  t.match(claude.document['messages'], [
    { role: 'user', content: 'Run it' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'run', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'hi' }] },
  ])
  const gemini = renderRequestFor('generate-content', request, TARGET)
  t.match(gemini.document['contents'], [
    { parts: [{ text: 'Run it' }] },
    { parts: [{ functionCall: { id: 't', name: 'run', args: input } }] },
    { parts: [{ functionResponse: { id: 't', name: 'run', response: { output: 'hi' } } }] },
  ])
  for (const { warnings } of [claude, gemini]) {
    t.strictSame(
      warnings.map(({ field }) => field),
      ['tools[0]'],
    )
  }
})

t.test('in its own format it stays as it was', async (t) => {
  t.equal(renderRequestFor('chat-completions', request, TARGET).document, document)
})

t.test('what is no such call is left out with a warning, as before', async (t) => {
  for (const other of [
    { ...call, id: undefined },
    { ...call, custom: { name: 'run' } },
    { ...call, custom: 'run' },
    { ...call, type: 'mcp' },
  ]) {
    t.equal(customCallOf(other), undefined)
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hm', tool_calls: [other] },
    ]
    const { warnings } = renderRequestFor('messages', chatCompletions.parseRequest({ model: 'm', messages }), TARGET)
    t.strictSame(
      warnings.map(({ field }) => field),
      ['messages[1].tool_calls[0]'],
    )
  }
})

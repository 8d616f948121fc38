import t from 'tap'
import type { ProviderFormatName } from '../../../../src/domain/completion/request.ts'
import { formatOf } from '../../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { needsOf } from '../../../../src/proxy/pipeline/planning/request-needs.ts'

const needs = (format: ProviderFormatName, document: JsonObject) =>
  needsOf(formatOf(format).parseRequest(document, { model: 'm', stream: false }))

const chat = (fields: JsonObject, ...content: JsonObject[]) =>
  needs('chat-completions', { model: 'm', messages: [{ role: 'user', content }], ...fields })

const text = { type: 'text', text: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
const tools = [{ type: 'function', function: { name: 'f' } }]

t.test('what a request holds says what a model must be able to do', async (t) => {
  t.strictSame(chat({}, text), ['chat'])
  t.strictSame(chat({ stream: true, tools }, text), ['chat', 'streaming', 'tools'])
  t.strictSame(chat({}, text, image), ['chat', 'vision'])
  t.strictSame(chat({}, audio, image, image), ['chat', 'vision', 'audio'])
  // docs/routing.md: JSON moves no request.
  t.strictSame(chat({ response_format: { type: 'json_object' }, reasoning_effort: 'low' }, text), ['chat'])
})

t.test('a picture in the result of a tool is one to be seen', async (t) => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const shot = (...content: JsonObject[]) =>
    needs('messages', {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] },
      ],
    })
  t.strictSame(shot(text, { type: 'image', source }), ['chat', 'vision'])
  t.strictSame(shot(text), ['chat'])
  const functionResponse = { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }
  const contents = [{ role: 'user', parts: [{ functionResponse }] }]
  t.strictSame(needs('generate-content', { contents }), ['chat', 'vision'])
})

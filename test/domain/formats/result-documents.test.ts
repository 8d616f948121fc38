import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { messages } from '../../../src/domain/formats/messages/messages.ts'
import { renderRequestFor } from '../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject } from '../../../src/domain/json.ts'

const TARGET = { maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
const text = (value: string) => ({ type: 'text', text: value })
const picture = { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }
const found = { type: 'search_result', source: 'https://a.test', title: 'Rome', content: [text('sunny')] }
const file = { type: 'document', title: 'b.txt', source: { type: 'text', media_type: 'text/plain', data: 'cold' } }
const blocks = { type: 'document', source: { type: 'content', content: [text('windy'), picture] } }

const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string, ...content: JsonObject[]) => ({ type: 'tool_result', tool_use_id: id, content })

/** A step with two calls, whose results are documents. */
const request = messages.parseRequest({
  max_tokens: 9,
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [call('one'), call('two')] },
    { role: 'user', content: [result('one', text('two found:'), found, file), result('two', blocks)] },
  ],
})

const rendered = (name: ProviderFormatName, model: string) =>
  renderRequestFor(name, request, { ...TARGET, model }).document

t.test('documents of a result that are texts stay in it; only pictures go behind', async (t) => {
  t.match(asArray(rendered('chat-completions', 'm').messages).slice(2), [
    { role: 'tool', tool_call_id: 'one', content: 'two found:\n\nRome\nsunny\n\nb.txt\ncold' },
    { role: 'tool', tool_call_id: 'two', content: 'windy' },
    { role: 'user', content: [{ type: 'image_url' }] },
  ])
  const [, , results] = asArray(rendered('generate-content', 'gemini-2.5-flash').contents).map((item) => asObject(item))
  t.match(results?.parts, [
    { functionResponse: { id: 'one', response: { output: 'two found:\n\nRome\nsunny\n\nb.txt\ncold' } } },
    { functionResponse: { id: 'two', response: { output: 'windy' } } },
    { fileData: { fileUri: 'https://a.test/a.png' } },
  ])
})

import t from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import { readChatStream } from './chat-completions-grammar.ts'

const DONE = { data: '[DONE]' }
const event = (fields: JsonObject) => ({
  data: JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields }),
})
const delta = (fields: JsonObject, finish: string | null = null) =>
  event({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }] })
const call = (fields: JsonObject) => delta({ tool_calls: [{ index: 0, ...fields }] })
const role = delta({ role: 'assistant', content: '' })
const first = call({ id: 'c', type: 'function', function: { name: 'f', arguments: '' } })

t.test('accepts what the vendor sends, and reads it', async (t) => {
  const events = [role, delta({ content: 'a' }), first, call({ function: { arguments: '{}' } })]
  const { choices } = readChatStream([...events, delta({}, 'tool_calls'), DONE], { usage: false })
  t.match(choices.get(0), { content: 'a', calls: [{ id: 'c', name: 'f', arguments: '{}' }] })
})

const BAD = {
  'no end mark': [role, delta({}, 'stop')],
  'no role': [delta({ content: 'a' }), delta({}, 'stop'), DONE],
  'the role twice': [role, role, delta({}, 'stop'), DONE],
  'no finish': [role, DONE],
  'a word that is none': [role, delta({}, 'end_turn'), DONE],
  'text after the finish': [role, delta({}, 'stop'), delta({ content: 'a' }), DONE],
  'usage that nobody asked for': [role, delta({}, 'stop'), event({ choices: [], usage: { prompt_tokens: 1 } }), DONE],
  'a call that says stop': [role, first, call({ function: { arguments: '{}' } }), delta({}, 'stop'), DONE],
  'a call without arguments': [role, first, delta({}, 'tool_calls'), DONE],
  'a call without id': [role, call({ type: 'function', function: { name: 'f', arguments: '{}' } }), DONE],
  'an id repeated': [role, first, call({ id: 'c', function: { arguments: '{}' } }), delta({}, 'tool_calls'), DONE],
  'another id': [role, { data: delta({}, 'stop').data.replace('"x"', '"y"') }, DONE],
}

for (const [name, events] of Object.entries(BAD)) {
  t.test(`refuses ${name}`, async (t) => t.throws(() => readChatStream(events, { usage: false })))
}

import t from 'tap'
import type { SseEvent } from '../../src/domain/formats/format.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { readMessagesStream } from './messages-grammar.ts'

const event = (type: string, fields: JsonObject = {}): SseEvent => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
})
const message = {
  id: 'i',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
const start = event('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 0 } } })
const open = (index: number, block: JsonObject) => event('content_block_start', { index, content_block: block })
const text = (index: number) => open(index, { type: 'text', text: '' })
const tool = (index: number) => open(index, { type: 'tool_use', id: 'c', name: 'f', input: {} })
const delta = (index: number, fields: JsonObject) => event('content_block_delta', { index, delta: fields })
const say = (index: number) => delta(index, { type: 'text_delta', text: 'a' })
const call = (index: number) => delta(index, { type: 'input_json_delta', partial_json: '{}' })
const close = (index: number) => event('content_block_stop', { index })
const end = (reason: string) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } })
const stop = event('message_stop')

const bad: Record<string, SseEvent[]> = {
  'a block before message_start': [text(0), say(0), close(0), end('end_turn'), stop],
  'an empty text block': [start, text(0), close(0), end('end_turn'), stop],
  'an index that skips': [start, text(1), say(1), close(1), end('end_turn'), stop],
  'blocks that overlap': [start, text(0), say(0), tool(1), call(1), close(1), close(0), end('tool_use'), stop],
  'a delta of another kind': [start, text(0), call(0), close(0), end('end_turn'), stop],
  'a call without input': [start, tool(0), close(0), end('tool_use'), stop],
  'thinking without a signature': [
    start,
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'a' }),
    close(0),
    end('end_turn'),
    stop,
  ],
  'end_turn after a call': [start, tool(0), call(0), close(0), end('end_turn'), stop],
  'tool_use without a call': [start, text(0), say(0), close(0), end('tool_use'), stop],
  'a stop reason of another vendor': [start, end('length'), stop],
  'a block that is never stopped': [start, text(0), say(0), end('end_turn'), stop],
  'no message_delta': [start, stop],
  'no message_stop': [start, end('end_turn')],
  'something after message_stop': [start, end('end_turn'), stop, event('ping')],
  'an event without its name': [start, end('end_turn'), { data: stop.data }],
}

for (const [name, events] of Object.entries(bad)) {
  t.test(`${name} is refused`, async (test) => {
    test.throws(() => readMessagesStream(events), /expected that/)
  })
}

t.test('a stream by the book is read', async (test) => {
  const events = [start, event('ping'), text(0), say(0), close(0), tool(1), call(1), close(1), end('tool_use'), stop]
  test.match(readMessagesStream(events), { content: [{ text: 'a' }, { input: '{}' }], stopReason: 'tool_use' })
})

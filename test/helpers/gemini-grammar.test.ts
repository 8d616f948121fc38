import t from 'tap'
import type { SseEvent } from '../../src/domain/formats/format.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { readGeminiStream } from './gemini-grammar.ts'

const event = (fields: JsonObject): SseEvent => ({
  data: JSON.stringify({ modelVersion: 'm', responseId: 'r', ...fields }),
})
const candidate = (part: JsonObject, fields: JsonObject = {}) => ({
  index: 0,
  content: { role: 'model', parts: [part] },
  ...fields,
})
const say = (part: JsonObject, fields: JsonObject = {}) => event({ candidates: [candidate(part, fields)] })
const stop = say({ text: '' }, { finishReason: 'STOP' })
const call = { functionCall: { id: 'c', name: 'f', args: {} } }
const error = { data: JSON.stringify({ error: { code: 502, message: 'x', status: 'UNAVAILABLE' } }) }

t.test('a good stream is read', async (test) => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 }
  const last = event({ candidates: [candidate({ text: '!' }, { finishReason: 'STOP' })], usageMetadata })
  const { candidates, usage } = readGeminiStream([
    say({ text: 'a', thought: true }),
    say({ text: 'b' }),
    say(call),
    last,
  ])
  test.match(candidates.get(0), { text: 'b!', thoughts: 'a', calls: [call.functionCall], finishReason: 'STOP' })
  test.strictSame(usage, usageMetadata)
  test.match(readGeminiStream([say({ text: 'a' }), error]).error, { code: 502 })
})

const BROKEN: Readonly<Record<string, SseEvent[]>> = {
  'an event with a name': [{ event: 'x', data: stop.data }],
  'no finish': [say({ text: 'a' })],
  'two finishes': [stop, stop],
  'text after the error': [error, stop],
  'an error without code': [{ data: '{"error":{"message":"x","status":"INTERNAL"}}' }],
  'usage without candidates': [stop, event({ usageMetadata: {} })],
  'a content without parts': [event({ candidates: [{ index: 0, content: { role: 'model', parts: [] } }] }), stop],
  'an empty part': [say({}), stop],
  'a part that is two things': [say({ ...call, text: 'a' }), stop],
  'arguments as text': [say({ functionCall: { id: 'c', name: 'f', args: '{}' } }), stop],
  'a candidate without index': [event({ candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] } }] })],
  'an unknown finish reason': [say({ text: '' }, { finishReason: 'end_turn' })],
  'a total that is not the sum': [
    event({
      candidates: [candidate({ text: '' }, { finishReason: 'STOP' })],
      usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 },
    }),
  ],
  'another response id': [say({ text: 'a' }), event({ ...JSON.parse(stop.data), responseId: 'other' })],
  'an unknown field': [event({ choices: [], candidates: [candidate({ text: 'a' })] })],
}

for (const [name, events] of Object.entries(BROKEN)) {
  t.test(`refused: ${name}`, async (test) => {
    test.throws(() => readGeminiStream(events))
  })
}

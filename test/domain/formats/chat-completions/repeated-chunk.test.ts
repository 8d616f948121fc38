import * as fc from 'fast-check'
import t from 'tap'
import { RepeatedChunk } from '../../../../src/domain/formats/chat-completions/repeated-chunk.ts'
import { ChatStreamDecoder } from '../../../../src/domain/formats/chat-completions/stream-decoder.ts'
import { ChatStreamTextPatcher } from '../../../../src/domain/formats/chat-completions/stream-text.ts'
import type { SseEvent, StreamTextRewriter } from '../../../../src/domain/formats/format.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const PIECES = ['a', ' the', '"', '\\', '\n', '\t', '\u0001', '€', '😀', '\ud800', '}', '"content":"', '[DONE]']

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...PIECES)).map((pieces) => pieces.join('')),
)

const delta: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 12, arbitrary: text.map((content) => ({ content })) },
  { weight: 1, arbitrary: text.map((content) => ({ role: 'assistant', content })) },
  { weight: 1, arbitrary: text.map((content) => ({ content, refusal: content })) },
  { weight: 1, arbitrary: text.map((reasoning) => ({ reasoning_content: reasoning, content: '' })) },
  {
    weight: 1,
    arbitrary: text.map((given) => ({ tool_calls: [{ index: 0, id: 'c', function: { arguments: given } }] })),
  },
)

const step = fc.record({
  delta,
  index: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  finish: fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('stop') }),
  created: fc.constantFrom(1, 1, 1, 2),
})

/** As different servers write JSON. */
const writers: readonly ((chunk: JsonObject) => string)[] = [
  (chunk) => JSON.stringify(chunk),
  (chunk) => JSON.stringify(chunk, undefined, 1).replaceAll('\n', ' '),
  (chunk) =>
    JSON.stringify(chunk).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
]

t.test('a stream means the same whether or not its chunks repeat', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(...writers), (steps, write) => {
      const learning = new ChatStreamDecoder()
      const plain = new ChatStreamDecoder()
      for (const [serial, { delta, index, finish, created }] of steps.entries()) {
        const chunk = { id: 'x', created, choices: [{ index, delta, logprobs: null, finish_reason: finish }] }
        const parts = learning.push({ data: write(chunk) })
        // What differs in each chunk is never learned.
        t.strictSame(parts, plain.push({ data: write({ ...chunk, serial }) }))
      }
      t.strictSame(learning.end(), plain.end())
    }),
  )
})

/** Replaces one letter and holds a bracket at the end back. */
function replacing(): StreamTextRewriter {
  const held = new Map<string, string>()
  return {
    push(channel, _kind, delta) {
      const text = (held.get(channel) ?? '') + delta
      held.set(channel, text.endsWith('}') ? '}' : '')
      return (text.endsWith('}') ? text.slice(0, -1) : text).replaceAll('a', '<"é>')
    },
    flush(channel) {
      const rest = held.get(channel) ?? ''
      held.delete(channel)
      return rest
    },
  }
}

t.test('a stream is rewritten the same whether or not its chunks repeat', async (t) => {
  const read = (events: readonly SseEvent[]) => events.map(({ data }) => ({ ...JSON.parse(data), serial: undefined }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(...writers), (steps, write) => {
      const learning = new ChatStreamTextPatcher(replacing())
      const plain = new ChatStreamTextPatcher(replacing())
      for (const [serial, { delta, index, finish, created }] of steps.entries()) {
        const chunk = { id: 'x', created, choices: [{ index, delta, logprobs: null, finish_reason: finish }] }
        const events = learning.push({ data: write(chunk) })
        t.strictSame(read(events), read(plain.push({ data: write({ ...chunk, serial }) })))
      }
      t.strictSame(read(learning.end()), read(plain.end()))
    }),
  )
})

t.test('a text put into a chunk leaves it as it was written anew', async (t) => {
  const repeated = new RepeatedChunk()
  t.ok(repeated.learn({ data: JSON.stringify(chunkOf('one'), undefined, 1) }, chunkOf('one'), 0))
  for (const text of ['two', 'with "quotes" \\ and\nlines', '']) {
    t.equal(repeated.withText(text), JSON.stringify(chunkOf(text)))
  }
})

const chunkOf = (content: string, fields: JsonObject = {}): JsonObject => ({
  id: 'x',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...fields,
})
const eventOf = (content: string, fields?: JsonObject) => ({ data: JSON.stringify(chunkOf(content, fields)) })

function learned(content: string): RepeatedChunk {
  const repeated = new RepeatedChunk()
  repeated.learn(eventOf(content), chunkOf(content), 0)
  return repeated
}

t.test('a chunk like the last one is read without being parsed', async (t) => {
  for (const first of ['one', '"quoted" \\ and\nbroken', '"content":"x"']) {
    t.equal(learned(first).textOf(eventOf(' two')), ' two')
  }
})

t.test('whatever is not quite like it is left to the parser', async (t) => {
  const repeated = learned('one')
  t.equal(repeated.textOf({ ...eventOf('two'), event: 'error' }), undefined)
  t.equal(repeated.textOf(eventOf('two', { id: 'y' })), undefined)
  t.equal(repeated.textOf(eventOf('two', { usage: { prompt_tokens: 1 } })), undefined)
  t.equal(repeated.textOf(eventOf('a "word"')), undefined)
  t.equal(repeated.textOf({ data: '[DONE]' }), undefined)
})

t.test('an envelope that serves nothing is not replaced for ever', async (t) => {
  const repeated = learned('one')
  repeated.learn(eventOf('two', { id: 'y' }), chunkOf('two', { id: 'y' }), 0)
  t.equal(repeated.textOf(eventOf('three', { id: 'y' })), undefined)
  for (let count = 0; count < 8; count++) t.equal(repeated.textOf(eventOf('again')), 'again')
  repeated.learn(eventOf('two', { id: 'y' }), chunkOf('two', { id: 'y' }), 0)
  t.equal(repeated.textOf(eventOf('three', { id: 'y' })), 'three')
})

import fc from 'fast-check'
import t from 'tap'
import { ResultAssembler } from '../../../../src/domain/completion/assemble.ts'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { Format, RenderContext, SseEvent } from '../../../../src/domain/formats/format.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { encodeSse, SseDecoder } from '../../../../src/domain/formats/sse.ts'
import { readMessagesStream, type ReadMessage } from '../../../helpers/messages-grammar.ts'
import { casesOf, fixture } from '../golden.ts'

const request = messages.parseRequest({ max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
const CONTEXT: RenderContext = { request, model: 'm', nowSeconds: 1, requestId: 'r' }
const START: StreamPart = { type: 'response-start', id: 'id', model: 'model' }
const STOP: StreamPart = { type: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } }

function encode(parts: readonly StreamPart[], format: Format = messages): SseEvent[] {
  const encoder = format.createStreamEncoder(CONTEXT)
  return [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
}

function read(...parts: StreamPart[]): ReadMessage {
  return readMessagesStream(encode(parts))
}

function decode(events: readonly SseEvent[], format: Format): StreamPart[] {
  const decoder = format.createStreamDecoder()
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
}

function bytesToEvents(text: string, cuts: readonly number[]): SseEvent[] {
  const bytes = new TextEncoder().encode(text)
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  const sse = new SseDecoder()
  return [...ends.flatMap((end, index) => sse.push(bytes.subarray(ends[index - 1] ?? 0, end))), ...sse.end()]
}

/** What an answer says, whatever its format: texts joined, calls in order, usage without its raw form. */
function essence(parts: readonly StreamPart[]) {
  const assembler = new ResultAssembler()
  for (const part of parts) assembler.push(part)
  const { choices, usage } = assembler.result('messages')
  const content = choices.find((choice) => choice.index === 0)?.content ?? []
  const textOf = (...types: string[]) =>
    content.map((part) => (part.type !== 'tool-call' && types.includes(part.type) ? part.text : '')).join('')
  return {
    text: textOf('text', 'refusal'),
    reasoning: textOf('reasoning'),
    calls: content.flatMap((part) =>
      part.type === 'tool-call' ? [{ id: part.id, name: part.name, arguments: part.arguments || '{}' }] : [],
    ),
    usage: usage && { ...usage, raw: undefined },
  }
}

interface Block {
  readonly type: 'text' | 'reasoning' | 'tool' | 'refusal'
  readonly deltas: readonly string[]
  readonly signature: string | undefined
}

const block = fc.record<Block>({
  type: fc.constantFrom('text', 'reasoning', 'tool', 'refusal'),
  deltas: fc.array(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', '{', '"a":1', '}', '\u2028', '😀'))),
  signature: fc.option(fc.base64String({ minLength: 1 }), { nil: undefined }),
})

/** The parts of one block, whose pieces are drawn from the block. */
function partsOfBlock({ type, deltas, signature }: Block, id: string, choice: number): StreamPart[] {
  const piece = (delta: string): StreamPart =>
    type === 'refusal'
      ? { type: 'refusal-delta', choice, delta }
      : { type: type === 'tool' ? 'tool-input-delta' : `${type}-delta`, choice, id, delta }
  const pieces = deltas.map(piece)
  switch (type) {
    case 'refusal':
      return pieces
    case 'text':
      return [{ type: 'text-start', choice, id }, ...pieces, { type: 'text-end', choice, id }]
    case 'reasoning':
      return [
        { type: 'reasoning-start', choice, id },
        ...pieces,
        { type: 'reasoning-end', choice, id, ...(signature === undefined ? {} : { signature }) },
      ]
    case 'tool':
      return [
        { type: 'tool-input-start', choice, id, toolCallId: `call_${id}`, toolName: `f${id}` },
        ...pieces,
        { type: 'tool-input-end', choice, id },
      ]
  }
}

const usage = fc
  .record({ input: fc.nat(99), cachedInput: fc.nat(99), cacheWrite: fc.nat(99), output: fc.nat(99) })
  .map((counts): StreamPart => ({ type: 'usage', usage: { ...counts, reasoning: 0 } }))

/** Interleaves lists by drawn numbers, keeping the order inside each. */
function interleave<Item>(lists: Item[][], picks: readonly number[]): Item[] {
  const rest = lists.map((list) => [...list])
  const mixed: Item[] = []
  for (let turn = 0; rest.some((list) => list.length > 0); turn++) {
    const open = rest.filter((list) => list.length > 0)
    const next = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift()
    if (next !== undefined) mixed.push(next)
  }
  return mixed
}

t.test('any parts, interleaved in any way, become a stream of the strict grammar that says the same', async (test) => {
  const streams = fc.record({
    blocks: fc.array(block, { maxLength: 6 }),
    others: fc.array(block, { maxLength: 2 }),
    picks: fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }),
    extras: fc.array(
      fc.oneof(usage, fc.constantFrom<StreamPart>({ type: 'ping' }, { type: 'unknown', name: 'x', raw: 1 })),
    ),
    last: usage,
  })
  fc.assert(
    fc.property(streams, ({ blocks, others, picks, extras, last }) => {
      const own = blocks.map((one, index) => partsOfBlock(one, `0-${index}`, 0))
      const foreign = others.map((one, index) => partsOfBlock(one, `1-${index}`, 1))
      const parts = [START, ...interleave([...own, ...foreign, extras], picks), STOP, last]
      const events = encode(parts)
      const message = readMessagesStream(events)
      const expected = essence(parts)
      const got = essence(decode(events, messages))
      test.strictSame([...got.text].toSorted(), [...expected.text].toSorted())
      test.strictSame(got.calls, expected.calls)
      test.strictSame(got.usage, expected.usage)
      test.equal(got.reasoning, expected.reasoning)
      const refuses = blocks.some((one) => one.type === 'refusal' && one.deltas.join('') !== '')
      const calls = expected.calls.length > 0
      test.equal(message.stopReason, refuses ? 'refusal' : calls ? 'tool_use' : 'end_turn')
    }),
    { numRuns: 300 },
  )
})

t.test('recorded chat-completions streams become strict messages streams for any cut of the bytes', async (test) => {
  const recorded = casesOf('chat-completions/streams', '.chunks.txt').map((name) =>
    fixture(`chat-completions/streams/${name}.chunks.txt`),
  )
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      const parts = decode(bytesToEvents(text, cuts), chatCompletions)
      const wire = encode(parts).map(encodeSse).join('')
      const events = bytesToEvents(wire, cuts)
      const { error } = readMessagesStream(events)
      const expected = essence(parts)
      const got = essence(decode(events, messages))
      if (error !== undefined) return
      test.strictSame({ ...got, usage: undefined }, { ...expected, usage: undefined })
      if (expected.usage !== undefined) test.strictSame(got.usage, expected.usage)
    }),
    { numRuns: 150 },
  )
})

t.test('messages to chat-completions and back keeps text, tool calls and usage for any cut', async (test) => {
  const recorded = casesOf('messages/streams', '.chunks.txt')
    .filter((name) => !/^(cut|error|malformed)/.test(name))
    .map((name) => fixture(`messages/streams/${name}.chunks.txt`))
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      const first = decode(bytesToEvents(text, cuts), messages)
      const chat = encode(first, chatCompletions).map(encodeSse).join('')
      const second = decode(bytesToEvents(chat, cuts), chatCompletions)
      const events = encode(second)
      readMessagesStream(events)
      const got = essence(decode(events, messages))
      const expected = essence(first)
      test.equal(got.text, expected.text)
      test.strictSame(got.calls, expected.calls)
      // Cache writes have no field in the other format's stream: they count as input there.
      const { input = 0, cacheWrite = 0, cachedInput, output } = expected.usage ?? {}
      test.match(got.usage, { input: input + cacheWrite, cachedInput, output })
    }),
    { numRuns: 150 },
  )
})

t.test('a tool call without text before it is the first block', async (test) => {
  const message = read(
    START,
    { type: 'text-start', choice: 0, id: 't' },
    { type: 'text-delta', choice: 0, id: 't', delta: '' },
    { type: 'text-end', choice: 0, id: 't' },
    { type: 'tool-input-start', choice: 0, id: 'c', toolCallId: 'call', toolName: 'f' },
    { type: 'tool-input-delta', choice: 0, id: 'c', delta: '{"a":1}' },
    { type: 'tool-input-end', choice: 0, id: 'c' },
    STOP,
  )
  test.strictSame(message.content, [{ type: 'tool_use', id: 'call', name: 'f', input: '{"a":1}' }])
  test.equal(message.stopReason, 'tool_use')
})

t.test(
  'usage that is known before the first block stands in message_start, later usage in message_delta',
  async (test) => {
    const counts = { input: 3, cachedInput: 2, cacheWrite: 1, output: 0, reasoning: 0 }
    const [first] = encode([START, { type: 'usage', usage: counts }, STOP])
    test.match(JSON.parse(first?.data ?? ''), { message: { usage: { input_tokens: 3, cache_read_input_tokens: 2 } } })
    const late = read(START, STOP, { type: 'usage', usage: { ...counts, output: 9 } })
    test.match(late.usage, { input_tokens: 3, cache_creation_input_tokens: 1, output_tokens: 9 })
  },
)

t.test('an answer cut by the limit inside a tool call says max_tokens', async (test) => {
  const message = read(
    START,
    { type: 'tool-input-start', choice: 0, id: 'c', toolCallId: 'call', toolName: 'f' },
    { type: 'tool-input-delta', choice: 0, id: 'c', delta: '{"a' },
    { type: 'finish', choice: 0, finish: { reason: 'length', raw: 'length' } },
  )
  test.equal(message.stopReason, 'max_tokens')
  test.strictSame(message.content[0]?.input, '{"a')
})

t.test('a finish that names tools where none was called does not make the client look for them', async (test) => {
  const finish = { reason: 'tool-calls', raw: 'tool_calls' } as const
  test.equal(read(START, { type: 'finish', choice: 0, finish }).stopReason, 'end_turn')
})

t.test('an error ends the stream, and nothing comes after it', async (test) => {
  const events = encode([START, { type: 'error', message: 'broken' }, STOP])
  test.strictSame(
    events.map((event) => event.event),
    ['error'],
  )
  test.match(readMessagesStream(events).error, { type: 'api_error', message: 'broken' })
})

t.test('a token with a thought in the middle stays in one block, and the thought follows', async (test) => {
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] }),
  })
  const blocksOf = (...deltas: JsonObject[]) => {
    const events = [...deltas.map((delta) => chunk(delta)), chunk({}, 'stop'), { data: '[DONE]' }]
    const { content } = readMessagesStream(encode(decode(events, chatCompletions)))
    return content.map(({ type, text, thinking }) => [type, text ?? thinking])
  }
  const text = (content: string) => ({ content })
  const thought = (reasoning_content: string) => ({ reasoning_content })
  test.strictSame(
    blocksOf(text('to [[LLM_'), thought('Hm'), text('REDACTED_EMAIL_a1'), thought('m'), text('b2]] now')),
    [
      ['text', 'to [[LLM_REDACTED_EMAIL_a1b2]] now'],
      ['thinking', 'Hm'],
      ['thinking', 'm'],
    ],
  )
  test.strictSame(blocksOf(text('see [1]'), thought('Hm'), text(' and')), [
    ['text', 'see [1]'],
    ['thinking', 'Hm'],
    ['text', ' and'],
  ])
  test.strictSame(blocksOf(text('see ['), thought('Hm')), [
    ['text', 'see ['],
    ['thinking', 'Hm'],
  ])
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }
  test.strictSame(
    blocksOf(text('['), thought('Hm'), { tool_calls: [call] }, text('x')).map(([type]) => type),
    ['text', 'thinking', 'tool_use', 'text'],
  )
})

t.test('what has no place in the format is a warning, once', async (test) => {
  const encoder = messages.createStreamEncoder(CONTEXT)
  const other: StreamPart = { type: 'text-delta', choice: 1, id: 'x', delta: 'lost' }
  for (const part of [START, other, other]) test.strictSame(encoder.push(part), [])
  test.strictSame(encoder.warnings, [{ field: 'choices', message: 'messages holds one; the others were left out' }])
})

t.test('the relay passes events as they are, and names those without a name', async (test) => {
  const relay = messages.createStreamRelay()
  const named = { event: 'ping', data: '{"type":"ping"}' }
  test.equal(relay.push(named)[0], named)
  test.strictSame(relay.push({ data: named.data }), [named])
  test.strictSame(relay.push({ data: 'no json' }), [{ data: 'no json' }])
  const stop = { event: 'message_stop', data: '{"type":"message_stop"}' }
  test.strictSame(relay.end?.(), [stop], 'the last event is added where it is missing')
  relay.push({ data: stop.data })
  test.strictSame(relay.end?.(), [])
})

t.test('the decoder reads nothing after the end, and calls a stream without a message cut', async (test) => {
  const stop = { event: 'message_stop', data: '{"type":"message_stop"}' }
  test.match(decode([stop], messages), [{ type: 'error', code: 'cut' }])
  test.match(decode([], messages), [{ type: 'error', code: 'cut' }])
  const bare = { data: '{"error":{"type":"overloaded_error","message":"busy"}}' }
  test.match(decode([bare, stop], messages), [{ type: 'error', message: 'busy', code: 'overloaded_error' }])
})

t.test('usage holds what the vendor tells and a few fields more, however many a stream names', async (test) => {
  const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field_${index}`, index]))
  const usages = [{ input_tokens: 3, output_tokens: 1, ...fields }, ...Array.from({ length: 100 }, () => fields)]
  const events: JsonObject[] = [
    { type: 'message_start', message: { id: 'm', usage: usages[0] } },
    ...usages.map((usage, index) => ({ type: 'message_delta', delta: {}, usage: { ...usage, [`late_${index}`]: 1 } })),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  ]
  const parts = decode(
    events.map((event) => ({ data: JSON.stringify(event) })),
    messages,
  )
  const told = parts.flatMap((part) => (part.type === 'usage' ? [part.usage] : []))
  test.match(told.at(-1), { input: 3, output: 7 })
  for (const { raw } of told) test.ok(Object.keys(raw ?? {}).length <= 64)
})

/** What counts of a stream whose first event tells the first of the usages, and each delta after it the next. */
function lastUsage(first: JsonObject, ...later: JsonObject[]) {
  const events: JsonObject[] = [
    { type: 'message_start', message: { id: 'm', usage: first } },
    ...later.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
  ]
  const parts = decode(
    events.map((event) => ({ data: JSON.stringify(event) })),
    messages,
  )
  return parts.flatMap((part) => (part.type === 'usage' ? [part.usage] : [])).at(-1)
}

t.test('zeros at the end do not undo what was told of the prompt before', async (test) => {
  const told = { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 1 }
  const zeros = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 50 }
  test.match(lastUsage(told, zeros), { input: 100, cachedInput: 7, output: 50 })
  test.match(lastUsage(told, { ...zeros, cache_read_input_tokens: 107 }), { input: 0, cachedInput: 107, output: 50 })
})

t.test('zeros at the end do not undo cache writes that were told by their time to live alone', async (test) => {
  const writes = { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 0 }
  const none = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }
  const told = { input_tokens: 0, cache_creation: writes, output_tokens: 1 }
  const zeros = { input_tokens: 0, cache_creation_input_tokens: 0, cache_creation: none, output_tokens: 50 }
  test.match(lastUsage(told, zeros), { input: 0, cacheWrite: 2000, output: 50 })
  const later = { input_tokens: 0, cache_creation: writes, output_tokens: 50 }
  test.match(lastUsage({ input_tokens: 2000, output_tokens: 1 }, later), { input: 0, cacheWrite: 2000, output: 50 })
  const without = { input_tokens: 2000, cache_creation_input_tokens: 0, output_tokens: 1 }
  test.match(lastUsage(without, later), { input: 0, cacheWrite: 2000, output: 50 }, 'though their sum was 0 before')
})

t.test('a last event that counts nothing does not undo what was told of the answer before', async (test) => {
  const start = { input_tokens: 100, output_tokens: 1 }
  const zeros = { input_tokens: 0, output_tokens: 0 }
  test.equal(lastUsage(start, { output_tokens: 50 }, zeros)?.output, 50)
  test.equal(lastUsage(start, { output_tokens: 50 }, { output_tokens: 40 })?.output, 40)
  test.match(lastUsage(start, { output_tokens: 50 }, { input_tokens: 0, output_tokens: 40 }), {
    input: 100,
    output: 40,
  })
  test.equal(lastUsage(start, zeros)?.output, 0, 'what the beginning says of the answer is no count of it')
})

import fc from 'fast-check'
import t from 'tap'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { RenderContext, SseEvent, StreamTextRewriter } from '../../../../src/domain/formats/format.ts'
import { encodeSse, SseDecoder } from '../../../../src/domain/formats/sse.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { casesOf, fixture } from '../golden.ts'
import { answerOf, partsOf, type Answer } from './answer.ts'

const context = (streamUsage: boolean): RenderContext => ({
  request: chatCompletions.parseRequest({
    messages: [{ role: 'user', content: 'x' }],
    stream: true,
    stream_options: { include_usage: streamUsage },
  }),
  model: 'm',
  nowSeconds: 1,
  requestId: 'r',
})

const eventOf = (document: JsonObject): SseEvent => ({ data: JSON.stringify(document) })
const chunk = (delta: JsonObject, finishReason: string | null = null, index = 0): SseEvent =>
  eventOf({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index, delta, finish_reason: finishReason }],
  })
const DONE = { data: '[DONE]' }
const recorded = casesOf('chat-completions/streams', '.chunks.txt').map((name) =>
  fixture(`chat-completions/streams/${name}.chunks.txt`),
)

function eventsOf(pieces: Uint8Array[]): SseEvent[] {
  const decoder = new SseDecoder()
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}

function cut(text: string, at: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text)
  const ends = [...new Set([...at.map((one) => one % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

t.test('decode, encode and decode again keep text, tool calls and usage for any cut of the bytes', async (test) => {
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
      const first = partsOf(eventsOf(cut(text, cuts)))
      const encoder = chatCompletions.createStreamEncoder(context(true))
      const events = [...first.flatMap((part) => encoder.push(part)), ...encoder.end()]
      const wire = events.map(encodeSse).join('')
      const second = partsOf(eventsOf(cut(wire, cuts)))
      test.strictSame(answerOf(second), withEmptyArguments(answerOf(first)))
    }),
    { numRuns: 150 },
  )
})

/** A call without arguments gets an empty object on the wire. */
function withEmptyArguments(answer: Answer): Answer {
  const filled = answer.tools.map((tool) => ({ ...tool, arguments: tool.arguments || '{}' }))
  // An error ends the stream: a call that it cut off is not filled.
  return answer.failed ? answer : { ...answer, tools: filled }
}

t.test('parts follow their grammar whatever the interleaving of deltas', async (test) => {
  const delta = fc.oneof(
    fc.string({ minLength: 1 }).map((content) => ({ content })),
    fc.string({ minLength: 1 }).map((text) => ({ reasoning_content: text })),
    fc.tuple(fc.nat(3), fc.constantFrom('', '{', '"a":', '1', '}', '{}')).map(([index, text]) => ({
      tool_calls: [{ index, id: `call_${index}`, function: { name: `f${index}`, arguments: text } }],
    })),
    fc.constant({}),
  )
  const deltas = fc.array(fc.tuple(fc.nat(1), delta), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(deltas, (list) => {
      const events = [...list.map(([choice, one]) => chunk(one, null, choice)), DONE]
      const parts = partsOf(events)
      checkGrammar(parts)
      const texts = (field: string) =>
        list.flatMap(([choice, one]) => (choice === 0 ? (Reflect.get(one, field) ?? '') : ''))
      const answer = answerOf(parts)
      test.equal(answer.text.get(0) ?? '', texts('content').join(''))
      test.equal(answer.reasoning.get(0) ?? '', texts('reasoning_content').join(''))
    }),
    { numRuns: 200 },
  )
})

/** @throws where blocks overlap, are not opened or not closed, or something comes after the finish. */
function checkGrammar(parts: readonly StreamPart[]): void {
  const open = new Map<number, string>()
  const finished = new Set<number>()
  for (const [index, part] of parts.entries()) {
    if ((part.type === 'response-start') !== (index === 0)) throw new Error('response-start is not first')
    if (!('choice' in part)) continue
    if (finished.has(part.choice)) throw new Error(`${part.type} after finish`)
    if (part.type === 'finish') {
      if (open.has(part.choice)) throw new Error('finish inside a block')
      finished.add(part.choice)
    } else if (part.type.endsWith('-start')) {
      if (open.has(part.choice)) throw new Error('blocks overlap')
      open.set(part.choice, 'id' in part ? part.id : '')
    } else if ('id' in part) {
      if (open.get(part.choice) !== part.id) throw new Error(`${part.type} outside its block`)
      if (part.type.endsWith('-end')) open.delete(part.choice)
    }
  }
}

t.test('hundreds of thousands of calls that stay open are put in order in linear time', async (test) => {
  const count = 200_000
  const decoder = chatCompletions.createStreamDecoder()
  const piece = (index: number, called: JsonObject, more: JsonObject = {}) =>
    decoder.push(chunk({ tool_calls: [{ index, function: called, ...more }] }))
  const parts: StreamPart[][] = []
  for (let index = 0; index < count; index++)
    parts.push(piece(index, { name: 'f', arguments: '{' }, { id: `c${index}` }))
  for (let index = count - 1; index >= 0; index--) parts.push(piece(index, { arguments: '}' }))
  parts.push(decoder.push(chunk({}, 'tool_calls')))
  const all = parts.flat()
  checkGrammar(all)
  test.equal(all.filter(({ type }) => type === 'tool-input-end').length, count)
})

t.test('an end mark without any answer is a cut stream', async (test) => {
  test.match(partsOf([DONE]), [{ type: 'error' }])
  test.match(partsOf([]), [{ type: 'error' }])
})

t.test('nothing is read after an error or the end mark', async (test) => {
  const parts = partsOf([chunk({ content: 'a' }), eventOf({ error: 'overloaded' }), chunk({ content: 'b' })])
  test.strictSame(parts.at(-1), { type: 'error', message: 'overloaded', raw: { error: 'overloaded' } })
  test.equal(partsOf([chunk({ content: 'a' }, 'stop'), DONE, chunk({ content: 'b' }, null, 1)]).at(-1)?.type, 'finish')
})

t.test('a chunk that the model does not know is kept as unknown', async (test) => {
  const raw = { object: 'progress', percent: 5 }
  test.strictSame(chatCompletions.createStreamDecoder().push(eventOf(raw)), [
    { type: 'unknown', name: 'progress', raw },
  ])
})

t.test(
  'pieces of an answer that no other format knows are unknown, and a call of a custom tool is no function call',
  async (test) => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
    const audio = { id: 'a', data: 'AAAA', transcript: 'hm' }
    const custom = { index: 0, id: 'call_c', type: 'custom', custom: { name: 'run', input: 'print(' } }
    const parts = partsOf([
      chunk({ role: 'assistant', content: '', annotations: [] }),
      chunk({ images }),
      chunk({ audio }),
      chunk({ tool_calls: [custom] }, 'tool_calls'),
      DONE,
    ])
    test.strictSame(
      parts.filter(({ type }) => type !== 'response-start' && type !== 'finish'),
      [
        { type: 'unknown', choice: 0, name: 'images', raw: images },
        { type: 'unknown', choice: 0, name: 'audio', raw: audio, generated: { text: 'hm', audioBytes: 3 } },
        { type: 'unknown', choice: 0, name: 'custom', raw: custom, generated: { text: 'print(' } },
      ],
    )
  },
)

t.test('the relay adds the end mark where the provider left it out, and only there', async (test) => {
  const finish = eventOf({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  for (const asked of [true, false]) {
    const without = chatCompletions.createStreamRelay(context(asked))
    without.push(finish)
    test.strictSame(without.end?.(), [{ data: '[DONE]' }])
    const withMark = chatCompletions.createStreamRelay(context(asked))
    for (const event of [finish, { data: '[DONE]' }]) withMark.push(event)
    test.strictSame(withMark.end?.(), [])
  }
})

t.test('the relay hides usage from a client that did not ask for it, and touches nothing else', async (test) => {
  const relay = chatCompletions.createStreamRelay(context(false))
  const usage = { prompt_tokens: 1 }
  const untouched = [chunk({ content: '{"usage":{}}' }), { data: 'no json "usage":{' }]
  for (const event of untouched) test.equal(relay.push(event)[0], event)
  test.strictSame(relay.push(eventOf({ choices: [], usage: null })), [eventOf({ choices: [] })])
  test.strictSame(relay.push(eventOf({ choices: [], usage })), [])
  for (const [given, sent] of [
    ['{"a":1.0,"choices":[], "usage" : null , "obfuscation":"x" }\n', '{"a":1.0,"choices":[] , "obfuscation":"x" }\n'],
    ['{"usage":null,"a":{"usage":null}}', '{"a":{"usage":null}}'],
    ['{"usage":null}', '{}'],
    ['{"a":1.0,"usage":null,"service_tier":null,"took":12}', '{"a":1.0,"service_tier":null,"took":12}'],
    ['{"choices":[{"index":0,"usage":null}]}', '{"choices":[{"index":0}]}'],
  ] as const) {
    test.strictSame(relay.push({ data: given }), [{ data: sent }])
  }
  test.strictSame(relay.push(eventOf({ a: 1, choices: [{ index: 0, usage }], usage, x_groq: { id: 'x', usage } })), [
    eventOf({ a: 1, choices: [{ index: 0 }], x_groq: { id: 'x' } }),
  ])
  const asked = chatCompletions.createStreamRelay(context(true))
  const event = eventOf({ choices: [], usage })
  test.equal(asked.push(event)[0], event)
})

t.test('the relay leaves arguments, which are an object at some servers, as they are', async (test) => {
  const relay = chatCompletions.createStreamRelay(context(false))
  const call = { index: 0, id: 'x', function: { name: 'f', arguments: { id: 1, usage: null } } }
  const event = chunk({ tool_calls: [call] })
  test.equal(relay.push(event)[0]?.data, event.data)
  const told: JsonObject = JSON.parse(event.data)
  test.strictSame(relay.push(eventOf({ ...told, usage: null })), [event])
  test.strictSame(relay.push(eventOf({ usage: null, ...told })), [event])
  for (const data of ['{"a":1,"usage":null,', '{"a":["usage"]}', '[1,{"b":1,"usage":null}]']) {
    test.strictSame(relay.push({ data }), [{ data }])
  }
})

t.test('the relay takes linear time, whatever a provider sends', async (test) => {
  const relay = chatCompletions.createStreamRelay(context(false))
  const many = ',"usage":null'.repeat(50_000)
  for (const data of [`{"a":1${many},"b":[`, `{"a":1,"usage":null${',"b":"c"'.repeat(50_000)},"b":1}`]) {
    const start = performance.now()
    relay.push({ data })
    test.ok(performance.now() - start < 2_000)
  }
})

const identity: StreamTextRewriter = { push: (_channel, _kind, delta) => delta, flush: () => '' }

/** Holds back the last `count` characters of every channel. */
function holdBack(count: number): StreamTextRewriter {
  const held = new Map<string, string>()
  return {
    push(channel, _kind, delta) {
      const text = (held.get(channel) ?? '') + delta
      const keep = Math.max(0, text.length - count)
      held.set(channel, text.slice(keep))
      return text.slice(0, keep)
    },
    flush(channel) {
      const text = held.get(channel) ?? ''
      held.delete(channel)
      return text
    },
  }
}

t.test('a rewriter that changes nothing leaves every event the same object', async (test) => {
  for (const text of recorded) {
    const patcher = chatCompletions.createStreamTextPatcher(identity)
    const events = eventsOf([new TextEncoder().encode(text)])
    for (const event of events) test.equal(patcher.push(event)[0], event)
    test.strictSame(patcher.end(), [])
  }
})

t.test('a rewriter that holds text back still gives the same texts, before the finish', async (test) => {
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.nat(30), (text, count) => {
      const patcher = chatCompletions.createStreamTextPatcher(holdBack(count))
      const events = eventsOf([new TextEncoder().encode(text)])
      const patched = [...events.flatMap((event) => patcher.push(event)), ...patcher.end()]
      test.strictSame(answerOf(partsOf(patched)), answerOf(partsOf(events)))
    }),
    { numRuns: 150 },
  )
})

t.test(
  'held text comes as a chunk like its neighbours before the finish, or inside the finishing chunk',
  async (test) => {
    const patcher = chatCompletions.createStreamTextPatcher(holdBack(5))
    test.strictSame(patcher.push(chunk({ content: 'Hello' })), [chunk({ content: '' })])
    test.strictSame(patcher.push(chunk({}, 'stop')), [chunk({ content: 'Hello' }), chunk({}, 'stop')])
    const other = chatCompletions.createStreamTextPatcher(holdBack(5))
    test.strictSame(other.push(chunk({ content: 'Hello' })), [chunk({ content: '' })])
    test.strictSame(other.push(chunk({ content: ' you' }, 'stop')), [chunk({ content: 'Hello you' }, 'stop')])
  },
)

t.test('what is said aloud is a text of its own', async (test) => {
  const patcher = chatCompletions.createStreamTextPatcher(holdBack(5))
  const said = (transcript: string) => chunk({ audio: { id: 'audio_1', transcript } })
  test.strictSame(patcher.push(said('Good d')), [said('G')])
  test.strictSame(patcher.push(said('ay')), [said('oo')])
  const sound = chunk({ audio: { id: 'audio_1', data: 'AAAA' } })
  test.strictSame(patcher.push(sound), [sound])
  test.strictSame(patcher.push(chunk({}, 'stop')), [chunk({ audio: { transcript: 'd day' } }), chunk({}, 'stop')])
})

t.test('what an answer cites comes whole and is rewritten whole, addresses of pages included', async (test) => {
  const patcher = chatCompletions.createStreamTextPatcher({
    push: (_channel, _kind, delta) => delta.replaceAll('[[X]]', 'b@c'),
    flush: () => '',
  })
  const cited = (text: string) =>
    chunk({ content: '', annotations: [{ type: 'url_citation', url_citation: { title: text, url: `u/${text}` } }] })
  test.strictSame(patcher.push(cited('to [[X]]')), [cited('to b@c')])
})

t.test('so is what other servers put beside the texts, of an answer and of a stream', async (test) => {
  const beside = (text: string) => ({
    context: { citations: [{ content: text, title: text }], intent: `["${text}"]` },
    thinking_blocks: [{ type: 'thinking', thinking: text, signature: 's' }],
    citations: [text],
    provider_specific_fields: { citations: [[{ cited_text: text }]], thought_signature: 's' },
    extra_content: { google: { thought: text, thought_signature: 's' } },
    tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'f', arguments: { to: text } }, note: text }],
    function_call: { name: 'f', arguments: { to: text } },
  })
  const around = (text: string) => ({ search_results: [{ title: text, url: `https://x/${text}` }], citations: [text] })
  const answer = (text: string, field: string): JsonObject => ({
    ...around(text),
    choices: [
      {
        index: 0,
        [field]: { role: 'assistant', content: '', ...beside(text) },
        ...(field === 'delta' ? { message: {} } : {}),
        finish_reason: null,
        stop_reason: text,
      },
    ],
  })
  const patcher = chatCompletions.createStreamTextPatcher({
    push: (_channel, _kind, delta) => delta.replaceAll('[[X]]', 'b@c'),
    flush: () => '',
  })
  const [event] = patcher.push({ data: JSON.stringify(answer('[[X]]', 'delta')) })
  test.strictSame(JSON.parse(event?.data ?? ''), answer('b@c', 'delta'))
  const whole = answer('[[X]]', 'message')
  test.ok(chatCompletions.visitResultText(whole, ({ text }) => text.replaceAll('[[X]]', 'b@c')))
  test.strictSame(whole, answer('b@c', 'message'))
})

t.test('details of reasoning are texts of their own, by their number', async (test) => {
  const patcher = chatCompletions.createStreamTextPatcher(holdBack(2))
  const detail = (index: number, text: string) =>
    chunk({ reasoning_details: [{ type: 'reasoning.text', index, text }] })
  test.strictSame(patcher.push(detail(0, 'abc')), [detail(0, 'a')])
  test.strictSame(patcher.push(detail(1, 'xyz')), [detail(1, 'x')])
  test.strictSame(patcher.push(detail(0, 'd')), [detail(0, 'b')])
  test.strictSame(patcher.push(chunk({}, 'stop')), [detail(0, 'cd'), detail(1, 'yz'), chunk({}, 'stop')])
})

t.test('tool arguments are a channel of JSON for each call', async (test) => {
  const seen: string[] = []
  const patcher = chatCompletions.createStreamTextPatcher({
    push: (channel, kind, delta) => (seen.push(`${channel} ${kind} ${delta}`), delta),
    flush: () => '',
  })
  const call = (index: number, text: string) => ({ index, id: `c${index}`, function: { name: 'f', arguments: text } })
  patcher.push(chunk({ tool_calls: [call(0, '{'), call(1, '[')] }))
  patcher.push(chunk({ tool_calls: [call(0, '}')] }))
  test.strictSame(seen, ['0:tool:0 json {', '0:tool:1 json [', '0:tool:0 json }'])
})

t.test('zeros at the end do not undo the usage that was told before', async (test) => {
  const told = (prompt_tokens: number, completion_tokens: number) =>
    eventOf({ id: 'c', choices: [], usage: { prompt_tokens, completion_tokens } })
  const usagesOf = (...events: SseEvent[]) =>
    partsOf([chunk({ content: 'a' }, 'stop'), ...events, DONE]).flatMap((part) =>
      part.type === 'usage' ? [[part.usage.input, part.usage.output]] : [],
    )
  test.strictSame(usagesOf(told(100, 50), told(0, 0)), [[100, 50]])
  test.strictSame(usagesOf(told(0, 0), told(100, 50)).at(-1), [100, 50])
  test.strictSame(usagesOf(told(0, 0)), [[0, 0]])
  test.strictSame(usagesOf(told(100, 1), told(0, 50)).at(-1), [100, 50])
})

t.test('a finish with zeros ends the wait for usage that was told before', async (test) => {
  const decoder = chatCompletions.createStreamDecoder()
  const told = (count: number, reason: string | null) =>
    eventOf({
      id: 'c',
      choices: [{ index: 0, delta: { content: 'a' }, finish_reason: reason }],
      usage: { prompt_tokens: count, completion_tokens: count },
    })
  decoder.push(told(9, null))
  decoder.push(told(0, 'stop'))
  test.ok(Number.isFinite(decoder.endsAfterMs))
})

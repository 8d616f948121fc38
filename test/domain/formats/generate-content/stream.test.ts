import fc from 'fast-check'
import t from 'tap'
import { ResultAssembler } from '../../../../src/domain/completion/assemble.ts'
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { Format, RenderContext, SseEvent, StreamTextRewriter } from '../../../../src/domain/formats/format.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { encodeSse, SseDecoder } from '../../../../src/domain/formats/sse.ts'
import { UpstreamFormatError } from '../../../../src/domain/errors.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { readGeminiStream } from '../../../helpers/gemini-grammar.ts'
import { casesOf, fixture } from '../golden.ts'

const request = { ...generateContent.parseRequest({ contents: { parts: { text: 'x' } } }, {}), streamUsage: true }
const CONTEXT: RenderContext = {
  request,
  model: 'm',
  nowSeconds: 1,
  requestId: 'r',
  answeredIn: 'generate-content',
}
const OTHERS: readonly Format[] = [chatCompletions, messages]

function encode(parts: readonly StreamPart[], format: Format = generateContent): SseEvent[] {
  const encoder = format.createStreamEncoder(CONTEXT)
  return [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
}

function decode(events: readonly SseEvent[], format: Format = generateContent): StreamPart[] {
  const decoder = format.createStreamDecoder()
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
}

function bytesToEvents(text: string, cuts: readonly number[] = []): SseEvent[] {
  const bytes = new TextEncoder().encode(text)
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  const sse = new SseDecoder()
  return [...ends.flatMap((end, index) => sse.push(bytes.subarray(ends[index - 1] ?? 0, end))), ...sse.end()]
}

const fixturesOf = (format: string): string[] =>
  casesOf(`${format}/streams`, '.chunks.txt').map((name) => fixture(`${format}/streams/${name}.chunks.txt`))
const recorded = fixturesOf('generate-content')

const event = (fields: JsonObject): SseEvent => ({
  data: JSON.stringify({ responseId: 'r', modelVersion: 'm', ...fields }),
})
const chunk = (parts: JsonObject[], finishReason?: string, index = 0): SseEvent =>
  event({
    candidates: [{ index, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  })

/** What an answer says, whatever its format: texts joined, calls in order, usage without its raw form. */
function essence(parts: readonly StreamPart[], only?: number) {
  const assembler = new ResultAssembler()
  for (const part of parts) assembler.push(part)
  const { choices, usage } = assembler.result('messages')
  return {
    choices: choices
      .filter(({ index }) => only === undefined || index === only)
      .map(({ index, content, finish }) => ({
        index,
        text: content.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join(''),
        reasoning: content.map((part) => (part.type === 'reasoning' ? part.text : '')).join(''),
        calls: content.flatMap((part) =>
          part.type === 'tool-call' ? [{ id: part.id, name: part.name, arguments: valueOf(part.arguments) }] : [],
        ),
        reason: finish.reason,
      })),
    usage: usage && { ...usage, raw: undefined },
  }
}

/** Arguments as a value: an object is written anew by this format, so that white space is not kept. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return text
  }
}

const failed = (parts: readonly StreamPart[]): boolean => parts.some((part) => part.type === 'error')

t.test(
  'recorded streams of every format become strict streams that say the same, for any cut of the bytes',
  async (test) => {
    const sources = [chatCompletions, messages, generateContent].flatMap((format) =>
      fixturesOf(format.name).map((text) => ({ format, text })),
    )
    fc.assert(
      fc.property(fc.constantFrom(...sources), fc.array(fc.nat(), { maxLength: 12 }), ({ format, text }, cuts) => {
        const parts = decode(bytesToEvents(text, cuts), format)
        const wire = encode(parts).map(encodeSse).join('')
        const events = bytesToEvents(wire, cuts)
        const read = readGeminiStream(events)
        if (failed(parts)) return test.ok(read.error)
        // This format has no words for errors and unknown endings of its own: compared are texts, calls and usage.
        const said = (one: ReturnType<typeof essence>) => ({
          usage: one.usage && { ...one.usage, input: one.usage.input + one.usage.cacheWrite, cacheWrite: 0 },
          choices: one.choices.map(({ reason: _reason, ...choice }) => choice),
        })
        return test.strictSame(said(essence(decode(events))), said(essence(parts)))
      }),
      { numRuns: 300 },
    )
  },
)

t.test('recorded streams keep text, calls, finish and usage through every other format', async (test) => {
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.constantFrom(...OTHERS), fc.array(fc.nat()), (text, format, cuts) => {
      const parts = decode(bytesToEvents(text, cuts))
      if (failed(parts)) return
      const wire = encode(parts, format).map(encodeSse).join('')
      const only = format === messages ? 0 : undefined
      const back = essence(decode(bytesToEvents(wire, cuts), format), only)
      const first = essence(parts, only)
      test.strictSame(back.choices, first.choices)
      if (first.usage === undefined) return
      const { reasoning: _lost, ...usage } = first.usage
      test.match(back.usage, format === messages ? usage : first.usage)
    }),
    { numRuns: 150 },
  )
})

type Said = { text: string; thought: boolean } | { name: string; args: JsonObject }

t.test('whatever the cuts between and inside events, a decoded answer is the same', async (test) => {
  const said = fc.oneof(
    fc.record({ text: fc.string({ unit: 'grapheme' }), thought: fc.boolean() }),
    fc.record({ name: fc.constantFrom('f', 'g'), args: fc.dictionary(fc.string(), fc.string()) }),
  )
  fc.assert(
    fc.property(
      fc.array(said, { maxLength: 8 }),
      fc.array(fc.nat(9)),
      fc.array(fc.nat()),
      (list: Said[], sizes, cuts) => {
        const whole = chunk(
          list.flatMap((one) => partsOf(one, [])),
          'STOP',
        )
        const pieces = list.map((one) => chunk(partsOf(one, sizes)))
        const wire = [...pieces, chunk([], 'STOP')].map(encodeSse).join('')
        test.strictSame(essence(decode(bytesToEvents(wire, cuts))), essence(decode([whole])))
      },
    ),
    { numRuns: 200 },
  )
})

/** A text in pieces of the sizes drawn, or a call. */
function partsOf(one: Said, sizes: readonly number[]): JsonObject[] {
  if ('name' in one) return [{ functionCall: { name: one.name, args: one.args } }]
  const pieces: string[] = []
  let rest = one.text
  for (const size of sizes) {
    pieces.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return [...pieces, rest].map((text) => (one.thought ? { text, thought: true } : { text }))
}

t.test('a call whose arguments come in one piece, in many or never is sent whole, at its end', async (test) => {
  for (const pieces of [['{"a":"b"}'], [...'{"a":"b"}'], ['', '{"a"', ':"b"}', '']]) {
    const encoder = generateContent.createStreamEncoder(CONTEXT)
    const call = { choice: 0, id: 'x' } as const
    const before = [
      { type: 'tool-input-start', ...call, toolCallId: 'c', toolName: 'f', signature: 'c2ln' } as const,
      ...pieces.map((delta) => ({ type: 'tool-input-delta', ...call, delta }) as const),
    ]
    test.strictSame(
      before.flatMap((part) => encoder.push(part)),
      [],
    )
    const [sent] = encoder.push({ type: 'tool-input-end', ...call })
    test.match(JSON.parse(sent?.data ?? ''), {
      candidates: [
        { content: { parts: [{ functionCall: { id: 'c', name: 'f', args: { a: 'b' } }, thoughtSignature: 'c2ln' }] } },
      ],
    })
    test.strictSame(encoder.warnings, [])
  }
})

t.test('arguments wait for the end of their call within the bound of an event', async (test) => {
  const encoder = generateContent.createStreamEncoder(CONTEXT)
  const delta = 'p'.repeat(1024 * 1024)
  const grow = (id: string, mib: number) => {
    for (let count = 0; count < mib; count++) encoder.push({ type: 'tool-input-delta', choice: 0, id, delta })
  }
  for (const id of ['x', 'y']) encoder.push({ type: 'tool-input-start', choice: 0, id, toolCallId: id, toolName: 'f' })
  grow('x', 5)
  encoder.push({ type: 'tool-input-end', choice: 0, id: 'x' })
  grow('y', 8)
  test.throws(() => grow('y', 1), UpstreamFormatError)
})

t.test('arguments that are no JSON object keep their text, with a warning', async (test) => {
  const encoder = generateContent.createStreamEncoder(CONTEXT)
  const call = { choice: 0, id: 'x' } as const
  encoder.push({ type: 'tool-input-start', ...call, toolCallId: 'c', toolName: 'f' })
  encoder.push({ type: 'tool-input-delta', ...call, delta: '{"a":' })
  const events = encoder.push({ type: 'tool-input-end', ...call })
  test.match(JSON.parse(events[0]?.data ?? ''), {
    candidates: [{ content: { parts: [{ functionCall: { args: { _raw_arguments: '{"a":' } } }] } }],
  })
  test.equal(encoder.warnings.length, 1)
  test.match(essence(decode([...events, chunk([], 'STOP')])).choices[0]?.calls, [{ arguments: '{"a":' }])
})

t.test('what has no place in a stream is a warning, once for each kind', async (test) => {
  const encoder = generateContent.createStreamEncoder(CONTEXT)
  for (let turn = 0; turn < 40; turn++) encoder.push({ type: 'unknown', name: `x${turn}`, raw: 1 })
  encoder.push({ type: 'reasoning-start', choice: 0, id: 'a', redacted: 'y' })
  test.equal(encoder.warnings.length, 16)
})

t.test('nothing is read after an error, and a stream without a finish is cut', async (test) => {
  const overloaded = { data: '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}' }
  const parts = decode([chunk([{ text: 'a' }]), overloaded, chunk([{ text: 'b' }], 'STOP')])
  test.match(parts.at(-1), { type: 'error', message: 'overloaded', code: 'UNAVAILABLE' })
  test.match(decode([]), [{ type: 'error', code: 'cut' }])
  test.match(decode([chunk([{ text: 'a' }]), chunk([{ text: 'b' }], 'STOP', 1)]).at(-1), { code: 'cut' })
})

t.test('the relay passes every event as it came', async (test) => {
  const relay = generateContent.createStreamRelay()
  for (const text of recorded) for (const one of bytesToEvents(text)) test.equal(relay.push(one)[0], one)
})

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

t.test(
  'a rewriter that holds text back gives the same answer, and one that changes nothing the same events',
  async (test) => {
    fc.assert(
      fc.property(fc.constantFrom(...recorded), fc.nat(30), (text, count) => {
        const patcher = generateContent.createStreamTextPatcher(holdBack(count))
        const events = bytesToEvents(text)
        const patched = [...events.flatMap((one) => patcher.push(one)), ...patcher.end()]
        test.strictSame(essence(decode(patched)), essence(decode(events)))
        if (count === 0) test.ok(patched.every((one, index) => one === events[index]))
      }),
      { numRuns: 150 },
    )
  },
)

t.test('held text stands before a part of another kind, and before the finish', async (test) => {
  const patcher = generateContent.createStreamTextPatcher(holdBack(3))
  test.strictSame(patcher.push(chunk([{ text: 'Hello' }])), [chunk([{ text: 'He' }])])
  const call = { functionCall: { name: 'f', args: {} } }
  test.strictSame(patcher.push(chunk([call, { text: 'you' }])), [chunk([{ text: 'llo' }, call, { text: '' }])])
  test.strictSame(patcher.push(chunk([{ text: '!' }], 'STOP')), [chunk([{ text: 'you!' }], 'STOP')])
  const other = generateContent.createStreamTextPatcher(holdBack(3))
  other.push(chunk([{ text: 'why', thought: true }]))
  const bare = event({ candidates: [{ index: 0, finishReason: 'STOP' }] })
  test.match(JSON.parse(other.push(bare)[0]?.data ?? ''), {
    candidates: [{ content: { role: 'model', parts: [{ text: 'why', thought: true }] }, finishReason: 'STOP' }],
  })
})

t.test('every string of a call is rewritten whole, and signatures and media never', async (test) => {
  const patcher = generateContent.createStreamTextPatcher({
    push: (_channel, _kind, delta) => delta.replaceAll('[[X]]', 'a"b'),
    flush: () => '',
  })
  const part = {
    functionCall: { name: '[[X]]', args: { id: '[[X]]', deep: [{ type: 'to [[X]]' }] } },
    thoughtSignature: '[[X]]',
  }
  const [sent] = patcher.push(chunk([part, { inlineData: { mimeType: 'image/png', data: btoa('[[X]]') } }]))
  test.match(JSON.parse(sent?.data ?? '').candidates[0].content.parts, [
    { functionCall: { name: '[[X]]', args: { id: 'a"b', deep: [{ type: 'to a"b' }] } }, thoughtSignature: '[[X]]' },
    { inlineData: { data: btoa('[[X]]') } },
  ])
})

t.test('what an answer is grounded on is rewritten, in an event without content too', async (test) => {
  const patcher = generateContent.createStreamTextPatcher({
    push: (_channel, _kind, delta) => delta.replaceAll('[[X]]', 'b@c'),
    flush: () => '',
  })
  const sources = (text: string) => ({
    groundingMetadata: { webSearchQueries: [text], groundingSupports: [{ segment: { text, startIndex: 1 } }] },
    citationMetadata: { citationSources: [{ title: text }] },
  })
  const candidate = (text: string) => event({ candidates: [{ index: 0, ...sources(text), finishReason: 'STOP' }] })
  test.strictSame(patcher.push(candidate('[[X]]')), [candidate('b@c')])
})

t.test('what is held when the stream breaks off is sent before the error', async (test) => {
  const patcher = generateContent.createStreamTextPatcher(holdBack(9))
  patcher.push(chunk([{ text: 'Hello' }]))
  const error = { data: '{"error":{"code":500}}' }
  const [held, last] = patcher.push(error)
  test.match(JSON.parse(held?.data ?? ''), {
    responseId: 'r',
    candidates: [{ index: 0, content: { parts: [{ text: 'Hello' }] } }],
  })
  test.equal(last, error)
  test.strictSame(patcher.end(), [])
})

t.test('zeros at the end do not undo the usage that was told before', async (test) => {
  const told = (promptTokenCount: number, candidatesTokenCount: number) =>
    event({
      candidates: [{ index: 0, content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount, candidatesTokenCount },
    })
  const usagesOf = (...events: SseEvent[]) =>
    decode(events).flatMap((part) => (part.type === 'usage' ? [[part.usage.input, part.usage.output]] : []))
  test.strictSame(usagesOf(told(100, 50), told(0, 0)), [[100, 50]])
  test.strictSame(usagesOf(told(0, 0), told(100, 50)).at(-1), [100, 50])
  test.strictSame(usagesOf(told(0, 0)), [[0, 0]])
  test.strictSame(usagesOf(told(100, 1), told(0, 50)).at(-1), [100, 50])
})

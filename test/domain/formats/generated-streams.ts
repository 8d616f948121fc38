/**
 * Streams as providers of each format cut them, from one script that says what the answer is. The cuts are the traps
 * that other gateways fell into: arguments in one piece, in many or only at the end, text and tool in one chunk, empty
 * deltas, usage at the start or the end, errors in the middle, pings, index -1, missing ids.
 */
import fc from 'fast-check'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { SseEvent } from '../../../src/domain/formats/format.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'

export type Block =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly input: JsonObject }

/** What the model says, whatever the format. */
export interface Script {
  readonly blocks: readonly Block[]
  readonly input: number
  readonly output: number
  readonly cutByLength: boolean
}

/** How the provider cuts it. A format takes those that it can have. */
export interface Cuts {
  /** Characters a piece of text or arguments; 0: all in one. */
  readonly size: number
  readonly argumentsAtTheEnd: boolean
  readonly emptyDeltas: boolean
  readonly pings: boolean
  readonly usage: 'start' | 'end' | 'every'
  readonly ids: 'given' | 'missing' | 'repeated'
  readonly index: 'given' | 'missing' | 'minus-one'
  /** Joins neighbouring chunks, so that text and tool stand in one. */
  readonly joined: boolean
  readonly endMark: boolean
  readonly failure: 'none' | 'error' | 'cut'
  /** Where the failure happens, as a share of the events. */
  readonly failsAt: number
}

const word = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.constantFrom('a', 'ß', '"', '\\', '\n', '{', '}', '日', '😀', ' b'),
})
const value: fc.Arbitrary<JsonValue> = fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { maxLength: 2 }))
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: word }),
  fc.record({
    type: fc.constant('call' as const),
    name: fc.constantFrom('weather', 'search'),
    input: fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true }),
  }),
)

export const script: fc.Arbitrary<Script> = fc
  .record({
    thought: fc.option(word, { nil: undefined }),
    rest: fc.array(block, { minLength: 1, maxLength: 5 }),
    input: fc.nat(1000),
    output: fc.nat(1000),
    cutByLength: fc.boolean(),
  })
  .map(({ thought, rest, cutByLength, ...fields }) => ({
    ...fields,
    cutByLength: cutByLength && !isEmptyCall(rest.at(-1)),
    blocks: [...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]), ...rest],
  }))

/** With which an answer that is cut ends before the call has any arguments. */
function isEmptyCall(last: Block | undefined): boolean {
  return last?.type === 'call' && Object.keys(last.input).length === 0
}

export const cuts: fc.Arbitrary<Cuts> = fc.record({
  size: fc.constantFrom(0, 1, 2, 5),
  argumentsAtTheEnd: fc.boolean(),
  emptyDeltas: fc.boolean(),
  pings: fc.boolean(),
  usage: fc.constantFrom('start', 'end', 'every'),
  ids: fc.constantFrom('given', 'missing', 'repeated'),
  index: fc.constantFrom('given', 'missing', 'minus-one'),
  joined: fc.boolean(),
  endMark: fc.boolean(),
  failure: fc.constantFrom('none', 'none', 'none', 'error', 'cut'),
  failsAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
})

/** The events of a provider of the format. */
export function streamOf(format: ProviderFormatName, said: Script, cut: Cuts): SseEvent[] {
  const events = WRITERS[format](said, cut)
  if (cut.failure === 'none') return events
  const start = events.slice(0, Math.floor(events.length * cut.failsAt))
  return cut.failure === 'cut' ? start : [...start, ERRORS[format]]
}

const ERRORS: Readonly<Record<ProviderFormatName, SseEvent>> = {
  'chat-completions': { data: '{"error":{"message":"overloaded","type":"server_error","code":null}}' },
  messages: { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}' },
  'generate-content': { data: '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}' },
}

const WRITERS = { 'chat-completions': chat, messages, 'generate-content': gemini } as const

function pieces(text: string, { size, emptyDeltas }: Cuts): string[] {
  const list: string[] = []
  const step = size === 0 ? Math.max(1, text.length) : size
  for (let at = 0; at < text.length; at += step) list.push(text.slice(at, at + step))
  return emptyDeltas ? ['', ...list.flatMap((one) => [one, ''])] : list
}

function hasCalls({ blocks }: Script): boolean {
  return blocks.some((one) => one.type === 'call')
}

function chat(said: Script, cut: Cuts): SseEvent[] {
  const usage = { prompt_tokens: said.input, completion_tokens: said.output, total_tokens: said.input + said.output }
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }]
  const late: JsonObject[] = []
  let calls = 0
  for (const one of said.blocks) {
    if (one.type === 'text') deltas.push(...pieces(one.text, cut).map((content) => ({ content })))
    else if (one.type === 'reasoning')
      deltas.push(...pieces(one.text, cut).map((reasoning) => ({ reasoning_content: reasoning })))
    else {
      const [head, ...rest] = chatCall(one, calls++, cut)
      deltas.push(head ?? {})
      ;(cut.argumentsAtTheEnd && isAddressed(cut) ? late : deltas).push(...rest)
    }
  }
  const finish = said.cutByLength ? 'length' : hasCalls(said) ? 'tool_calls' : 'stop'
  const chunks = joinDeltas([...deltas, ...late], cut).map((delta) => ({
    choices: [{ index: 0, delta, finish_reason: null }],
  }))
  const list: JsonObject[] = [...chunks, { choices: [{ index: 0, delta: {}, finish_reason: finish }] }]
  const named = list.map((chunk) => ({
    id: 'chatcmpl-1',
    created: 1,
    model: 'm',
    ...chunk,
    ...(cut.usage === 'every' ? { usage } : {}),
  }))
  const alone = { id: 'chatcmpl-1', created: 1, model: 'm', choices: [], usage }
  const whole = cut.usage === 'start' ? [alone, ...named] : cut.usage === 'end' ? [...named, alone] : named
  const events = whole.flatMap((chunk): SseEvent[] => [
    ...(cut.pings ? [{ event: 'ping', data: '{}' }] : []),
    { data: JSON.stringify(chunk) },
  ])
  return cut.endMark ? [...events, { data: '[DONE]' }] : events
}

/** Late arguments must say whose they are. */
function isAddressed({ index, ids }: Cuts): boolean {
  return index === 'given' || ids === 'repeated'
}

function chatCall(call: Extract<Block, { type: 'call' }>, position: number, cut: Cuts): JsonObject[] {
  const index = cut.index === 'given' ? { index: position } : cut.index === 'minus-one' ? { index: -1 } : {}
  // Without index and id nothing could tell a second call from a piece of the first.
  const id = cut.ids === 'missing' && cut.index === 'given' ? {} : { id: `call_${position}` }
  const again = cut.ids === 'repeated' ? { ...id, type: 'function' } : {}
  const name = cut.ids === 'repeated' ? { name: call.name } : {}
  const [first, ...rest] = ['', ...pieces(JSON.stringify(call.input), cut)]
  return [
    { tool_calls: [{ ...index, ...id, type: 'function', function: { name: call.name, arguments: first ?? '' } }] },
    ...rest.map((piece) => ({ tool_calls: [{ ...index, ...again, function: { ...name, arguments: piece } }] })),
  ]
}

/** Text, then tools, two deltas a chunk, where they do not fill the same field. */
function joinDeltas(deltas: readonly JsonObject[], { joined }: Cuts): JsonObject[] {
  if (!joined) return [...deltas]
  const list: JsonObject[] = []
  for (const delta of deltas) {
    const last = list.at(-1)
    const fits =
      last !== undefined &&
      !('tool_calls' in last) &&
      Object.keys(delta).every((field) => !(field in last) || last[field] === '')
    // A delta's reasoning stands before its text.
    if (fits && !('reasoning_content' in delta && last['content'])) list[list.length - 1] = { ...last, ...delta }
    else list.push(delta)
  }
  return list
}

function messages(said: Script, cut: Cuts): SseEvent[] {
  const start =
    cut.usage === 'end' ? { input_tokens: 0, output_tokens: 0 } : { input_tokens: said.input, output_tokens: 1 }
  const list: JsonObject[] = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: start },
    },
  ]
  said.blocks.forEach((one, index) => list.push(...messagesBlock(one, index, cut)))
  const reason = said.cutByLength ? 'max_tokens' : hasCalls(said) ? 'tool_use' : 'end_turn'
  const last =
    cut.usage === 'start' ? { output_tokens: said.output } : { input_tokens: said.input, output_tokens: said.output }
  list.push({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: last })
  if (cut.endMark) list.push({ type: 'message_stop' })
  return list.flatMap((document): SseEvent[] => [
    ...(cut.pings ? [{ event: 'ping', data: '{"type":"ping"}' }] : []),
    { event: String(document['type']), data: JSON.stringify(document) },
  ])
}

function messagesBlock(one: Block, index: number, cut: Cuts): JsonObject[] {
  const stop = cut.ids === 'missing' ? [] : [{ type: 'content_block_stop', index }] // imitators forget it
  const wrap = (block: JsonObject, deltas: JsonObject[]): JsonObject[] => [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    ...stop,
  ]
  if (one.type === 'text') {
    return wrap(
      { type: 'text', text: '' },
      pieces(one.text, cut).map((text) => ({ type: 'text_delta', text })),
    )
  }
  if (one.type === 'reasoning') {
    const deltas = pieces(one.text, cut).map((thinking): JsonObject => ({ type: 'thinking_delta', thinking }))
    const signature = { type: 'signature_delta', signature: 'c2ln' }
    return wrap({ type: 'thinking', thinking: '', signature: '' }, cut.joined ? deltas : [...deltas, signature])
  }
  const head = { type: 'tool_use', name: one.name, ...(cut.ids === 'missing' ? {} : { id: `toolu_${index}` }) }
  if (cut.argumentsAtTheEnd) return wrap({ ...head, input: one.input }, [])
  const json = pieces(JSON.stringify(one.input), cut)
  // Imitators send the input whole and then again in pieces.
  return wrap(
    { ...head, input: cut.ids === 'repeated' ? one.input : {} },
    json.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  )
}

function gemini(said: Script, cut: Cuts): SseEvent[] {
  const parts = said.blocks.flatMap((one): JsonObject[] => {
    if (one.type === 'text') return pieces(one.text, cut).map((text) => ({ text }))
    if (one.type === 'reasoning') return pieces(one.text, cut).map((text) => ({ text, thought: true }))
    const id = cut.ids === 'given' ? { id: `fc_${said.blocks.indexOf(one)}` } : {}
    return [{ functionCall: { ...id, name: one.name, args: one.input }, thoughtSignature: 'c2ln' }]
  })
  const groups = cut.joined ? [parts] : parts.map((part) => [part])
  const index = cut.index === 'given' ? { index: 0 } : {}
  const usageMetadata = {
    promptTokenCount: said.input,
    candidatesTokenCount: said.output,
    totalTokenCount: said.input + said.output,
  }
  const finishReason = said.cutByLength ? 'MAX_TOKENS' : 'STOP'
  const last = { candidates: [{ ...index, content: { role: 'model', parts: [{ text: '' }] }, finishReason }] }
  const chunks: JsonObject[] = groups.map((group) => ({
    candidates: [{ ...index, content: { role: 'model', parts: group } }],
  }))
  const list = [...chunks, last].map((chunk, at, all): JsonObject => {
    const tells = cut.usage === 'every' || at === (cut.usage === 'start' ? 0 : all.length - 1)
    return { responseId: 'r1', modelVersion: 'm', ...chunk, ...(tells ? { usageMetadata } : {}) }
  })
  return list.map((document) => ({ data: JSON.stringify(document) }))
}

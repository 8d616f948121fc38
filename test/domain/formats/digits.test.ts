/** Numbers beyond what a double keeps, in arguments and results of tools: from every format to every format, and back. */
import fc from 'fast-check'
import t from 'tap'
import { isDeepStrictEqual } from 'node:util'
import { ResultAssembler } from '../../../src/domain/completion/assemble.ts'
import type { CompletionRequest, ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { CompletionResult } from '../../../src/domain/completion/result.ts'
import type { RenderContext, SseEvent } from '../../../src/domain/formats/format.ts'
import { FORMATS, formatOf, renderRequestFor, renderResultFor } from '../../../src/domain/formats/registry.ts'
import { parseJson } from '../../../src/domain/json-parse.ts'
import { asObject, type JsonObject } from '../../../src/domain/json.ts'
import { objectText, valuesOf } from '../number-texts.ts'

const NAMES = FORMATS.map((format) => format.name)
const RUNS = { numRuns: 200 }
const LONG = '{"id":1152921504606846977,"n":[-9007199254740993,{"f":0.1234567890123456789,"huge":1e400}],"s":"x"}'

const read = (text: string): JsonObject => asObject(parseJson(text)) ?? {}
/** What a guardrail does: it changes a text, so that the document is written anew. */
const mask = (text: string): string => (text === 'hello' ? 'masked' : text)

/** A conversation with a call of these arguments, whose result says the same. */
const REQUESTS: Readonly<Record<ProviderFormatName, (args: string) => string>> = {
  'chat-completions': (args) => `{"model":"m","messages":[{"role":"user","content":"hello"},
    {"role":"assistant","content":null,"tool_calls":[
      {"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]},
    {"role":"tool","tool_call_id":"c1","content":${JSON.stringify(args)}}]}`,
  messages: (args) => `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"},
    {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${args}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${JSON.stringify(args)}}]}]}`,
  'generate-content': (args) => `{"contents":[{"role":"user","parts":[{"text":"hello"}]},
    {"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":${args}}}}]}]}`,
}

/** An answer that says something and calls a tool. */
const ANSWERS: Readonly<Record<ProviderFormatName, (args: string) => string>> = {
  'chat-completions': (args) => `{"id":"a","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":
    {"role":"assistant","content":"hello","tool_calls":[
      {"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}}]}`,
  messages: (args) => `{"id":"a","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[
    {"type":"text","text":"hello"},{"type":"tool_use","id":"c1","name":"f","input":${args}}]}`,
  'generate-content': (args) => `{"responseId":"a","candidates":[{"index":0,"finishReason":"STOP","content":
    {"role":"model","parts":[{"text":"hello"},{"functionCall":{"name":"f","args":${args}}}]}}]}`,
}

/** The same as events; where arguments are objects, in one piece. */
const STREAMS: Readonly<Record<ProviderFormatName, (args: string) => SseEvent[]>> = {
  'chat-completions': (args) =>
    [
      '{"id":"a","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hello"}}]}',
      ...[args.slice(0, 9), args.slice(9)].map(
        (piece) => `{"id":"a","model":"m","choices":[{"index":0,"delta":{"tool_calls":[
          {"index":0,"id":"c1","function":{"name":"f","arguments":${JSON.stringify(piece)}}}]}}]}`,
      ),
      '{"id":"a","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
      '[DONE]',
    ].map((data) => ({ data })),
  messages: (args) =>
    [
      '{"type":"message_start","message":{"id":"a","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hello"}}',
      '{"type":"content_block_stop","index":0}',
      `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"f","input":${args}}}`,
      '{"type":"content_block_stop","index":1}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
      '{"type":"message_stop"}',
    ].map((data) => ({ event: /"type":"(\w+)"/.exec(data)?.[1] ?? '', data })),
  'generate-content': (args) => [{ data: ANSWERS['generate-content'](args) }],
}

function requestOf(name: ProviderFormatName, document: JsonObject): CompletionRequest {
  return formatOf(name).parseRequest(document, { model: 'm', stream: true })
}

const CONTEXT: Omit<RenderContext, 'request'> = { model: 'm', nowSeconds: 1, requestId: 'r' }

function contextOf(name: ProviderFormatName): RenderContext {
  return { ...CONTEXT, request: requestOf(name, read(REQUESTS[name]('{}'))) }
}

/** Arguments of the call and text of its result, as the neutral model has them after the way. */
function requestThrough(from: ProviderFormatName, to: ProviderFormatName, args: string): string[] {
  const source = read(REQUESTS[from](args))
  formatOf(from).visitRequestText(source, (span) => mask(span.text))
  const { document } = renderRequestFor(to, requestOf(from, source), {
    model: 'm',
    maxOutputTokens: 9,
    defaultMaxOutputTokens: 9,
    stream: false,
  })
  return requestOf(to, read(JSON.stringify(document))).messages.flatMap((message) =>
    message.content.flatMap((part) => {
      if (part.type === 'tool-call') return part.arguments
      return part.type === 'tool-result' ? part.content.flatMap((one) => (one.type === 'text' ? one.text : [])) : []
    }),
  )
}

function argumentsIn(result: CompletionResult): string[] {
  return result.choices.flatMap(
    ({ content }) => content.flatMap((part) => (part.type === 'tool-call' ? part.arguments || '{}' : [])), // none are an empty text
  )
}

function answerThrough(from: ProviderFormatName, to: ProviderFormatName, args: string): string[] {
  const result = formatOf(from).parseResult(read(ANSWERS[from](args)))
  const { document } = renderResultFor(to, result, contextOf(to))
  formatOf(to).visitResultText(document, (span) => mask(span.text))
  return argumentsIn(formatOf(to).parseResult(read(JSON.stringify(document))))
}

function streamThrough(from: ProviderFormatName, to: ProviderFormatName, args: string): string[] {
  return argumentsIn(assembled(to, patched(to, translated(from, to, STREAMS[from](args)))))
}

function translated(from: ProviderFormatName, to: ProviderFormatName, events: readonly SseEvent[]): SseEvent[] {
  if (from === to) {
    const relay = formatOf(to).createStreamRelay(contextOf(to))
    return [...events.flatMap((event) => relay.push(event)), ...(relay.end?.() ?? [])]
  }
  const decoder = formatOf(from).createStreamDecoder()
  const encoder = formatOf(to).createStreamEncoder(contextOf(to))
  const parts = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
  return [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
}

function patched(name: ProviderFormatName, events: readonly SseEvent[]): SseEvent[] {
  const patcher = formatOf(name).createStreamTextPatcher({
    push: (_channel, _kind, text) => mask(text),
    flush: () => '',
  })
  return [...events.flatMap((event) => patcher.push(event)), ...patcher.end()]
}

function assembled(name: ProviderFormatName, events: readonly SseEvent[]): CompletionResult {
  const decoder = formatOf(name).createStreamDecoder()
  const assembler = new ResultAssembler()
  for (const event of events) for (const part of decoder.push(event)) assembler.push(part)
  for (const part of decoder.end()) assembler.push(part)
  return assembler.result(name)
}

/** Each is a text of its own: none may be missing. */
function saysTheSame(texts: readonly string[], args: string, count: number): boolean {
  return texts.length === count && texts.every((text) => isDeepStrictEqual(valuesOf(text), valuesOf(args)))
}

const WAYS = [
  ['request', 2, requestThrough],
  ['whole answer', 1, answerThrough],
  ['streamed answer', 1, streamThrough],
] as const

for (const [what, count, through] of WAYS) {
  for (const from of NAMES) {
    for (const to of NAMES) {
      t.test(`a ${what} of ${from}, as ${to} says it, keeps every number of a tool's arguments`, async (t) => {
        t.strictSame(
          through(from, to, LONG),
          Array.from({ length: count }, () => LONG),
        )
        fc.assert(
          fc.property(objectText(), (args) => saysTheSame(through(from, to, args), args, count)),
          RUNS,
        )
      })
    }
  }
}

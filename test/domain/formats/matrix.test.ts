/** Every format against every format: requests, recorded streams, and streams generated with all the traps. */
import fc from 'fast-check'
import t from 'tap'
import type { CompletionRequest, FormatName, ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { RenderContext, SseEvent } from '../../../src/domain/formats/format.ts'
import {
  CLIENT_FORMATS,
  clientFormatOf,
  FORMATS,
  formatOf,
  renderRequestFor,
} from '../../../src/domain/formats/registry.ts'
import { SseDecoder } from '../../../src/domain/formats/sse.ts'
import { asArray, asNumber, asObject, asString, type JsonValue } from '../../../src/domain/json.ts'
import { readChatStream } from '../../helpers/chat-completions-grammar.ts'
import { readGeminiStream } from '../../helpers/gemini-grammar.ts'
import { readMessagesStream } from '../../helpers/messages-grammar.ts'
import { readResponsesStream } from '../../helpers/responses-grammar.ts'
import { cuts, script, streamOf, type Script } from './generated-streams.ts'
import { casesOf, fixture, matchGolden } from './golden.ts'

const NAMES = FORMATS.map((format) => format.name)
const CLIENTS = CLIENT_FORMATS.map((format) => format.name)
const MODELS: Readonly<Record<ProviderFormatName, string>> = {
  'chat-completions': 'gpt-5.2',
  messages: 'claude-sonnet-4-5',
  'generate-content': 'gemini-3-pro-preview',
}
const MINIMAL: Readonly<Record<FormatName, Parameters<(typeof FORMATS)[number]['parseRequest']>>> = {
  'chat-completions': [
    { stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'x' }] },
    {},
  ],
  messages: [{ stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }, {}],
  'generate-content': [{ contents: [{ parts: [{ text: 'x' }] }] }, { stream: true }],
  responses: [{ stream: true, input: 'x' }, {}],
}

for (const from of CLIENTS) {
  for (const name of casesOf(`${from}/requests`, '.json')) {
    for (const to of NAMES) {
      t.test(`the ${from} request «${name}» as ${to} says it`, async (t) => {
        const document = JSON.parse(fixture(`${from}/requests/${name}.json`))
        const request = clientFormatOf(from).parseRequest(document, { model: 'm', stream: true })
        // A client of the same format that names the model gets every field of its own.
        const rendered = renderRequestFor(to, request, {
          model: (from === to ? request.model : undefined) ?? MODELS[to],
          maxOutputTokens: undefined,
          defaultMaxOutputTokens: 4096,
          stream: true,
        })
        t.strictSame(document, JSON.parse(fixture(`${from}/requests/${name}.json`)), 'the source is not touched')
        if (from !== to) matchGolden(t, `${from}/requests/${name}.to-${to}.golden.json`, rendered)
        else for (const field of Object.keys(document)) t.ok(field === 'model' || field in rendered.document, field)
        // What was written is a request of that format, and says no more than what came.
        const again = formatOf(to).parseRequest(rendered.document, { model: 'm', stream: true })
        t.strictSame(callsOf(again), callsOf(request), 'every call and its result')
      })
    }
  }
}

/** Names of calls and how many results there are: what a conversation with tools stands or falls by. */
function callsOf({ messages }: CompletionRequest) {
  const calls = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-call' ? part.name : [])),
  )
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === 'tool-result'))
  return { calls, results: results.length }
}

interface Read {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly input: JsonValue }[]
  readonly input: number | undefined
  readonly output: number | undefined
  readonly reason: 'stop' | 'length' | 'tools' | string
  readonly failed: boolean
}

/** What a client of the format has in hand after a stream; throws where the stream breaks the format's grammar. */
const READERS: Readonly<Record<FormatName, (events: readonly SseEvent[]) => Read>> = {
  'chat-completions': (events) => {
    const { choices, usage, error } = readChatStream(events, { usage: true })
    const { content = '', reasoning = '', calls = [], finishReason = '' } = choices.get(0) ?? {}
    return {
      text: content + (choices.get(0)?.refusal ?? ''),
      reasoning,
      calls: calls.map((call) => ({ name: call.name, input: valueOf(call.arguments) })),
      input: Number(usage?.['prompt_tokens']),
      output: Number(usage?.['completion_tokens']),
      reason: { tool_calls: 'tools' }[finishReason] ?? finishReason,
      failed: error !== undefined,
    }
  },
  messages: (events) => {
    const { content, usage, stopReason = '', error } = readMessagesStream(events)
    return {
      text: content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join(''),
      reasoning: content.map((block) => (typeof block['thinking'] === 'string' ? block['thinking'] : '')).join(''),
      calls: content.flatMap((block) =>
        block['type'] === 'tool_use' ? { name: String(block['name']), input: valueOf(String(block['input'])) } : [],
      ),
      input: Number(usage['input_tokens']),
      output: Number(usage['output_tokens']),
      reason: { tool_use: 'tools', end_turn: 'stop', max_tokens: 'length' }[stopReason] ?? stopReason,
      failed: error !== undefined,
    }
  },
  'generate-content': (events) => {
    const { candidates, usage, error } = readGeminiStream(events)
    const { text = '', thoughts = '', calls = [], finishReason = '' } = candidates.get(0) ?? {}
    const reason = finishReason === 'STOP' && calls.length > 0 ? 'tools' : finishReason
    return {
      text,
      reasoning: thoughts,
      calls: calls.map((call) => ({ name: String(call['name']), input: call['args'] ?? {} })),
      input: Number(usage?.['promptTokenCount']),
      output: Number(usage?.['candidatesTokenCount']) + Number(usage?.['thoughtsTokenCount'] ?? 0),
      reason: { STOP: 'stop', MAX_TOKENS: 'length' }[reason] ?? reason,
      failed: error !== undefined,
    }
  },
  responses: (events) => {
    const { response, output, error } = readResponsesStream(events)
    const textsIn = (type: string, field: string) =>
      output.map((item) => (item['type'] === type ? asArray(item[field]) : []).map(textOf).join('')).join('')
    const calls = output.filter(({ type }) => type === 'function_call')
    const reason = response['status'] === 'incomplete' ? 'length' : calls.length > 0 ? 'tools' : 'stop'
    return {
      text: textsIn('message', 'content'),
      reasoning: textsIn('reasoning', 'summary'),
      calls: calls.map((call) => ({ name: String(call['name']), input: valueOf(String(call['arguments'])) })),
      input: asNumber(asObject(response['usage'])?.['input_tokens']),
      output: asNumber(asObject(response['usage'])?.['output_tokens']),
      reason,
      failed: error !== undefined,
    }
  },
}

function textOf(part: JsonValue): string {
  const { text, refusal } = asObject(part) ?? {}
  return asString(text) ?? asString(refusal) ?? ''
}

function valueOf(json: string): JsonValue {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function translate(from: ProviderFormatName, to: FormatName, events: readonly SseEvent[]): SseEvent[] {
  const request = clientFormatOf(to).parseRequest(...MINIMAL[to])
  const context: RenderContext = { request, model: 'm', nowSeconds: 1, requestId: 'r' }
  const decoder = formatOf(from).createStreamDecoder()
  const encoder = clientFormatOf(to).createStreamEncoder(context)
  const out = events.flatMap((event) => decoder.push(event).flatMap((part) => encoder.push(part)))
  return [...out, ...decoder.end().flatMap((part) => encoder.push(part)), ...encoder.end()]
}

function eventsOf(text: string): SseEvent[] {
  const decoder = new SseDecoder()
  return [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()]
}

for (const from of NAMES) {
  for (const name of casesOf(`${from}/streams`, '.chunks.txt')) {
    t.test(`the recorded ${from} stream «${name}» says the same to every client`, async (t) => {
      const events = eventsOf(fixture(`${from}/streams/${name}.chunks.txt`))
      const [chat, ...others] = CLIENTS.map((to) => READERS[to](translate(from, to, events)))
      for (const other of others) {
        if (chat?.failed) t.ok(other.failed)
        // Formats without a tool-call index or a second choice are compared by what they can say.
        else t.match(other, { text: chat?.text, reasoning: chat?.reasoning, failed: false })
        if (!chat?.failed)
          t.strictSame(
            other.calls.map((call) => call.name),
            chat?.calls.map((call) => call.name),
          )
      }
    })
  }
}

const RUNS = 300

for (const from of NAMES) {
  for (const to of CLIENTS) {
    t.test(`${RUNS} generated ${from} streams are read by ${to} clients without a loss`, async () => {
      fc.assert(
        fc.property(script, cuts, (said, cut) => {
          const read = READERS[to](translate(from, to, streamOf(from, said, cut)))
          if (cut.failure === 'error') return read.failed
          // A stream cut after its last word of content may still be whole; one cut before must say so.
          if (cut.failure === 'cut') return read.failed || same(read, said, false)
          return !read.failed && same(read, said, true)
        }),
        { numRuns: RUNS },
      )
    })
  }
}

function same(read: Read, { blocks, input, output, cutByLength }: Script, counts: boolean): boolean {
  const joined = (type: 'text' | 'reasoning') => blocks.map((one) => (one.type === type ? one.text : '')).join('')
  const calls = blocks.flatMap((one) => (one.type === 'call' ? { name: one.name, input: one.input } : []))
  const reason = cutByLength ? 'length' : calls.length > 0 ? 'tools' : 'stop'
  return (
    read.text === joined('text') &&
    read.reasoning === joined('reasoning') &&
    JSON.stringify(read.calls) === JSON.stringify(calls) &&
    read.reason === reason &&
    (!counts || (read.input === input && read.output === output))
  )
}

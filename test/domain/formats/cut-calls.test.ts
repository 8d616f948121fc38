/** A call with which an answer was cut off before its first argument is not told as one with none: a client would run it. */
import t from 'tap'
import { ResultAssembler } from '../../../src/domain/completion/assemble.ts'
import type { CompletionResult } from '../../../src/domain/completion/result.ts'
import type { FormatName, ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { StreamPart } from '../../../src/domain/completion/stream-part.ts'
import type { RenderContext, SseEvent } from '../../../src/domain/formats/format.ts'
import {
  clientFormatOf,
  createStreamEncoderFor,
  formatOf,
  renderResultFor,
} from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const REQUEST: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'x' }] },
  messages: { max_tokens: 10, messages: [{ role: 'user', content: 'x' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  responses: { input: 'x' },
}

function contextOf(client: FormatName, answeredIn: ProviderFormatName): RenderContext {
  const request = clientFormatOf(client).parseRequest(REQUEST[client], { model: 'm' })
  return { request, model: 'm', nowSeconds: 7, requestId: 'r', answeredIn }
}

const calls = ['a', 'b']

/** Two calls without arguments, of which the last one may have been cut off. */
const WHOLE: Readonly<Record<'chat-completions' | 'messages', (isCut: boolean) => JsonObject>> = {
  'chat-completions': (isCut) => ({
    choices: [
      {
        message: {
          role: 'assistant',
          tool_calls: calls.map((id) => ({ id, type: 'function', function: { name: id, arguments: '' } })),
        },
        finish_reason: isCut ? 'length' : 'tool_calls',
      },
    ],
  }),
  messages: (isCut) => ({
    content: calls.map((id) => ({ type: 'tool_use', id, name: id, input: {} })),
    stop_reason: isCut ? 'max_tokens' : 'tool_use',
  }),
}

const STREAMED: Readonly<Record<'chat-completions' | 'messages', (isCut: boolean) => JsonObject[]>> = {
  'chat-completions': (isCut) => [
    ...calls.map((id, index) => ({
      choices: [{ delta: { tool_calls: [{ index, id, type: 'function', function: { name: id, arguments: '' } }] } }],
    })),
    { choices: [{ delta: {}, finish_reason: isCut ? 'length' : 'tool_calls' }] },
  ],
  messages: (isCut) => [
    { type: 'message_start', message: { id: 'x', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    ...calls.flatMap((id, index) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: id, input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: isCut ? 'max_tokens' : 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ],
}

function partsOf(provider: ProviderFormatName, documents: readonly JsonObject[]): StreamPart[] {
  const decoder = formatOf(provider).createStreamDecoder()
  return [...documents.flatMap((data) => decoder.push({ data: JSON.stringify(data) })), ...decoder.end()]
}

function assembled(provider: ProviderFormatName, parts: readonly StreamPart[]): CompletionResult {
  const assembler = new ResultAssembler()
  for (const part of parts) assembler.push(part)
  return assembler.result(provider)
}

function argumentsIn({ choices }: CompletionResult): string[] {
  return choices.flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool-call' ? part.arguments : [])))
}

for (const provider of ['chat-completions', 'messages'] as const) {
  t.test(`of a ${provider} answer that was cut the last call has no arguments, not even none`, async (t) => {
    for (const isCut of [true, false]) {
      const told = ['{}', isCut ? '' : '{}']
      t.strictSame(argumentsIn(formatOf(provider).parseResult(WHOLE[provider](isCut))), told, 'whole')
      const parts = partsOf(provider, STREAMED[provider](isCut))
      t.strictSame(argumentsIn(assembled(provider, parts)), told, 'streamed')
    }
  })

  t.test(`what clients get of a call that ${provider} has cut off`, async (t) => {
    const told = (client: FormatName) => {
      const context = contextOf(client, provider)
      const result = formatOf(provider).parseResult(WHOLE[provider](true))
      const encoder = createStreamEncoderFor(client, context)
      const parts = partsOf(provider, STREAMED[provider](true))
      const events: SseEvent[] = [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
      return { document: renderResultFor(client, result, context), events: events.map(({ data }) => data).join('\n') }
    }
    if (provider !== 'chat-completions') {
      const chat = told('chat-completions')
      t.match(chat.document.document, {
        choices: [{ message: { tool_calls: [{ function: { arguments: '{}' } }, { function: { arguments: '' } }] } }],
      })
      t.equal(chat.events.split('"arguments":"{}"').length, 2, 'one of both')
    }
    const responses = told('responses')
    const output = [
      { status: 'completed', arguments: '{}' },
      { status: 'incomplete', arguments: '' },
    ]
    t.match(responses.document.document, { output })
    t.match(JSON.parse(responses.events.split('\n').at(-1) ?? ''), { response: { output } })
    const gemini = told('generate-content')
    t.match(gemini.document.document, { candidates: [{ content: { parts: [{ functionCall: { name: 'a' } }] } }] })
    t.match(gemini.document.warnings, [{ field: 'candidates[0].b' }])
    t.notMatch(gemini.events, /"name":"b"/)
  })
}

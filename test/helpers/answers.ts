/** Answers of the vendors' shapes for fake providers: small, right, and with usage. */
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'

export interface AnswerOptions {
  readonly model?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly finishReason?: string
}

/** An OpenAI chat completion that says `text`. */
export function chatCompletion(text: string, options: AnswerOptions = {}): JsonObject {
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: options.model ?? 'test-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: null,
        finish_reason: options.finishReason ?? 'stop',
      },
    ],
    usage: chatUsage(options),
  }
}

/** The same as an event stream, one chunk a piece of text, with usage and `[DONE]`. */
export function chatStream(texts: readonly string[], options: AnswerOptions = {}): string[] {
  const chunk = (fields: JsonObject): string =>
    sse({
      id: 'chatcmpl-test',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: options.model ?? 'test-model',
      ...fields,
    })
  const choice = (delta: JsonObject, finishReason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] })
  return [
    choice({ role: 'assistant', content: '' }),
    ...texts.map((content) => choice({ content })),
    choice({}, options.finishReason ?? 'stop'),
    chunk({ choices: [], usage: chatUsage(options) }),
    SSE_DONE,
  ]
}

/** An OpenAI error body. */
export function chatError(message: string, type = 'server_error', code: string | null = null): JsonObject {
  return { error: { message, type, param: null, code } }
}

/** The mark that ends an OpenAI stream. */
export const SSE_DONE = 'data: [DONE]\n\n'

/** One server-sent event with a JSON document. */
export function sse(data: JsonValue, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** An Anthropic message that says `text`. */
export function anthropicMessage(text: string, options: AnswerOptions = {}): JsonObject {
  return {
    ...anthropicStart(options),
    content: [{ type: 'text', text }],
    stop_reason: options.finishReason ?? 'end_turn',
    usage: { input_tokens: options.inputTokens ?? 5, output_tokens: options.outputTokens ?? 3 },
  }
}

/** The same as an event stream with the whole event grammar. */
export function anthropicStream(texts: readonly string[], options: AnswerOptions = {}): string[] {
  const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type)
  return [
    event('message_start', { message: anthropicStart(options) }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: options.finishReason ?? 'end_turn', stop_sequence: null },
      usage: { output_tokens: options.outputTokens ?? 3 },
    }),
    event('message_stop', {}),
  ]
}

/** A Gemini answer that says `text`; also one chunk of its stream. */
export function geminiAnswer(text: string, options: AnswerOptions = {}): JsonObject {
  const input = options.inputTokens ?? 5
  const output = options.outputTokens ?? 3
  return {
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: options.finishReason ?? 'STOP' },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    modelVersion: options.model ?? 'test-model',
  }
}

function chatUsage({ inputTokens = 5, outputTokens = 3 }: AnswerOptions): JsonObject {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
}

function anthropicStart(options: AnswerOptions): JsonObject {
  return {
    id: 'msg_test',
    type: 'message',
    role: 'assistant',
    model: options.model ?? 'test-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: options.inputTokens ?? 5, output_tokens: 1 },
  }
}

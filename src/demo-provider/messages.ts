/** The Anthropic messages format, as far as the demo needs it. */
import { asObject, asString } from '../domain/json.ts'
import type { JsonObject, JsonValue } from '../domain/json.ts'
import { DemoRefusal, knownModel, objectsOf, stringsOf, tokenLimit } from './demo-request.ts'
import type { DemoAnswer, DemoRequest, DemoTool, ToolChoice } from './demo-request.ts'
import type { DemoFormat, RenderContext } from './demo-format.ts'

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' } as const

export const messages: DemoFormat = {
  read(document): DemoRequest {
    const turns = objectsOf(document['messages'], 'messages')
    if (turns.length === 0) throw new DemoRefusal(400, 'messages: at least one message is required')
    const last = blocksOf(turns.findLast((turn) => turn['role'] === 'user')?.['content'])
    const instructions = textOf(blocksOf(document['system']))
    return {
      model: knownModel(document['model']),
      stream: document['stream'] === true,
      instructions,
      prompt: textOf(last),
      attachments: last.filter((block) => block['type'] === 'image' || block['type'] === 'document').length,
      toolResults: last
        .filter((block) => block['type'] === 'tool_result')
        .map((block) => textOf(blocksOf(block['content']))),
      tools: objectsOf(document['tools'], 'tools').map(readTool),
      toolChoice: readToolChoice(asObject(document['tool_choice'])),
      json: undefined,
      maxTokens: tokenLimit(document['max_tokens'], 'max_tokens'),
      stop: stringsOf(document['stop_sequences']),
      choices: 1,
      includeUsage: true,
      inputText:
        [instructions, ...turns.map((turn) => textOf(blocksOf(turn['content'])))].join('\n') +
        JSON.stringify(document['tools'] ?? ''),
    }
  },

  render([answer], context): JsonObject {
    if (answer === undefined) return {}
    return {
      ...envelope(context),
      content: contentOf(answer),
      stop_reason: STOP_REASONS[answer.finish],
      usage: { input_tokens: answer.inputTokens, output_tokens: answer.outputTokens },
    }
  },

  events([answer], context): string[] {
    if (answer === undefined) return []
    const start = { ...envelope(context), usage: { input_tokens: answer.inputTokens, output_tokens: 1 } }
    return [
      event('message_start', { message: start }),
      ...contentOf(answer).flatMap((block, index) => blockEvents(answer, block, index)),
      event('message_delta', {
        delta: { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null },
        usage: { output_tokens: answer.outputTokens },
      }),
      event('message_stop', {}),
    ]
  },

  error: ({ status, message, code }) => ({
    type: 'error',
    error: { type: errorType(status, code), message },
    request_id: null,
  }),
}

function blockEvents(answer: DemoAnswer, block: JsonObject, index: number): string[] {
  const isText = block['type'] === 'text'
  const deltas: JsonObject[] = isText
    ? answer.pieces.map((text) => ({ type: 'text_delta', text }))
    : halves(JSON.stringify(block['input'])).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
  return [
    event('content_block_start', {
      index,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

function contentOf(answer: DemoAnswer): JsonObject[] {
  if (answer.calls.length === 0) return [{ type: 'text', text: answer.pieces.join('') }]
  return answer.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments }))
}

function envelope({ id, request }: RenderContext): JsonObject {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
}

function event(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}

function blocksOf(content: JsonValue | undefined): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content, 'content')
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks
    .map((block) => asString(block['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

function readTool(tool: JsonObject): DemoTool {
  return { name: asString(tool['name']) ?? '', parameters: asObject(tool['input_schema']) ?? {} }
}

function readToolChoice(choice: JsonObject | undefined): ToolChoice {
  const name = asString(choice?.['name'])
  if (choice?.['type'] === 'tool' && name !== undefined) return { type: 'named', name }
  if (choice?.['type'] === 'any') return { type: 'required' }
  return { type: choice?.['type'] === 'none' ? 'none' : 'auto' }
}

function errorType(status: number, code: string | null): string {
  if (code === 'model_not_found' || status === 404) return 'not_found_error'
  if (status === 413) return 'request_too_large'
  if (status === 429) return 'rate_limit_error'
  if (status === 529) return 'overloaded_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}

/** The OpenAI chat completions format, as far as the demo needs it. */
import { asNumber, asObject, asString } from '../domain/json.ts'
import type { JsonObject, JsonValue } from '../domain/json.ts'
import { DemoRefusal, knownModel, MAX_CHOICES, objectsOf, stringsOf, tokenLimit } from './demo-request.ts'
import type { DemoAnswer, DemoRequest, DemoTool, ToolChoice } from './demo-request.ts'
import type { DemoFormat, RenderContext } from './demo-format.ts'

const FINGERPRINT = 'tollgate-demo-provider'
const FINISH_REASONS = { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls' } as const

export const chatCompletions: DemoFormat = {
  read(document): DemoRequest {
    const messages = objectsOf(document['messages'], 'messages')
    if (messages.length === 0) throw new DemoRefusal(400, "'messages' must hold at least one message")
    const prompt = lastUserContent(messages)
    const tools = objectsOf(document['tools'], 'tools').map(readTool)
    return {
      model: knownModel(document['model']),
      stream: document['stream'] === true,
      instructions: messages
        .filter(isInstruction)
        .map((message) => textOf(message['content']))
        .join('\n'),
      prompt: textOf(prompt),
      attachments: attachmentsOf(prompt),
      toolResults: trailingToolResults(messages),
      tools,
      toolChoice: readToolChoice(document['tool_choice']),
      json: readResponseFormat(asObject(document['response_format'])),
      maxTokens: tokenLimit(document['max_completion_tokens'] ?? document['max_tokens'], 'max_tokens'),
      stop: stringsOf(document['stop']),
      choices: Math.min(Math.max(1, Math.trunc(asNumber(document['n']) ?? 1)), MAX_CHOICES),
      includeUsage: asObject(document['stream_options'])?.['include_usage'] === true,
      inputText:
        messages.map((message) => textOf(message['content'])).join('\n') + JSON.stringify(document['tools'] ?? ''),
    }
  },

  render(answers, context): JsonObject {
    const choices = answers.map((answer, index) => ({
      index,
      message: { role: 'assistant', content: contentOf(answer), refusal: null, ...toolCalls(answer) },
      logprobs: null,
      finish_reason: FINISH_REASONS[answer.finish],
    }))
    return { ...envelope('chat.completion', context), choices, usage: usageOf(answers) }
  },

  events(answers, context): string[] {
    const { includeUsage } = context.request
    const chunk = (fields: JsonObject): string =>
      `data: ${JSON.stringify({ ...envelope('chat.completion.chunk', context), ...fields, ...(includeUsage && fields['usage'] === undefined ? { usage: null } : {}) })}\n\n`
    const events = answers.flatMap((answer, index) =>
      choiceDeltas(answer, index).map((choice) => chunk({ choices: [choice] })),
    )
    if (includeUsage) events.push(chunk({ choices: [], usage: usageOf(answers) }))
    return [...events, 'data: [DONE]\n\n']
  },

  error: ({ message, type, code }) => ({ error: { message, type, param: null, code } }),
}

function choiceDeltas(answer: DemoAnswer, index: number): JsonObject[] {
  const choice = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    index,
    delta,
    logprobs: null,
    finish_reason: finish,
  })
  return [
    choice({ role: 'assistant', content: answer.calls.length > 0 ? null : '', refusal: null }),
    ...answer.pieces.map((content) => choice({ content })),
    ...answer.calls.flatMap((call, position) => {
      const text = JSON.stringify(call.arguments)
      const half = Math.ceil(text.length / 2)
      const start = { index: position, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
      const rest = [text.slice(0, half), text.slice(half)].map((piece) => ({
        index: position,
        function: { arguments: piece },
      }))
      return [start, ...rest].map((part) => choice({ tool_calls: [part] }))
    }),
    choice({}, FINISH_REASONS[answer.finish]),
  ]
}

function envelope(object: string, { id, createdSeconds, request }: RenderContext): JsonObject {
  return {
    id: `chatcmpl-${id}`,
    object,
    created: createdSeconds,
    model: request.model,
    system_fingerprint: FINGERPRINT,
  }
}

function usageOf(answers: readonly DemoAnswer[]): JsonObject {
  const input = answers[0]?.inputTokens ?? 0
  const output = answers.reduce((sum, answer) => sum + answer.outputTokens, 0)
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

function contentOf(answer: DemoAnswer): string | null {
  return answer.calls.length > 0 ? null : answer.pieces.join('')
}

function toolCalls(answer: DemoAnswer): JsonObject {
  if (answer.calls.length === 0) return {}
  return {
    tool_calls: answer.calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  }
}

function lastUserContent(messages: readonly JsonObject[]): JsonValue | undefined {
  return messages.findLast((message) => message['role'] === 'user')?.['content']
}

function isInstruction(message: JsonObject): boolean {
  return message['role'] === 'system' || message['role'] === 'developer'
}

function trailingToolResults(messages: readonly JsonObject[]): string[] {
  const last = messages.findLastIndex((message) => message['role'] !== 'tool')
  return messages.slice(last + 1).map((message) => textOf(message['content']))
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => asString(asObject(part)?.['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

function attachmentsOf(content: JsonValue | undefined): number {
  return Array.isArray(content) ? content.filter((part) => asObject(part)?.['type'] !== 'text').length : 0
}

function readTool(tool: JsonObject): DemoTool {
  const declared = asObject(tool['function'])
  return { name: asString(declared?.['name']) ?? '', parameters: asObject(declared?.['parameters']) ?? {} }
}

function readToolChoice(choice: JsonValue | undefined): ToolChoice {
  if (choice === 'none' || choice === 'required') return { type: choice }
  const name = asString(asObject(asObject(choice)?.['function'])?.['name'])
  return name === undefined ? { type: 'auto' } : { type: 'named', name }
}

function readResponseFormat(format: JsonObject | undefined): DemoRequest['json'] {
  if (format?.['type'] === 'json_object') return { schema: undefined }
  if (format?.['type'] !== 'json_schema') return undefined
  return { schema: asObject(asObject(format['json_schema'])?.['schema']) }
}

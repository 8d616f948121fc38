/** The Gemini generateContent format, as far as the demo needs it. */
import { asArray, asNumber, asObject, asString } from '../domain/json.ts'
import type { JsonObject } from '../domain/json.ts'
import { DemoRefusal, knownModel, MAX_CHOICES, objectsOf, stringsOf, tokenLimit } from './demo-request.ts'
import type { DemoAnswer, DemoRequest, DemoTool, ToolChoice } from './demo-request.ts'
import type { DemoFormat, RenderContext } from './demo-format.ts'

/** Gemini has no word of its own for tool calls. */
const FINISH_REASONS = { stop: 'STOP', length: 'MAX_TOKENS', 'tool-calls': 'STOP' } as const
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const generateContent: DemoFormat = {
  read(document, path): DemoRequest {
    const contents = objectsOf(document['contents'], 'contents')
    if (contents.length === 0) throw new DemoRefusal(400, 'contents is not specified')
    const instruction = asObject(document['systemInstruction'] ?? document['system_instruction'])
    const config = asObject(document['generationConfig']) ?? {}
    const last = partsOf(contents.findLast((content) => content['role'] !== 'model'))
    const isJson = config['responseMimeType'] === 'application/json'
    const schema = asObject(config['responseJsonSchema'] ?? config['responseSchema'])
    return {
      model: knownModel(path.model),
      stream: path.stream,
      instructions: textOf(partsOf(instruction)),
      prompt: textOf(last),
      attachments: last.filter((part) => part['inlineData'] !== undefined || part['fileData'] !== undefined).length,
      toolResults: last.flatMap(readToolResult),
      tools: objectsOf(document['tools'], 'tools').flatMap(readTools),
      toolChoice: readToolChoice(asObject(asObject(document['toolConfig'])?.['functionCallingConfig'])),
      json: isJson ? { schema } : undefined,
      maxTokens: tokenLimit(config['maxOutputTokens'], 'generationConfig.maxOutputTokens'),
      stop: stringsOf(config['stopSequences']),
      choices: Math.min(Math.max(1, Math.trunc(asNumber(config['candidateCount']) ?? 1)), MAX_CHOICES),
      includeUsage: true,
      inputText:
        [instruction, ...contents].map((content) => textOf(partsOf(content))).join('\n') +
        JSON.stringify(document['tools'] ?? ''),
    }
  },

  render(answers, context): JsonObject {
    const candidates = answers.map((answer, index) => candidate(index, partsFor(answer), FINISH_REASONS[answer.finish]))
    return { candidates, ...envelope(context), usageMetadata: usageOf(answers) }
  },

  events(answers, context): string[] {
    const event = (fields: JsonObject): string => `data: ${JSON.stringify({ ...fields, ...envelope(context) })}\r\n\r\n`
    const started = answers.flatMap((answer, index) => {
      const parts = answer.calls.length > 0 ? partsFor(answer) : answer.pieces.map((text) => ({ text }))
      return parts.map((part) => event({ candidates: [candidate(index, [part])] }))
    })
    const ends = answers.map((answer, index) => candidate(index, [{ text: '' }], FINISH_REASONS[answer.finish]))
    return [...started, event({ candidates: ends, usageMetadata: usageOf(answers) })]
  },

  error: ({ status, message }) => ({
    error: { code: status, message, status: STATUS_WORDS[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL') },
  }),
}

function candidate(index: number, parts: JsonObject[], finishReason?: string): JsonObject {
  return { index, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }
}

function partsFor(answer: DemoAnswer): JsonObject[] {
  if (answer.calls.length === 0) return [{ text: answer.pieces.join('') }]
  return answer.calls.map((call) => ({ functionCall: { name: call.name, args: call.arguments } }))
}

function envelope({ id, request }: RenderContext): JsonObject {
  return { modelVersion: request.model, responseId: id }
}

function usageOf(answers: readonly DemoAnswer[]): JsonObject {
  const input = answers[0]?.inputTokens ?? 0
  const output = answers.reduce((sum, answer) => sum + answer.outputTokens, 0)
  return { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output }
}

function partsOf(content: JsonObject | undefined): JsonObject[] {
  return objectsOf(content?.['parts'], 'parts')
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map((part) => asString(part['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

function readToolResult(part: JsonObject): string[] {
  const response = asObject(part['functionResponse'])?.['response']
  if (response === undefined) return []
  return [typeof response === 'string' ? response : JSON.stringify(response)]
}

function readTools(tool: JsonObject): DemoTool[] {
  return asArray(tool['functionDeclarations']).map((declared) => {
    const declaration = asObject(declared)
    const parameters = asObject(declaration?.['parametersJsonSchema'] ?? declaration?.['parameters'])
    return { name: asString(declaration?.['name']) ?? '', parameters: parameters ?? {} }
  })
}

function readToolChoice(config: JsonObject | undefined): ToolChoice {
  const allowed = stringsOf(config?.['allowedFunctionNames'])
  if (config?.['mode'] === 'NONE') return { type: 'none' }
  if (config?.['mode'] !== 'ANY') return { type: 'auto' }
  return allowed[0] === undefined ? { type: 'required' } : { type: 'named', name: allowed[0] }
}

/**
 * The form of an answer as a client of another format asks for it, where OpenAI refuses what others take: JSON mode without
 * the word JSON in the conversation, and a schema whose root is no object. Both are then told in words.
 */
import type {
  AssistantPart,
  CompletionRequest,
  ResponseFormat,
  ToolResultPart,
  TranslationWarning,
  UserPart,
} from '../../completion/request.ts'
import { isJsonObject } from '../../json.ts'
import { schemaInstruction } from '../schema-instruction.ts'
import { isOpenAi } from './model-traits.ts'

/** An instruction of the system's that the request needs besides, undefined where it needs none. Adds to `warnings`. */
export function instructionFor(
  request: CompletionRequest,
  model: string,
  warnings: TranslationWarning[],
): string | undefined {
  const format = request.responseFormat
  const field = 'response_format'
  if (format?.type === 'json' && !saysJson(request)) {
    warnings.push({ field, message: 'an instruction to answer in JSON was added, as chat-completions demands' })
    return 'Answer with a JSON object.'
  }
  if (format?.type !== 'json-schema' || takesFormat(format, model)) return undefined
  warnings.push({ field, message: 'chat-completions takes schemas of objects only; it was sent as an instruction' })
  return schemaInstruction(format.schema)
}

/** Whether the vendor takes it; of other vendors' models nobody knows. */
export function takesFormat(format: ResponseFormat, model: string): boolean {
  return format.type !== 'json-schema' || !isOpenAi(model) || hasObjectRoot(format.schema)
}

const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'enum', 'not']

function hasObjectRoot(schema: unknown): boolean {
  return (
    isJsonObject(schema) && schema.type === 'object' && NOT_AT_ROOT.every((keyword) => schema[keyword] === undefined)
  )
}

function saysJson({ system, messages }: CompletionRequest): boolean {
  return saysIt(system) || messages.some(({ content }) => saysIt(content))
}

function saysIt(parts: readonly (AssistantPart | ToolResultPart | UserPart)[]): boolean {
  return parts.some((part) => {
    if (part.type === 'text') return /json/i.test(part.text)
    return part.type === 'tool-result' && saysIt(part.content)
  })
}

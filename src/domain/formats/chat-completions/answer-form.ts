/**
 * The form of an answer as a client of another format asks for it, where OpenAI refuses what others take: JSON mode without
 * the word JSON in the conversation, and a schema whose root is no object; DeepSeek takes no schema. All are then told in words.
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
import { isDeepSeeksApi, isOpenAi } from './model-traits.ts'

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
  if (format?.type !== 'json-schema' || formFor(format, model) === format) return undefined
  const reason = isOpenAi(model) ? 'chat-completions takes schemas of objects only' : 'the model takes no schema'
  warnings.push({ field, message: `${reason}; it was sent as an instruction` })
  return schemaInstruction(format.schema)
}

/** The form that the vendor is asked for: `format` itself where it takes that, undefined for none; of other vendors' models nobody knows. */
export function formFor(format: ResponseFormat, model: string): ResponseFormat | undefined {
  if (format.type !== 'json-schema') return format
  const isOfObject = hasObjectRoot(format.schema)
  if (isDeepSeeksApi(model)) return isOfObject ? { type: 'json' } : undefined
  return !isOpenAi(model) || isOfObject ? format : undefined
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

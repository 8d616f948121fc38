/**
 * Responses request -> neutral request. Checks the types of the fields that the gateway must understand and leaves every
 * other field alone.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
import type { CompletionRequest, Reasoning, ResponseFormat } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { effortOf, parseSchemaFormat } from '../chat-completions/request-parse.ts'
import {
  inOwnLetters,
  modelIn,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalString,
  requiredString,
  withoutUndefined,
} from '../fields.ts'
import { parseConversation } from './item-parse.ts'
import { refuseStoredState } from './stored-state.ts'
import { parseToolChoice, parseTools } from './tool-parse.ts'

const OUTPUT_LIMITS = { min: 1 }

const requireOwnLetters = inOwnLetters(
  'model',
  'input',
  'instructions',
  'stream',
  'max_output_tokens',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
)

/** Reads a request. @throws {InvalidRequestError} naming the field, e.g. `input[2].content[0].text`. */
export function parseRequest(document: JsonObject): CompletionRequest {
  requireOwnLetters(document)
  refuseStoredState(document)
  optionalObject(document, 'stream_options')
  const { system, messages } = parseConversation(document)
  const tools = parseTools(document)
  return {
    source: { format: 'responses', document },
    model: modelIn(document),
    stream: optionalBoolean(document, 'stream') ?? false,
    streamUsage: true,
    system,
    messages,
    tools,
    toolChoice: parseToolChoice(document, tools),
    parallelToolCalls: optionalBoolean(document, 'parallel_tool_calls'),
    sampling: withoutUndefined({
      maxOutputTokens: optionalInteger(document, 'max_output_tokens', OUTPUT_LIMITS),
      temperature: optionalNumber(document, 'temperature'),
      topP: optionalNumber(document, 'top_p'),
    }),
    responseFormat: parseTextFormat(document),
    reasoning: parseReasoning(document),
    user: optionalString(document, 'user') ?? optionalString(document, 'safety_identifier'),
  }
}

function parseTextFormat(document: JsonObject): ResponseFormat | undefined {
  const text = optionalObject(document, 'text')
  const format = text && optionalObject(text, 'format', 'text')
  if (format === undefined) return undefined
  const path = 'text.format'
  switch (requiredString(format, 'type', path)) {
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return parseSchemaFormat(format, path)
    default: // a newer one: kept in the document
      return undefined
  }
}

function parseReasoning(document: JsonObject): Reasoning | undefined {
  const reasoning = optionalObject(document, 'reasoning')
  const effort = effortOf(reasoning && optionalString(reasoning, 'effort', 'reasoning'))
  return effort && { effort }
}

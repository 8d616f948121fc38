/**
 * Chat-completions request -> neutral request. Checks the types of the fields that the gateway must understand and
 * leaves every other field alone.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
import type { CompletionRequest, Reasoning, ResponseFormat, Sampling } from '../../completion/request.ts'
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import {
  inOwnLetters,
  modelIn,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
  withoutUndefined,
  wrongType,
} from '../fields.ts'
import { declaresFunctions } from './legacy-call.ts'
import { parseMessages } from './message-parse.ts'
import { isWrapped, schemaForOthers } from './schema-fields.ts'
import { parseToolChoice, parseTools } from './tool-parse.ts'

/** The vendor's own bounds of `n`. */
const CHOICES = { min: 1, max: 128 }
const OUTPUT_LIMITS = { min: 1 }

/** The output limit's field, oldest last. A document may hold both: the larger one binds. */
export const OUTPUT_LIMIT_FIELDS = ['max_completion_tokens', 'max_tokens'] as const

const requireOwnLetters = inOwnLetters(
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  ...OUTPUT_LIMIT_FIELDS,
  'tools',
  'tool_choice',
  'functions',
  'response_format',
  'reasoning',
  'reasoning_effort',
)

/** Reads a request. @throws {InvalidRequestError} naming the field, e.g. `messages[2].content[0].text`. */
export function parseRequest(document: JsonObject): CompletionRequest {
  requireOwnLetters(document)
  const streamOptions = optionalObject(document, 'stream_options')
  const includeUsage = streamOptions && optionalBoolean(streamOptions, 'include_usage', 'stream_options')
  const model = modelIn(document)
  const stream = optionalBoolean(document, 'stream') ?? false
  const { system, messages } = parseMessages(document)
  return {
    source: { format: 'chat-completions', document },
    model,
    stream,
    streamUsage: includeUsage ?? false,
    system,
    messages,
    tools: parseTools(document),
    toolChoice: parseToolChoice(document),
    parallelToolCalls:
      optionalBoolean(document, 'parallel_tool_calls') ?? (declaresFunctions(document) ? false : undefined),
    sampling: parseSampling(document),
    responseFormat: parseResponseFormat(document),
    reasoning: parseReasoning(document),
    user: optionalString(document, 'user'),
  }
}

function parseSampling(document: JsonObject): Sampling {
  return withoutUndefined({
    maxOutputTokens: parseOutputLimit(document),
    temperature: optionalNumber(document, 'temperature'),
    topP: optionalNumber(document, 'top_p'),
    topK: asNumber(document.top_k), // not OpenAI's, but vLLM's, OpenRouter's and Ollama's
    stop: parseStop(document),
    seed: optionalNumber(document, 'seed'),
    frequencyPenalty: optionalNumber(document, 'frequency_penalty'),
    presencePenalty: optionalNumber(document, 'presence_penalty'),
    choices: optionalInteger(document, 'n', CHOICES),
  })
}

function parseOutputLimit(document: JsonObject): number | undefined {
  let largest: number | undefined
  for (const field of OUTPUT_LIMIT_FIELDS) {
    const limit = optionalInteger(document, field, OUTPUT_LIMITS)
    if (limit !== undefined && limit > (largest ?? 0)) largest = limit
  }
  return largest ?? predictedTokens(document)
}

/** llama.cpp's own word for the limit; below 1 it is none. */
export function predictedTokens({ n_predict }: JsonObject): number | undefined {
  const tokens = asNumber(n_predict)
  return Number.isSafeInteger(tokens) && (tokens ?? 0) > 0 ? tokens : undefined
}

function parseStop(document: JsonObject): string[] | undefined {
  const stop = document.stop
  if (stop === undefined || stop === null) return undefined
  if (typeof stop === 'string') return [stop]
  if (!Array.isArray(stop)) throw wrongType(stop, 'a string or an array of strings', 'stop')
  return stop.map((sequence, index) => {
    if (typeof sequence !== 'string') throw wrongType(sequence, 'a string', `stop[${index}]`)
    return sequence
  })
}

function parseResponseFormat(document: JsonObject): ResponseFormat | undefined {
  const format = optionalObject(document, 'response_format')
  const type = format && requiredString(format, 'type', 'response_format')
  const forOthers = schemaForOthers(document)
  if (forOthers !== undefined) return { type: 'json-schema', name: forOthers.name, schema: forOthers.schema }
  if (type === 'text') return { type: 'text' }
  if (type === 'json_object') return { type: 'json' }
  // A provider's own, e.g. a grammar: kept in the document.
  if (format === undefined || type !== 'json_schema' || isUnreadable(format)) return undefined
  const wrapper = requiredObject(format, 'json_schema', 'response_format')
  return parseSchemaFormat(wrapper, 'response_format.json_schema')
}

/** @param format what holds name and schema @param path of it */
export function parseSchemaFormat(format: JsonObject, path: string): ResponseFormat {
  return withoutUndefined({
    type: 'json-schema' as const,
    name: requiredString(format, 'name', path),
    schema: optionalObject(format, 'schema', path) ?? {},
    strict: optionalBoolean(format, 'strict', path),
  })
}

/** Another server's way of writing a schema, with something else in its place. */
function isUnreadable(format: JsonObject): boolean {
  return !isWrapped(format) && (format.schema ?? format.value) !== undefined
}

const EFFORTS = new Set<unknown>(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])

function parseReasoning(document: JsonObject): Reasoning | undefined {
  const nested = asObject(document.reasoning) // OpenRouter's shape
  const effort = optionalString(document, 'reasoning_effort') ?? asString(nested?.effort)
  const budgetTokens = asNumber(nested?.max_tokens)
  const known = effortOf(effort)
  if (known === undefined && budgetTokens === undefined) return undefined
  return withoutUndefined({ effort: known, budgetTokens })
}

/** The neutral word; undefined for one that no other format has. The newest models have `max` beside `xhigh`, as nobody else. */
export function effortOf(word: string | undefined): Reasoning['effort'] {
  if (word === 'max') return 'xhigh'
  return isEffort(word) ? word : undefined
}

function isEffort(word: string | undefined): word is NonNullable<Reasoning['effort']> {
  return EFFORTS.has(word)
}

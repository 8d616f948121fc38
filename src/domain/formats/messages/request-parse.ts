/**
 * Messages request -> neutral request. Checks the types of the fields that the gateway must understand and leaves every
 * other field alone.
 * @see https://docs.anthropic.com/en/api/messages
 */
import type { CompletionRequest, Reasoning, ResponseFormat, Sampling, TextPart } from '../../completion/request.ts'
import { GatewayError, InvalidRequestError } from '../../errors.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import {
  inOwnLetters,
  modelIn,
  objectAt,
  optionalArray,
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
import type { RequestHints } from '../format.ts'
import { parseText } from './block-parse.ts'
import { parseMessages } from './message-parse.ts'
import { parseParallelToolCalls, parseToolChoice, parseTools } from './tool-parse.ts'

const requireOwnLetters = inOwnLetters(
  'model',
  'messages',
  'system',
  'stream',
  'max_tokens',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'thread',
)

/** Reads a request. @throws {GatewayError} naming the field, e.g. `messages[2].content[0].text`. */
export function parseRequest(document: JsonObject, hints: RequestHints = {}): CompletionRequest {
  requireOwnLetters(document)
  refuseThread(document)
  return {
    source: { format: 'messages', document },
    model: modelIn(document),
    stream: optionalBoolean(document, 'stream') ?? false,
    streamUsage: true, // this format's streams always tell it
    system: parseSystem(document),
    messages: parseMessages(document),
    tools: parseTools(document),
    toolChoice: parseToolChoice(document),
    parallelToolCalls: parseParallelToolCalls(document),
    sampling: parseSampling(document, hints.countOnly ?? false),
    responseFormat: parseResponseFormat(document),
    reasoning: parseReasoning(document),
    user: parseUser(document),
  }
}

/**
 * A thread's earlier turns lie with one vendor's account: no other candidate has them, and no guardrail, bound or cache
 * of ours sees them. The vendor's own word for «not with threads» makes its SDKs send the whole conversation instead.
 * @see https://platform.claude.com/docs/en/build-with-claude/message-threads
 */
function refuseThread(document: JsonObject): void {
  if (document.thread === undefined || document.thread === null) return
  const message = "The gateway keeps no message threads: send the whole conversation, without 'thread'."
  throw new GatewayError('thread_unsupported_request', message, { param: 'thread' })
}

function parseSystem(document: JsonObject): TextPart[] {
  const system = document.system
  if (system === undefined || system === null) return []
  if (typeof system === 'string') return system === '' ? [] : [{ type: 'text', text: system }]
  if (!Array.isArray(system)) throw wrongType(system, 'a string or an array of text blocks', 'system')
  return system.map((item, index) => {
    const path = `system[${index}]`
    const block = objectAt(item, path)
    const text = parseText(block, requiredString(block, 'type', path), path)
    if (text !== undefined) return text
    throw new InvalidRequestError(`Invalid value for '${path}.type': expected text.`, `${path}.type`)
  })
}

function parseSampling(document: JsonObject, countOnly: boolean): Sampling {
  return withoutUndefined({
    maxOutputTokens: parseLimit(document, countOnly),
    temperature: optionalNumber(document, 'temperature'),
    topP: optionalNumber(document, 'top_p'),
    topK: optionalNumber(document, 'top_k'),
    stop: parseStop(document),
  })
}

/** Required by the vendor, zero included (which only fills the prompt cache); a count of tokens has none. */
function parseLimit(document: JsonObject, countOnly: boolean): number | undefined {
  const limit = optionalInteger(document, 'max_tokens', { min: 0 })
  if (limit === undefined && !countOnly) throw new InvalidRequestError("'max_tokens' is required.", 'max_tokens')
  return limit
}

function parseStop(document: JsonObject): string[] | undefined {
  return optionalArray(document, 'stop_sequences')?.map((sequence, index) => {
    if (typeof sequence !== 'string') throw wrongType(sequence, 'a string', `stop_sequences[${index}]`)
    return sequence
  })
}

/** `output_config.format`, and `output_format`, its name during the beta. Neither has a name for the schema. */
function parseResponseFormat(document: JsonObject): ResponseFormat | undefined {
  const config = optionalObject(document, 'output_config')
  const nested = config && optionalObject(config, 'format', 'output_config')
  const path = nested === undefined ? 'output_format' : 'output_config.format'
  const format = nested ?? optionalObject(document, 'output_format')
  if (format === undefined || requiredString(format, 'type', path) !== 'json_schema') return undefined
  return { type: 'json-schema', name: 'output', schema: requiredObject(format, 'schema', path), strict: true }
}

/** The vendor's words for effort; its highest has no equal elsewhere. */
const EFFORT_OF: ReadonlyMap<string, NonNullable<Reasoning['effort']>> = new Map(
  Object.entries<NonNullable<Reasoning['effort']>>({
    low: 'low',
    medium: 'medium',
    high: 'high',
    xhigh: 'xhigh',
    max: 'xhigh',
  }),
)

/**
 * `thinking` and `output_config.effort`. Off: effort none. Adaptive without a word: high, which is the vendor's default.
 * A budget stays a budget.
 */
function parseReasoning(document: JsonObject): Reasoning | undefined {
  const thinking = optionalObject(document, 'thinking')
  const word = asString(asObject(document.output_config)?.effort)
  const effort = word === undefined ? undefined : EFFORT_OF.get(word)
  switch (thinking && requiredString(thinking, 'type', 'thinking')) {
    case 'enabled': {
      const budgetTokens = optionalInteger(thinking ?? {}, 'budget_tokens', { min: 1 }, 'thinking')
      return withoutUndefined({ effort, budgetTokens })
    }
    case 'disabled':
    case 'between_tools': // the least that one model can be told
      return { effort: 'none' }
    case 'adaptive':
      return { effort: effort ?? 'high' }
    default:
      return effort === undefined ? undefined : { effort }
  }
}

function parseUser(document: JsonObject): string | undefined {
  const metadata = optionalObject(document, 'metadata')
  return metadata && optionalString(metadata, 'user_id', 'metadata')
}

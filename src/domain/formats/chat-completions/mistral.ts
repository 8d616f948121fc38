/**
 * Mistral's own API. Unlike other servers it refuses every field that it does not know with a 422, some of which OpenAI's
 * clients send as a matter of course; usage it tells in every stream, without being asked. Who names the model gets the
 * vendor's word on what the client wrote.
 * @see https://docs.mistral.ai/api/#tag/chat
 */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asNumber, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'
import { inItsOrder } from './mistral-order.ts'

const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'random_seed',
  'frequency_penalty',
  'presence_penalty',
  'n',
  'reasoning_effort',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'prediction',
  'metadata',
  'prompt_mode',
  'safe_prompt',
  'guardrails',
  'prompt_cache_key',
])

const MESSAGE_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  assistant: new Set(['role', 'content', 'tool_calls', 'prefix']),
  tool: new Set(['role', 'content', 'tool_call_id', 'name']),
}
const OTHER_MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content'])

/** @see https://docs.mistral.ai/api/#tag/chat */
const MAX_TEMPERATURE = 1.5

/** The document without what the gateway asks of other servers. Returns `document` itself where nothing has to change. */
export function withoutOptions(document: JsonObject): JsonObject {
  if (!('stream_options' in document)) return document
  const { stream_options: _options, ...rest } = document
  return rest
}

/** The document in the fields that the API knows. Adds to `warnings` what is lost. */
export function inItsFields(document: JsonObject, warnings: TranslationWarning[]): JsonObject {
  const { seed, max_completion_tokens: limit, ...rest } = withoutOptions(document)
  const lost: TranslationWarning[] = []
  const fitted = known(rest, FIELDS, '', lost)
  if (isSaid(limit) && !isSaid(fitted.max_tokens)) fitted.max_tokens = limit
  if (isSaid(seed) && !isSaid(fitted.random_seed)) fitted.random_seed = seed
  const messages = asArray(document.messages).map((message, index) => fitMessage(message, index, lost))
  fitted.messages = inItsOrder(messages, warnings)
  if ((asNumber(fitted.temperature) ?? 0) > MAX_TEMPERATURE) {
    fitted.temperature = MAX_TEMPERATURE
    lost.push({
      field: 'temperature',
      message: `it was lowered to ${MAX_TEMPERATURE}, the most that Mistral's API takes`,
    })
  }
  for (const warning of lost) warnings.push(warning)
  return fitted
}

function fitMessage(value: JsonValue, index: number, lost: TranslationWarning[]): JsonValue {
  const message = asObject(value)
  if (message === undefined) return value
  const role = asString(message.role) ?? ''
  const fitted = known(message, MESSAGE_FIELDS[role] ?? OTHER_MESSAGE_FIELDS, `messages[${index}].`, lost)
  return role === 'developer' ? { ...fitted, role: 'system' } : fitted
}

function known(object: JsonObject, fields: ReadonlySet<string>, path: string, lost: TranslationWarning[]): JsonObject {
  const fitted: JsonObject = {}
  for (const [field, value] of Object.entries(object)) {
    if (fields.has(field)) fitted[field] = value
    else if (isSaid(value) && lost.length < MAX_UNMODELLED_FIELDS) {
      lost.push({ field: path + field, message: "Mistral's API refuses it; it was left out" })
    }
  }
  return fitted
}

/** SDKs write a null, or an empty list, for what is not there, and false says what its absence says. */
function isSaid(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** What a chat-completions request says that the neutral request cannot. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'n',
  'reasoning_effort',
  'reasoning',
  'response_format',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'user',
])

const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'reasoning_content',
  'reasoning',
  'cache_control',
])

const PART_TYPES: ReadonlySet<string> = new Set(['text', 'refusal', 'image_url', 'input_audio', 'file'])
const RESPONSE_FORMATS: ReadonlySet<string> = new Set(['text', 'json_object', 'json_schema'])

/** The fields that another format cannot be given, in the document's order, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledFields(document: JsonObject): TranslationWarning[] {
  const fields = [
    ...unknownFields(document, REQUEST_FIELDS, ''),
    ...asArray(document.messages).flatMap((message, index) =>
      messageFields(asObject(message) ?? {}, `messages[${index}]`),
    ),
    ...asArray(document.tools).flatMap((tool, index) => (isFunction(tool) ? [] : [`tools[${index}]`])),
    ...otherTypes(document),
  ]
  return fields
    .slice(0, MAX_UNMODELLED_FIELDS)
    .map((field) => ({ field, message: 'known to chat-completions only; it was left out' }))
}

/** Null and false say «not wanted», which is also what leaving the field out says. */
function unknownFields(object: JsonObject, known: ReadonlySet<string>, prefix: string): string[] {
  const unknown: string[] = []
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (known.has(name) || value === null || value === false || value === undefined) continue
    unknown.push(prefix + name)
  }
  return unknown
}

function messageFields(message: JsonObject, path: string): string[] {
  const named = message.role === 'tool' || message.role === 'function'
  const fields = unknownFields(message, MESSAGE_FIELDS, `${path}.`).filter(
    (field) => !(named && field === `${path}.name`),
  )
  const parts = asArray(message.content).flatMap((part, index) =>
    PART_TYPES.has(asString(asObject(part)?.type) ?? '') ? [] : [`${path}.content[${index}]`],
  )
  const calls = asArray(message.tool_calls).flatMap((call, index) =>
    isFunction(call) ? [] : [`${path}.tool_calls[${index}]`],
  )
  return [...fields, ...parts, ...calls]
}

function isFunction(value: JsonValue): boolean {
  return (asObject(value)?.type ?? 'function') === 'function'
}

function otherTypes(document: JsonObject): string[] {
  const format = asString(asObject(document.response_format)?.type)
  const choice = asString(asObject(document.tool_choice)?.type)
  return [
    ...(format !== undefined && !RESPONSE_FORMATS.has(format) ? ['response_format'] : []),
    ...(choice !== undefined && choice !== 'function' ? ['tool_choice'] : []),
  ]
}

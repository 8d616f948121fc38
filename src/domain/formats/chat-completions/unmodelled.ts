/** What a chat-completions request says that the neutral request cannot. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'
import { customCallOf } from './custom-call.ts'
import { effortOf } from './request-parse.ts'
import { isWrapped, schemaForOthers } from './schema-fields.ts'

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n_predict',
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

/** A result bears the name of its function, which the neutral request keeps. */
const NAMED_MESSAGE_FIELDS: ReadonlySet<string> = new Set([...MESSAGE_FIELDS, 'name'])

const PART_TYPES: ReadonlySet<string> = new Set(['text', 'refusal', 'image_url', 'input_audio', 'file'])

/** The fields that another format cannot be given, in the document's order, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledFields(document: JsonObject): TranslationWarning[] {
  const schemaField = schemaForOthers(document)?.field
  const fields = unknownFields(document, REQUEST_FIELDS).filter((name) => name !== schemaField)
  const messages = asArray(document.messages)
  for (let at = 0; at < messages.length; at++) addMessageFields(asObject(messages[at]) ?? {}, at, fields)
  const tools = asArray(document.tools)
  for (let at = 0; at < tools.length; at++) if (!isFunction(tools[at])) fields.push(`tools[${at}]`)
  addOtherTypes(document, schemaField, fields)
  return fields
    .slice(0, MAX_UNMODELLED_FIELDS)
    .map((field) => ({ field, message: 'known to chat-completions only; it was left out' }))
}

/** Null and false say «not wanted», which is also what leaving the field out says. */
function unknownFields(object: JsonObject, known: ReadonlySet<string>): string[] {
  const unknown: string[] = []
  for (const name in object) {
    const value = object[name]
    if (known.has(name) || value === null || value === false || value === undefined) continue
    unknown.push(name)
  }
  return unknown
}

function addMessageFields(message: JsonObject, at: number, fields: string[]): void {
  const named = message.role === 'tool' || message.role === 'function'
  const unknown = unknownFields(message, named ? NAMED_MESSAGE_FIELDS : MESSAGE_FIELDS)
  for (const name of unknown) fields.push(`messages[${at}].${name}`)
  const parts = asArray(message.content)
  for (let index = 0; index < parts.length; index++) {
    const type = asString(asObject(parts[index])?.type) ?? ''
    if (!PART_TYPES.has(type)) fields.push(`messages[${at}].content[${index}]`)
  }
  const calls = asArray(message.tool_calls)
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index]
    if (!isFunction(call) && customCallOf(call) === undefined) fields.push(`messages[${at}].tool_calls[${index}]`)
  }
}

function isFunction(value: JsonValue | undefined): boolean {
  return (asObject(value)?.type ?? 'function') === 'function'
}

function addOtherTypes(document: JsonObject, schemaField: string | undefined, fields: string[]): void {
  if (schemaField !== 'response_format' && isOtherFormat(asObject(document.response_format)))
    fields.push('response_format')
  const choice = asString(asObject(document.tool_choice)?.type)
  if (choice !== undefined && choice !== 'function' && choice !== 'allowed_tools') fields.push('tool_choice')
  const effort = asString(document.reasoning_effort)
  if (effort !== undefined && effortOf(effort) === undefined) fields.push('reasoning_effort')
}

function isOtherFormat(format: JsonObject | undefined): boolean {
  switch (format?.type) {
    case undefined:
    case 'text':
      return false
    case 'json_object':
      return (format.schema ?? format.value) !== undefined
    case 'json_schema':
      return !isWrapped(format)
    default:
      return true
  }
}

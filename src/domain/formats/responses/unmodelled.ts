/** What a Responses request says that the neutral request cannot. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { effortOf } from '../chat-completions/request-parse.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'user',
  'safety_identifier',
])
const TEXT_FIELDS: ReadonlySet<string> = new Set(['format'])
/** What of the thinking is shown is the provider's to decide; all that comes is shown. */
const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary'])

const FORMATS: ReadonlySet<string> = new Set(['text', 'json_object', 'json_schema'])
const ITEMS: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])
const ITEM_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'role',
  'content',
  'summary',
  'call_id',
  'namespace',
  'name',
  'arguments',
  'input',
  'output',
])
const PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'input_image',
  'input_file',
  'input_audio',
  'reasoning_text',
])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict', 'format'])
const CHOICES: ReadonlySet<string> = new Set(['function', 'custom', 'allowed_tools'])

/** The fields that no provider can be given, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledFields(document: JsonObject): TranslationWarning[] {
  const fields: string[] = []
  addUnknown(document, REQUEST_FIELDS, '', fields)
  addSettings(document, fields)
  const items = asArray(document.input)
  for (let at = 0; at < items.length; at++) addItem(asObject(items[at]) ?? {}, `input[${at}]`, fields)
  addTools(document, '', fields)
  return fields
    .slice(0, MAX_UNMODELLED_FIELDS)
    .map((field) => ({ field, message: 'known to responses only; it was left out' }))
}

/** Null and false say «not wanted», and so does what the vendor takes for granted. */
const GRANTED: ReadonlyMap<string, JsonValue> = new Map([
  ['service_tier', 'auto'],
  ['truncation', 'disabled'],
])

function addUnknown(object: JsonObject, known: ReadonlySet<string>, prefix: string, fields: string[]): void {
  for (const name in object) {
    const value = object[name] ?? null
    if (!known.has(name) && value !== null && value !== false && value !== GRANTED.get(name)) fields.push(prefix + name)
  }
}

function addSettings(document: JsonObject, fields: string[]): void {
  const text = asObject(document.text) ?? {}
  const reasoning = asObject(document.reasoning) ?? {}
  addUnknown(text, TEXT_FIELDS, 'text.', fields)
  addUnknown(reasoning, REASONING_FIELDS, 'reasoning.', fields)
  const format = asString(asObject(text.format)?.type)
  if (format !== undefined && !FORMATS.has(format)) fields.push('text.format')
  const effort = asString(reasoning.effort)
  if (effort !== undefined && effortOf(effort) === undefined) fields.push('reasoning.effort')
  const choice = asString(asObject(document.tool_choice)?.type)
  if (choice !== undefined && !CHOICES.has(choice)) fields.push('tool_choice')
}

function addTools(holder: JsonObject, prefix: string, fields: string[]): void {
  const tools = asArray(holder.tools)
  for (let at = 0; at < tools.length; at++) {
    const tool = asObject(tools[at]) ?? {}
    const path = `${prefix}tools[${at}]`
    if (tool.type === 'namespace' && prefix === '') {
      if (typeof tool.description === 'string') fields.push(`${path}.description`)
      addTools(tool, `${path}.`, fields)
    } else if (tool.type !== 'function' && tool.type !== 'custom') fields.push(path)
    else addUnknown(tool, TOOL_FIELDS, `${path}.`, fields)
  }
}

/** Whether models of every vendor can be given it. */
export function isKnownItem({ type }: JsonObject): boolean {
  return ITEMS.has(asString(type) ?? 'message')
}

function addItem(item: JsonObject, path: string, fields: string[]): void {
  if (!isKnownItem(item)) fields.push(path)
  else addUnknown(item, ITEM_FIELDS, `${path}.`, fields)
  addParts(item.content, `${path}.content`, fields)
  addParts(item.output, `${path}.output`, fields)
}

function addParts(value: JsonValue | undefined, path: string, fields: string[]): void {
  const parts = asArray(value)
  for (let at = 0; at < parts.length; at++) {
    const type = asString(asObject(parts[at])?.type) ?? ''
    if (!PARTS.has(type)) fields.push(`${path}[${at}]`)
  }
}

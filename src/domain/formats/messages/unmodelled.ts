/** What a messages request says that the neutral request cannot. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'
import { isClientTool, isVendorTool } from './tool-parse.ts'

const REQUEST_FIELDS = names(
  'model messages system max_tokens stream stop_sequences temperature top_p top_k tools tool_choice thinking output_config output_format metadata',
)
const MESSAGE_FIELDS = names('role content')
const TOOL_FIELDS = names('type name description input_schema strict cache_control')
const FIELDS_OF_BLOCK: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries<ReadonlySet<string>>({
    text: names('type text cache_control'),
    image: names('type source cache_control'),
    document: names('type source title cache_control'),
    search_result: names('type title content cache_control'),
    tool_use: names('type id name input cache_control'),
    tool_result: names('type tool_use_id content is_error cache_control'),
    thinking: names('type thinking signature'),
    redacted_thinking: names('type data'),
  }),
)
const SOURCES = names('base64 url file text content')
const TOOL_CHOICES = names('auto any tool none')
const THINKING = names('enabled disabled adaptive between_tools')
const THINKING_FIELDS = names('type budget_tokens')
const OUTPUT_FIELDS = names('effort format')
const METADATA_FIELDS = names('user_id')

/** The fields that another format cannot be given, in the document's order, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledFields(document: JsonObject): TranslationWarning[] {
  const fields = [
    ...unknownFields(document, REQUEST_FIELDS, ''),
    ...asArray(document.system).flatMap((block, index) => blockFields(block, `system[${index}]`)),
    ...asArray(document.messages).flatMap(messageFields),
    ...asArray(document.tools).flatMap(toolFields),
    ...otherTypes(document),
  ]
  return fields
    .slice(0, MAX_UNMODELLED_FIELDS)
    .map((field) => ({ field, message: 'known to messages only; it was left out' }))
}

/** Null and false say «not wanted», which is also what leaving the field out says. */
function unknownFields(object: JsonObject, known: ReadonlySet<string>, prefix: string): string[] {
  const unknown: string[] = []
  for (const name in object) {
    const value = object[name]
    if (known.has(name) || value === null || value === false || value === undefined) continue
    unknown.push(prefix + name)
  }
  return unknown
}

function messageFields(value: JsonValue, index: number): string[] {
  const message = asObject(value) ?? {}
  const path = `messages[${index}]`
  return [...unknownFields(message, MESSAGE_FIELDS, `${path}.`), ...contentFields(message.content, path)]
}

function contentFields(content: JsonValue | undefined, path: string): string[] {
  return asArray(content).flatMap((block, index) => blockFields(block, `${path}.content[${index}]`))
}

function blockFields(value: JsonValue, path: string): string[] {
  const block = asObject(value) ?? {}
  const known = FIELDS_OF_BLOCK.get(asString(block.type) ?? '')
  if (known === undefined) return [path]
  const source = asString(asObject(block.source)?.type)
  const nested = block.type === 'tool_result' ? contentFields(block.content, path) : []
  const inner = block.type === 'document' && source === 'content' ? asObject(block.source)?.content : undefined
  return [
    ...unknownFields(block, known, `${path}.`),
    ...(source !== undefined && !SOURCES.has(source) ? [`${path}.source`] : []),
    ...nested,
    ...contentFields(inner, `${path}.source`),
  ]
}

function toolFields(value: JsonValue, index: number): string[] {
  const tool = asObject(value) ?? {}
  const path = `tools[${index}]`
  return isClientTool(tool) ? unknownFields(tool, TOOL_FIELDS, `${path}.`) : [path]
}

function otherTypes(document: JsonObject): string[] {
  const thinking = asString(asObject(document.thinking)?.type)
  return [
    ...(isOtherChoice(document) ? ['tool_choice'] : []),
    ...(thinking !== undefined && !THINKING.has(thinking) ? ['thinking'] : []),
    ...unknownFields(asObject(document.thinking) ?? {}, THINKING_FIELDS, 'thinking.'),
    ...unknownFields(asObject(document.output_config) ?? {}, OUTPUT_FIELDS, 'output_config.'),
    ...unknownFields(asObject(document.metadata) ?? {}, METADATA_FIELDS, 'metadata.'),
  ]
}

function isOtherChoice(document: JsonObject): boolean {
  const choice = asObject(document.tool_choice)
  const type = asString(choice?.type)
  if (type === 'tool') return isVendorTool(document, asString(choice?.name) ?? '')
  return type !== undefined && !TOOL_CHOICES.has(type)
}

function names(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** The texts of the items of a Responses request, visited and replaced in place. */
import { asArray, asString, isJsonObject, type JsonObject } from '../../json.ts'
import { ASSISTANT, SYSTEM, TOOL_INPUT, TOOL_OUTPUT, USER, type TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'

const PLACE_OF_ROLE: Readonly<Record<string, TextPlace>> = {
  system: SYSTEM,
  developer: SYSTEM,
  user: USER,
  assistant: ASSISTANT,
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'role', 'status', 'phase', 'content'])
const CALL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'namespace',
  'name',
  'status',
  'arguments',
  'input',
])
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'status', 'output'])
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'summary',
  'content',
  'encrypted_content',
])
/** Where media is. */
const ADDRESS_FIELDS = ['image_url', 'file_url'] as const
const PART_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'refusal',
  'annotations',
  'logprobs',
  'detail',
  'file_id',
  'file_data',
  'filename',
  'input_audio',
  ...ADDRESS_FIELDS,
])
const SOUND_FIELDS: ReadonlySet<string> = new Set(['data', 'format'])

export function visitItem(item: JsonObject, walk: TextWalk): void {
  switch (asString(item.type) ?? 'message') {
    case 'message': {
      const place = PLACE_OF_ROLE[asString(item.role) ?? ''] ?? USER
      visitContent(item, 'content', place, walk)
      return walk.extras(item, MESSAGE_FIELDS, place)
    }
    case 'function_call':
    case 'custom_tool_call':
      walk.json(item, 'arguments', TOOL_INPUT)
      walk.values(item, 'input', TOOL_INPUT)
      return walk.extras(item, CALL_FIELDS, TOOL_INPUT)
    case 'function_call_output':
    case 'custom_tool_call_output':
      visitContent(item, 'output', TOOL_OUTPUT, walk)
      return walk.extras(item, OUTPUT_FIELDS, TOOL_OUTPUT)
    case 'reasoning':
      for (const part of [...asArray(item.summary), ...asArray(item.content)])
        if (isJsonObject(part)) walk.textOrAll(part, 'text', ASSISTANT)
      return walk.extras(item, REASONING_FIELDS, ASSISTANT)
    default: // of the vendor's own tools: calls of a model, and what has come of them
      return walk.others(item, NO_FIELDS, TOOL_OUTPUT)
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set()

function visitContent(holder: JsonObject, field: 'content' | 'output', place: TextPlace, walk: TextWalk): void {
  const content = holder[field]
  if (Array.isArray(content) && content.every(isJsonObject)) for (const part of content) visitPart(part, place, walk)
  else walk.textOrAll(holder, field, place)
}

function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  walk.textOrAll(part, 'text', place)
  walk.textOrAll(part, 'refusal', place)
  if (part.input_audio !== undefined) walk.extrasIn(part, 'input_audio', SOUND_FIELDS, place)
  for (const field of ADDRESS_FIELDS) if (part[field] !== undefined) walk.address(part, field, TOOL_OUTPUT)
  walk.reference(part, 'file_id', place)
  // Before the name, which may be masked.
  walk.file(part, 'file_data', part.filename, TOOL_OUTPUT)
  walk.textOrAll(part, 'filename', place)
  walk.others(part, PART_FIELDS, place)
}

/** The texts of a Responses request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { IDENTIFIERS, visitDefinition, visitMarks, visitOwnTool } from '../openai-text.ts'
import { SYSTEM, TOOL_DEFINITION, USER } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitItem } from './item-text.ts'

/** Fields of the request that are visited for what they are, or hold no text. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'metadata',
  'service_tier',
  'store',
  'truncation',
  'background',
  ...IDENTIFIERS,
])
const TEXT_FIELDS: ReadonlySet<string> = new Set(['format', 'verbosity'])
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'schema', 'strict'])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict'])
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format'])
const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'tools'])

/** @returns whether a text was changed. @see ClientFormat.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  walk.textOrAll(document, 'instructions', SYSTEM)
  if (typeof document.input === 'string') walk.text(document, 'input', USER)
  else for (const item of asArray(document.input)) if (isJsonObject(item)) visitItem(item, walk)
  for (const tool of asArray(document.tools)) if (isJsonObject(tool)) visitTool(tool, walk)
  visitTextFormat(document, walk)
  visitMarks(document, walk)
  walk.extras(document, DOCUMENT_FIELDS, USER)
  return walk.changed
}

function visitTool(tool: JsonObject, walk: TextWalk): void {
  switch (tool.type) {
    case 'function':
      return visitDefinition(tool, 'parameters', FUNCTION_FIELDS, walk)
    case 'custom':
      walk.text(tool, 'description', TOOL_DEFINITION)
      // Here it is words for the model: no vendor is given it as a grammar.
      for (const field of ['syntax', 'definition']) walk.text(asObject(tool.format) ?? {}, field, TOOL_DEFINITION)
      return walk.extras(tool, CUSTOM_FIELDS, TOOL_DEFINITION)
    case 'namespace':
      walk.text(tool, 'description', TOOL_DEFINITION)
      for (const member of asArray(tool.tools)) if (isJsonObject(member)) visitTool(member, walk)
      return walk.extras(tool, NAMESPACE_FIELDS, TOOL_DEFINITION)
    default:
      visitOwnTool(tool, walk)
  }
}

function visitTextFormat(document: JsonObject, walk: TextWalk): void {
  const text = asObject(document.text)
  if (text === undefined) return
  walk.extras(text, TEXT_FIELDS, TOOL_DEFINITION)
  if (isJsonObject(text.format)) visitDefinition(text.format, 'schema', FORMAT_FIELDS, walk)
}

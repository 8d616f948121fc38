/** The texts of a Responses request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { MAX_USER_CHARACTERS } from '../fields.ts'
import { visitSchema } from '../schema-text.ts'
import { ANY_NAME, SYSTEM, TextWalk, TOOL_DEFINITION, USER, type NameRules } from '../text-walk.ts'
import { visitItem } from './item-text.ts'

/** Fields that say who asks. */
const IDENTIFIERS = ['user', 'safety_identifier', 'prompt_cache_key'] as const
/** Characters of a value, and of a name. @see https://platform.openai.com/docs/api-reference/responses/create */
const MAX_METADATA_LENGTH = 512
const METADATA_NAMES: NameRules = { ...ANY_NAME, maxLength: 64 }

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
/** What a tool of the vendor says of itself. All else are settings, an address or a credential. */
const TOOL_WORDS = ['description', 'server_description', 'instructions'] as const

/** @returns whether a text was changed. @see ClientFormat.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  walk.textOrAll(document, 'instructions', SYSTEM)
  if (typeof document.input === 'string') walk.text(document, 'input', USER)
  else for (const item of asArray(document.input)) if (isJsonObject(item)) visitItem(item, walk)
  for (const tool of asArray(document.tools)) if (isJsonObject(tool)) visitTool(tool, walk)
  visitTextFormat(document, walk)
  walk.parameters(document, IDENTIFIERS, MAX_USER_CHARACTERS)
  walk.parameters(document, ['metadata'], MAX_METADATA_LENGTH, METADATA_NAMES)
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
      walk.text(asObject(tool.format) ?? {}, 'definition', TOOL_DEFINITION)
      return walk.extras(tool, CUSTOM_FIELDS, TOOL_DEFINITION)
    case 'namespace':
      walk.text(tool, 'description', TOOL_DEFINITION)
      for (const member of asArray(tool.tools)) if (isJsonObject(member)) visitTool(member, walk)
      return walk.extras(tool, NAMESPACE_FIELDS, TOOL_DEFINITION)
    default:
      for (const field of TOOL_WORDS) walk.text(tool, field, TOOL_DEFINITION)
  }
}

/** What has a description and a schema. */
function visitDefinition(definition: JsonObject, schema: string, known: ReadonlySet<string>, walk: TextWalk): void {
  walk.text(definition, 'description', TOOL_DEFINITION)
  visitSchema(definition, schema, TOOL_DEFINITION, walk)
  walk.extras(definition, known, TOOL_DEFINITION)
}

function visitTextFormat(document: JsonObject, walk: TextWalk): void {
  const text = asObject(document.text)
  if (text === undefined) return
  walk.extras(text, TEXT_FIELDS, TOOL_DEFINITION)
  if (isJsonObject(text.format)) visitDefinition(text.format, 'schema', FORMAT_FIELDS, walk)
}

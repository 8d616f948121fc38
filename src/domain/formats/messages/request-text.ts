/** The texts of a messages request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { visitSchema } from '../schema-text.ts'
import { ASSISTANT, SYSTEM, TOOL_DEFINITION, USER, type NameRules } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitContent } from './block-text.ts'
import { isClientTool } from './tool-parse.ts'

/** Fields beside the prompt that say where to stop or what to look for. The keys of `mcp_servers` are for the vendor to use. */
const PARAMETERS = ['stop_sequences'] as const
const TOOL_PARAMETERS = ['user_location'] as const
/** `metadata.user_id`. @see https://docs.anthropic.com/en/api/messages */
const MAX_METADATA_LENGTH = 256
const METADATA_NAMES: NameRules = { known: new Set(['user_id']) }

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content'])

/** Of a tool that the client runs. The vendor's own hold settings, and a description. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'cache_control',
  'strict',
  'defer_loading',
  'allowed_callers',
  'eager_input_streaming',
  ...TOOL_PARAMETERS,
])
const OUTPUT_CONFIG_FIELDS: ReadonlySet<string> = new Set(['format', 'effort', 'task_budget'])
const OUTPUT_FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'schema', 'name', 'strict'])

/** Fields of the request that are visited for what they are, or hold no text for the model. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'metadata',
  'stream',
  'max_tokens',
  'temperature',
  'top_k',
  'top_p',
  'thinking',
  'service_tier',
  'cache_control',
  'container',
  'mcp_servers',
  'betas',
  'output_config',
  'output_format',
  ...PARAMETERS,
])

/** @returns whether a text was changed. @see Format.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  visitContent(document, 'system', SYSTEM, walk)
  for (const message of asArray(document.messages)) if (isJsonObject(message)) visitMessage(message, walk)
  for (const tool of asArray(document.tools)) if (isJsonObject(tool)) visitTool(tool, walk)
  const config = asObject(document.output_config) ?? {}
  visitOutputFormat(asObject(config.format), walk)
  walk.extras(config, OUTPUT_CONFIG_FIELDS, TOOL_DEFINITION)
  visitOutputFormat(asObject(document.output_format), walk)
  walk.parameters(document, PARAMETERS)
  walk.parameters(document, ['metadata'], MAX_METADATA_LENGTH, METADATA_NAMES)
  walk.extras(document, DOCUMENT_FIELDS, USER)
  return walk.changed
}

function visitMessage(message: JsonObject, walk: TextWalk): void {
  const place = message.role === 'assistant' ? ASSISTANT : message.role === 'system' ? SYSTEM : USER
  visitContent(message, 'content', place, walk)
  walk.others(message, MESSAGE_FIELDS, place)
}

function visitTool(tool: JsonObject, walk: TextWalk): void {
  walk.text(tool, 'description', TOOL_DEFINITION)
  visitSchema(tool, 'input_schema', TOOL_DEFINITION, walk)
  walk.values(tool, 'input_examples', TOOL_DEFINITION)
  walk.parameters(tool, TOOL_PARAMETERS)
  if (isClientTool(tool)) walk.extras(tool, TOOL_FIELDS, TOOL_DEFINITION)
}

function visitOutputFormat(format: JsonObject | undefined, walk: TextWalk): void {
  if (format === undefined) return
  visitSchema(format, 'schema', TOOL_DEFINITION, walk)
  walk.extras(format, OUTPUT_FORMAT_FIELDS, TOOL_DEFINITION)
}

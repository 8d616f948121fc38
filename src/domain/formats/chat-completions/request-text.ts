/** The texts of a chat-completions request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import { MAX_USER_CHARACTERS } from '../fields.ts'
import { ASSISTANT, ANY_NAME, TextWalk, type NameRules, type TextPlace } from '../text-walk.ts'
import { REASONING_FIELDS } from './answer-content.ts'
import { visitToolCalls } from './tool-text.ts'

const SYSTEM: TextPlace = { scope: 'system', role: 'system' }
const USER: TextPlace = { scope: 'message', role: 'user' }
const TOOL_OUTPUT: TextPlace = { scope: 'tool-output', role: 'tool' }
const TOOL_DEFINITION: TextPlace = { scope: 'tool-definition', role: 'system' }

/** Fields beside the prompt that say where to stop or what to look for. */
const PARAMETERS = ['stop', 'web_search_options'] as const
/** Fields that say who asks. */
const IDENTIFIERS = ['user', 'safety_identifier', 'prompt_cache_key'] as const
/** Characters of a value, and of a name. @see https://platform.openai.com/docs/api-reference/chat/create */
const MAX_METADATA_LENGTH = 512
const METADATA_NAMES: NameRules = { ...ANY_NAME, maxLength: 64 }

/** Fields that vendors know, of a message and of a part. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'annotations',
  'cache_control',
  'prefix',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning_details',
  ...REASONING_FIELDS,
])
/** Of vLLM, llama.cpp and SGLang: not to be touched. */
const GRAMMARS = ['guided_regex', 'guided_grammar', 'grammar', 'ebnf', 'regex', 'structural_tag'] as const
/** Of the same servers. */
const SCHEMAS = ['guided_json', 'json_schema'] as const

/** Fields of the request that are visited for what they are, or hold no text. */
const DOCUMENT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'prediction',
  'documents',
  'metadata',
  'stream',
  'stream_options',
  'n',
  'seed',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'modalities',
  'audio',
  'reasoning_effort',
  'verbosity',
  'service_tier',
  'store',
  ...GRAMMARS,
  ...SCHEMAS,
  'structured_outputs',
  'data_sources',
  ...PARAMETERS,
  ...IDENTIFIERS,
])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict'])
const PART_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'image_url', 'input_audio', 'file', 'cache_control'])

const PLACE_OF_ROLE: Readonly<Record<string, TextPlace>> = {
  system: SYSTEM,
  developer: SYSTEM,
  user: USER,
  assistant: ASSISTANT,
  tool: TOOL_OUTPUT,
  function: TOOL_OUTPUT,
}

/** @returns whether a text was changed. @see Format.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const message of asArray(document.messages)) if (isJsonObject(message)) visitMessage(message, walk)
  for (const tool of asArray(document.tools)) if (isJsonObject(tool)) visitTool(tool, walk)
  for (const definition of asArray(document.functions)) if (isJsonObject(definition)) visitFunction(definition, walk)
  visitResponseFormat(document, walk)
  visitPrediction(document, walk)
  for (const field of SCHEMAS) visitSchema(document, field, walk)
  visitStructuredOutputs(asObject(document.structured_outputs), walk)
  for (const source of asArray(document.data_sources)) visitDataSource(asObject(asObject(source)?.parameters), walk)
  walk.leaves(document, 'documents', TOOL_OUTPUT) // retrieved texts, as vLLM and Cohere take them
  walk.parameters(document, PARAMETERS)
  walk.parameters(document, IDENTIFIERS, MAX_USER_CHARACTERS)
  walk.parameters(document, ['metadata'], MAX_METADATA_LENGTH, METADATA_NAMES)
  // Of servers of other vendors: `chat_template_kwargs` (vLLM) becomes a part of the prompt, others may.
  walk.extras(document, DOCUMENT_FIELDS, USER)
  return walk.changed
}

function visitMessage(message: JsonObject, walk: TextWalk): void {
  const place = PLACE_OF_ROLE[asString(message.role) ?? ''] ?? USER
  for (const field in message) visitMessageField(message, field, place, walk)
  walk.names(message, MESSAGE_FIELDS, place)
}

function visitMessageField(message: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  switch (field) {
    case 'role':
    case 'tool_call_id':
    case 'cache_control':
      return
    case 'content':
      visitContent(message, place, walk)
      return
    case 'tool_calls':
    case 'function_call':
      visitToolCalls(message, walk)
      return
    case 'name': // of the author, or of the function that answered, which must stay
      if (place.scope !== 'tool-output') walk.text(message, field, place)
      return
    case 'audio': // an assistant's earlier audio: an id
      return
    default:
      walk.leaves(message, field, place)
  }
}

function visitContent(message: JsonObject, place: TextPlace, walk: TextWalk): void {
  if (typeof message.content === 'string') walk.text(message, 'content', place)
  else for (const part of asArray(message.content)) if (isJsonObject(part)) visitPart(part, place, walk)
}

/** Of media the name of a file, and what a text says: like a tool's output, whoever sends it. */
function visitPart(part: JsonObject, place: TextPlace, walk: TextWalk): void {
  walk.text(part, 'text', place)
  const file = asObject(part.file) ?? {}
  walk.text(file, 'filename', place)
  walk.dataUrl(file, 'file_data', TOOL_OUTPUT)
  walk.others(part, PART_FIELDS, place)
}

function visitTool(tool: JsonObject, walk: TextWalk): void {
  if (isJsonObject(tool.function)) visitFunction(tool.function, walk)
  // A custom tool's grammar is a definition, which must not be touched; its words are.
  if (isJsonObject(tool.custom)) walk.text(tool.custom, 'description', TOOL_DEFINITION)
}

function visitFunction(definition: JsonObject, walk: TextWalk): void {
  walk.text(definition, 'description', TOOL_DEFINITION)
  walk.schema(definition.parameters, TOOL_DEFINITION)
  walk.others(definition, FUNCTION_FIELDS, TOOL_DEFINITION)
}

function visitResponseFormat(document: JsonObject, walk: TextWalk): void {
  const wrapper = asObject(asObject(document.response_format)?.json_schema)
  if (wrapper === undefined) return
  walk.text(wrapper, 'description', TOOL_DEFINITION)
  walk.schema(wrapper.schema, TOOL_DEFINITION)
}

/** A schema, or its text. */
function visitSchema(holder: JsonObject, field: string, walk: TextWalk): void {
  walk.text(holder, field, TOOL_DEFINITION)
  walk.schema(holder[field], TOOL_DEFINITION)
}

/** vLLM's. What else is in it is a grammar. @see https://docs.vllm.ai/en/latest/features/structured_outputs */
function visitStructuredOutputs(outputs: JsonObject | undefined, walk: TextWalk): void {
  if (outputs === undefined) return
  visitSchema(outputs, 'json', walk)
  walk.leaves(outputs, 'choice', TOOL_DEFINITION)
}

/**
 * Azure's. What else is in it says where the data is and how to log in there: that the vendor is to use.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data
 */
function visitDataSource(source: JsonObject | undefined, walk: TextWalk): void {
  if (source === undefined) return
  walk.text(source, 'role_information', SYSTEM)
  walk.parameters(source, ['filter'])
}

function visitPrediction(document: JsonObject, walk: TextWalk): void {
  if (isJsonObject(document.prediction)) visitContent(document.prediction, ASSISTANT, walk)
}

/** The texts of a chat-completions request, visited and replaced in place. */
import type { TextVisitor } from '../../completion/text-span.ts'
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { IDENTIFIERS, visitDefinition, visitMarks, visitOwnTool } from '../openai-text.ts'
import { visitSchema } from '../schema-text.ts'
import { ASSISTANT, SYSTEM, TOOL_DEFINITION, TOOL_OUTPUT, USER } from '../text-place.ts'
import { TextWalk } from '../text-walk.ts'
import { visitContent, visitMessage } from './message-text.ts'
import { SCHEMA_FIELDS } from './schema-fields.ts'

/** Fields beside the prompt that say where to stop or what to look for. */
const PARAMETERS = ['stop', 'web_search_options'] as const

/** Of vLLM, llama.cpp and SGLang: not to be touched. */
const GRAMMARS = ['guided_regex', 'guided_grammar', 'grammar', 'ebnf', 'regex', 'structural_tag'] as const
/** vLLM's. @see https://docs.vllm.ai/en/latest/features/structured_outputs */
const STRUCTURED_OUTPUTS: ReadonlySet<string> = new Set([
  'json',
  'choice',
  'regex',
  'grammar',
  'structural_tag',
  'whitespace_pattern',
])
/**
 * Of Azure's `data_sources`: where the data is and how to log in there, which the vendor is to use.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data
 */
const DATA_SOURCE_PARAMETERS: ReadonlySet<string> = new Set([
  'role_information',
  'filter',
  'authentication',
  'endpoint',
  'embedding_dependency',
  'fields_mapping',
  'index_name',
  'semantic_configuration',
  'query_type',
  'app_name',
  'collection_name',
  'container_name',
  'database_name',
  'environment',
  'include_contexts',
])

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
  ...SCHEMA_FIELDS,
  'structured_outputs',
  'data_sources',
  ...PARAMETERS,
  ...IDENTIFIERS,
])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'function', 'custom', 'cache_control'])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict'])
const CUSTOM_TOOL_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'format'])
/** With the grammars of vLLM, llama.cpp, SGLang, TGI and Fireworks. */
const RESPONSE_FORMAT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'json_schema',
  'schema',
  'value',
  'grammar',
  'pattern',
  'regex',
  'format',
  'structures',
  'triggers',
])
const JSON_SCHEMA_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict'])
const STRUCTURE_FIELDS: ReadonlySet<string> = new Set(['begin', 'schema', 'end'])
const PREDICTION_FIELDS: ReadonlySet<string> = new Set(['type', 'content'])
const DATA_SOURCE_FIELDS: ReadonlySet<string> = new Set(['type', 'parameters'])

/** @returns whether a text was changed. @see Format.visitRequestText */
export function visitRequestText(document: JsonObject, visit: TextVisitor): boolean {
  const walk = new TextWalk(visit)
  for (const message of asArray(document.messages)) if (isJsonObject(message)) visitMessage(message, walk)
  for (const tool of asArray(document.tools)) if (isJsonObject(tool)) visitTool(tool, walk)
  for (const definition of asArray(document.functions)) if (isJsonObject(definition)) visitFunction(definition, walk)
  visitResponseFormat(document, walk)
  visitPrediction(document, walk)
  for (const field of SCHEMA_FIELDS) visitSchema(document, field, TOOL_DEFINITION, walk)
  visitStructuredOutputs(document, walk)
  visitDataSources(document, walk)
  walk.all(document, 'documents', TOOL_OUTPUT) // retrieved texts, as vLLM and Cohere take them
  walk.parameters(document, PARAMETERS)
  visitMarks(document, walk)
  // Of servers of other vendors: `chat_template_kwargs` (vLLM) becomes a part of the prompt, others may.
  walk.extras(document, DOCUMENT_FIELDS, USER)
  return walk.changed
}

function visitTool(tool: JsonObject, walk: TextWalk): void {
  if (isJsonObject(tool.function)) visitFunction(tool.function, walk)
  else walk.all(tool, 'function', TOOL_DEFINITION)
  if (isJsonObject(tool.custom)) visitCustomTool(tool.custom, walk)
  else walk.all(tool, 'custom', TOOL_DEFINITION)
  if (tool.type === 'function' || tool.type === 'custom') walk.extras(tool, TOOL_FIELDS, TOOL_DEFINITION)
  else visitOwnTool(tool, walk)
}

/** Its grammar is a definition, which must not be touched; its words are. */
function visitCustomTool(tool: JsonObject, walk: TextWalk): void {
  walk.text(tool, 'description', TOOL_DEFINITION)
  walk.extras(tool, CUSTOM_TOOL_FIELDS, TOOL_DEFINITION)
}

function visitFunction(definition: JsonObject, walk: TextWalk): void {
  visitDefinition(definition, 'parameters', FUNCTION_FIELDS, walk)
}

function visitResponseFormat(document: JsonObject, walk: TextWalk): void {
  const format = asObject(document.response_format)
  if (format === undefined) return
  visitSchema(format, 'schema', TOOL_DEFINITION, walk) // as Together, Fireworks and llama.cpp take it
  visitFormatValue(format, walk)
  if (format.structures !== undefined) visitStructures(format, walk)
  walk.extras(format, RESPONSE_FORMAT_FIELDS, TOOL_DEFINITION)
  const wrapper = asObject(format.json_schema)
  if (wrapper === undefined) return walk.all(format, 'json_schema', TOOL_DEFINITION)
  visitDefinition(wrapper, 'schema', JSON_SCHEMA_FIELDS, walk)
}

/** SGLang's and vLLM's: schemas between tags. */
function visitStructures(format: JsonObject, walk: TextWalk): void {
  const { structures } = format
  if (!Array.isArray(structures) || !structures.every(isJsonObject))
    return walk.all(format, 'structures', TOOL_DEFINITION)
  for (const structure of structures) {
    visitSchema(structure, 'schema', TOOL_DEFINITION, walk)
    walk.extras(structure, STRUCTURE_FIELDS, TOOL_DEFINITION)
  }
}

/**
 * TGI's: a schema or its text, a schema with a name, or a pattern, which must not be touched.
 * @see https://huggingface.co/docs/text-generation-inference/basic_tutorials/using_guidance
 */
function visitFormatValue(format: JsonObject, walk: TextWalk): void {
  const { type, value } = format
  if (type === 'regex' && typeof value === 'string') return
  if (type !== 'json_schema' || !isJsonObject(value)) return visitSchema(format, 'value', TOOL_DEFINITION, walk)
  visitDefinition(value, 'schema', JSON_SCHEMA_FIELDS, walk)
}

function visitStructuredOutputs(document: JsonObject, walk: TextWalk): void {
  const outputs = asObject(document.structured_outputs)
  if (outputs === undefined) return walk.all(document, 'structured_outputs', TOOL_DEFINITION)
  visitSchema(outputs, 'json', TOOL_DEFINITION, walk)
  walk.all(outputs, 'choice', TOOL_DEFINITION)
  walk.extras(outputs, STRUCTURED_OUTPUTS, TOOL_DEFINITION)
}

function visitDataSources(document: JsonObject, walk: TextWalk): void {
  const sources = asArray(document.data_sources)
  if (sources.length === 0 || !sources.every(isDataSource)) return walk.all(document, 'data_sources', USER)
  for (const source of sources) visitDataSource(source, walk)
}

type DataSource = JsonObject & { readonly parameters: JsonObject }

function isDataSource(source: JsonValue): source is DataSource {
  return isJsonObject(source) && isJsonObject(source.parameters)
}

function visitDataSource(source: DataSource, walk: TextWalk): void {
  const { parameters } = source
  walk.text(parameters, 'role_information', SYSTEM)
  walk.parameters(parameters, ['filter'])
  walk.extras(parameters, DATA_SOURCE_PARAMETERS, USER)
  walk.extras(source, DATA_SOURCE_FIELDS, USER)
}

function visitPrediction(document: JsonObject, walk: TextWalk): void {
  const prediction = asObject(document.prediction)
  if (prediction === undefined || !isContent(prediction.content)) return walk.all(document, 'prediction', ASSISTANT)
  visitContent(prediction, ASSISTANT, walk)
  walk.extras(prediction, PREDICTION_FIELDS, ASSISTANT)
}

function isContent(content: JsonValue | undefined): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.every(isJsonObject))
}

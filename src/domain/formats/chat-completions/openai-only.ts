/**
 * What OpenAI's own API refuses of documents that servers like it take (vLLM, OpenRouter, Mistral and others), where the gateway
 * has chosen one of its models: fields that it does not know, and schemas and JSON mode but as it has them.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { MAX_USER_CHARACTERS } from '../fields.ts'
import { newerTuples } from '../schema-tuples.ts'
import { formFor, instructionFor } from './answer-form.ts'
import { reviseRequest } from './request-revise.ts'
import { renderResponseFormat, renderStrict } from './request-translate.ts'
import { MAX_STOP_SEQUENCES } from './sampling-translate.ts'
import { schemaForOthers } from './schema-fields.ts'
import { argumentsSchema, withItems } from './tool-schema.ts'
import { WISHES } from './wishes.ts'

/** Of vLLM and SGLang, llama.cpp and Ollama, OpenRouter, Mistral, DeepSeek, Qwen, Groq. */
const UNKNOWN_FIELDS = [
  'top_k',
  'top_a',
  'min_p',
  'typical_p',
  'repetition_penalty',
  'length_penalty',
  'min_tokens',
  'ignore_eos',
  'stop_token_ids',
  'skip_special_tokens',
  'include_stop_str_in_output',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'structured_outputs',
  'nvext',
  'json_schema',
  'grammar',
  'chat_template_kwargs',
  'thinking',
  'thinking_budget',
  'enable_thinking',
  'include_reasoning',
  'reasoning_format',
  'random_seed',
  'safe_prompt',
  'prompt_mode',
  'provider',
  'transforms',
  'plugins',
  'cache_prompt',
  'keep_alive',
  'options',
]

/** Adds to `patch`, whose messages are those to be sent, and to `warnings`. */
export function fitToOpenAi(
  request: CompletionRequest,
  model: string,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const source = request.source.document
  const schemaField = schemaForOthers(source)?.field
  for (const field of UNKNOWN_FIELDS) {
    if (source[field] === undefined) continue
    patch[field] = undefined
    if (source[field] === null || field === schemaField) continue
    warnings.push({ field, message: 'the vendor has no such field; it was left out' })
  }
  if (request.user !== undefined && request.user.length > MAX_USER_CHARACTERS) {
    patch.user = undefined
    warnings.push({ field: 'user', message: `it is longer than ${MAX_USER_CHARACTERS} characters; it was left out` })
  }
  for (const [field, takes] of WISHES) {
    const wish = source[field] ?? undefined
    if (wish === undefined || takes(model, wish)) continue
    patch[field] = undefined
    warnings.push({ field, message: 'the model refuses it; it was left out' })
  }
  if (Array.isArray(source.stop) && source.stop.length > MAX_STOP_SEQUENCES) {
    patch.stop = source.stop.slice(0, MAX_STOP_SEQUENCES)
    warnings.push({ field: 'stop', message: `only the first ${MAX_STOP_SEQUENCES} stop sequences were sent` })
  }
  fitForm(request, model, schemaField !== undefined, patch, warnings)
  fitTools(source, patch, warnings)
}

/** The answer's form as the model takes it. Adds to `patch`, whose messages are those to be sent, and to `warnings`. */
export function fitForm(
  request: CompletionRequest,
  model: string,
  isForOthers: boolean,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const { responseFormat: format, source } = request
  const instruction = instructionFor(request, model, warnings)
  if (instruction !== undefined) {
    const messages = patch.messages ?? source.document.messages
    patch.messages = reviseRequest({ messages }, { instruction }).messages
  }
  if (format?.type !== 'json-schema') return
  const form = formFor(format, model)
  if (form?.type !== 'json-schema') {
    patch.response_format = form && renderResponseFormat(form)
    return
  }
  const schema = withItems(newerTuples(format.schema))
  const strict = renderStrict(format.strict, schema, 'response_format', warnings)
  if (!isForOthers && schema === format.schema && strict === format.strict) return
  const { strict: _strict, ...rest } = format
  patch.response_format = renderResponseFormat(strict === undefined ? { ...rest, schema } : { ...rest, schema, strict })
}

function fitTools(source: JsonObject, patch: JsonObject, warnings: TranslationWarning[]): void {
  const fitted = (list: JsonValue[], fit: (item: JsonValue, index: number) => JsonValue): JsonValue[] | undefined => {
    const changed = list.map(fit)
    return changed.some((item, index) => item !== list[index]) ? changed : undefined
  }
  const tools = fitted([...asArray(source.tools)], (tool, index) => fitTool(tool, index, warnings))
  const functions = fitted([...asArray(source.functions)], (definition) => fitFunction(definition, undefined))
  if (tools !== undefined) patch.tools = tools
  if (functions !== undefined) patch.functions = functions
}

function fitTool(value: JsonValue, index: number, warnings: TranslationWarning[]): JsonValue {
  const tool = asObject(value)
  if (tool === undefined || asString(tool.type) !== 'function') return value
  const definition = tool.function ?? null
  const fitted = fitFunction(definition, (strict, schema) =>
    renderStrict(strict, schema, `tools[${index}].strict`, warnings),
  )
  return fitted === definition ? value : { ...tool, function: fitted }
}

type Strictness = (strict: boolean, schema: JsonValue | undefined) => boolean | undefined

function fitFunction(value: JsonValue, strictness: Strictness | undefined): JsonValue {
  const definition = asObject(value)
  if (definition === undefined) return value
  const { parameters: asked } = definition
  const parameters = argumentsSchema(asked === undefined ? undefined : newerTuples(asked))
  const isKept = definition.strict !== true || strictness?.(true, parameters) === true
  if (parameters === asked && isKept) return value
  const { strict: _strict, ...rest } = definition
  return { ...(isKept ? definition : rest), parameters }
}

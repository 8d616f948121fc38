/**
 * What a model refuses that the gateway has chosen for a client of this format, or failed over to: taken out of the client's
 * document, or put as the model takes it, as between formats. Who names the model gets its vendor's own word.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../json.ts'
import { readReasoning, REASONING_FIELDS } from './answer-content.ts'
import { demandsThinking, withThinking } from './earlier-thinking.ts'
import { messagesWithCallIds } from './model-call-id.ts'
import { isDeepSeeksApi, isOpenAi, isOpenAisApi, traitsOf, type ModelTraits } from './model-traits.ts'
import { fitForm, fitToOpenAi } from './openai-only.ts'
import { renderEffort, renderEffortBesideTools, renderStop } from './reasoning-translate.ts'
import { isFree, MAX_STOP_SEQUENCES, translateSampling, type SamplingLimits } from './sampling-translate.ts'

const SAMPLING_FIELDS = ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'stop'] as const

/** Adds to `patch`, which holds the limit already, and to `warnings`. */
export function fitToModel(
  request: CompletionRequest,
  model: string,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const source = request.source.document
  // The calls before may be of another vendor, whose ids this one refuses.
  const messages = messagesWithCallIds(source.messages, model)
  if (messages !== undefined) patch.messages = messages
  const list = asArray(patch.messages ?? source.messages)
  if (isOpenAi(model) && list.some(hasThinking)) patch.messages = withoutThinking(list, warnings)
  if (!isOpenAi(model) && list.some(isDeveloper)) patch.messages = list.map(asSystem)
  if (demandsThinking(model, request.messages)) patch.messages = withThinking(asArray(patch.messages ?? list))
  if (isOpenAisApi(model)) fitToOpenAi(request, model, patch, warnings)
  if (isDeepSeeksApi(model)) fitForm(request, model, false, patch, warnings)
  const effort = fitEffort(request, model, patch, warnings)
  const traits = traitsOf(model)
  leaveOut(refusedFields(source, { traits, effort }), patch, warnings)
  if (!traits.penalties) fitSampling(request, { traits, effort }, patch, warnings)
  fitLimit(source, model, traits, patch)
}

/** Of the models that reason OpenAI's take the newer name only, the others one of both: the newer one is what counts. */
function fitLimit(source: JsonObject, model: string, { sampling }: ModelTraits, patch: JsonObject): void {
  const limit = patch.max_tokens ?? source.max_tokens ?? undefined
  const isNewer = (source.max_completion_tokens ?? undefined) !== undefined
  if (limit === undefined || (sampling === 'always' && !(isNewer && isOpenAisApi(model)))) return
  patch.max_tokens = undefined
  if (!isNewer) patch.max_completion_tokens = limit
}

/** OpenAI's newer word for the system, which many others refuse (DeepSeek) or make nothing of. */
function isDeveloper(value: JsonValue): boolean {
  return asObject(value)?.role === 'developer'
}

function asSystem(value: JsonValue): JsonValue {
  const message = asObject(value)
  return message !== undefined && isDeveloper(value) ? { ...message, role: 'system' } : value
}

/** The last two: OpenRouter's and LiteLLM's, besides one of the others. */
const THINKING_FIELDS = [...REASONING_FIELDS, 'reasoning_details', 'thinking_blocks']

function hasThinking(value: JsonValue): boolean {
  const message = asObject(value)
  if (message?.role !== 'assistant') return false
  return THINKING_FIELDS.some((field) => message[field] !== undefined) || asArray(message.content).some(isThought)
}

/** A part of Mistral's. */
function isThought(part: JsonValue): boolean {
  return asObject(part)?.type === 'thinking'
}

/** The vendor has no field for it: another's model has thought it. SDKs write a null for what was not thought. */
function withoutThinking(messages: readonly JsonValue[], warnings: TranslationWarning[]): JsonValue[] {
  return messages.map((value, index) => {
    const message = asObject(value)
    if (message === undefined || !hasThinking(value)) return value
    const parts = asArray(message.content)
    const details = [...asArray(message.reasoning_details), ...asArray(message.thinking_blocks)]
    if (readReasoning(message) !== '' || details.length > 0 || parts.some(isThought)) {
      const field = `messages[${index}].thinking`
      warnings.push({ field, message: 'the vendor has no field for it; it was left out' })
    }
    const rest = { ...message }
    for (const field of THINKING_FIELDS) delete rest[field]
    const said = parts.filter((part) => !isThought(part))
    return said.length === parts.length ? rest : { ...rest, content: said.length > 0 ? said : '' }
  })
}

/** The effort that is sent. */
function fitEffort(
  request: CompletionRequest,
  model: string,
  patch: JsonObject,
  warnings: TranslationWarning[],
): string | undefined {
  const { reasoning, tools, source } = request
  const { document } = source
  const stop = asObject(document.thinking)?.type === 'disabled' ? {} : renderStop(request, model, warnings)
  if (stop.thinking !== undefined) {
    patch.thinking = { ...stop.thinking }
    if (document.reasoning_effort !== undefined) patch.reasoning_effort = undefined
    return undefined
  }
  const told: TranslationWarning[] = []
  const effort =
    tools.length > 0
      ? renderEffortBesideTools(reasoning, model, told)
      : reasoning && renderEffort(reasoning, model, told)
  const said = document.reasoning_effort
  const isNested = document.reasoning !== undefined
  if (isNested && isOpenAisApi(model)) patch.reasoning = undefined
  // Another shape of it, or a word of another vendor's (DeepSeek's max), is none of this one's.
  else if (isNested || (said === 'max' && !isOpenAi(model) && effort !== undefined)) return effort
  if ((reasoning === undefined && effort === undefined) || (effort === said && !isNested)) return effort
  patch.reasoning_effort = effort
  if (said === 'max' && effort === 'xhigh') {
    told.push({ field: 'reasoning', message: 'chat-completions does not know the effort max: xhigh was sent' })
  }
  for (const warning of told) warnings.push(warning)
  return effort
}

/** Of what no other format has. A word that says what the model does anyway may stay. */
function refusedFields(source: JsonObject, { traits, effort }: SamplingLimits): string[] {
  const refused: [string, boolean][] = [
    ['parallel_tool_calls', !traits.parallelCalls],
    ['verbosity', !traits.verbosity && source.verbosity !== 'medium'],
    ['logprobs', !isFree(traits, effort) && source.logprobs !== false],
    ['top_logprobs', !isFree(traits, effort)],
    ['logit_bias', traits.sampling !== 'always' && Object.keys(asObject(source.logit_bias) ?? {}).length > 0],
  ]
  return refused.flatMap(([field, isRefused]) => (isRefused && (source[field] ?? undefined) !== undefined ? field : []))
}

function leaveOut(fields: readonly string[], patch: JsonObject, warnings: TranslationWarning[]): void {
  for (const field of fields) {
    patch[field] = undefined
    warnings.push({ field, message: 'the model refuses it; it was left out' })
  }
}

function fitSampling(
  request: CompletionRequest,
  limits: SamplingLimits,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const { topK: _topK, stop, ...sampling } = request.sampling
  const asked = stop === undefined ? sampling : { ...sampling, stop: stop.slice(0, MAX_STOP_SEQUENCES) }
  const taken = translateSampling(asked, limits, warnings)
  for (const field of SAMPLING_FIELDS) {
    if (request.source.document[field] !== undefined && taken[field] === undefined) patch[field] = undefined
  }
}

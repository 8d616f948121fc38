/** A request that came in another format -> generate-content document, with a warning for all that is lost. */
import type {
  CompletionRequest,
  ResponseFormat,
  Sampling,
  ToolChoice,
  ToolDefinition,
  TranslationWarning,
} from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { asObject } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import { offeredTools } from '../offered-tools.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { smallestLimit } from '../smallest-limit.ts'
import { translateContents } from './content-translate.ts'
import { traitsOf } from './model-traits.ts'
import { renderThinking } from './reasoning-translate.ts'

/** The vendor takes at most five stop sequences. */
const MAX_STOP_SEQUENCES = 5

/** The request in this format. */
export function translateRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  const warnings: TranslationWarning[] = []
  const tools = offeredTools(request)
  const hasTools = tools.length > 0
  const config = renderConfig(request, target, warnings)
  const document = withoutUndefined({
    ...translateContents(request, target.model, warnings),
    tools: hasTools
      ? [{ functionDeclarations: tools.map((tool, index) => renderTool(tool, index, warnings)) }]
      : undefined,
    toolConfig: hasTools && request.toolChoice ? renderToolChoice(request.toolChoice) : undefined,
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  })
  if (hasTools && request.parallelToolCalls === false && isSaid(request.source.document)) {
    warnings.push({
      field: 'parallel_tool_calls',
      message: 'generate-content cannot forbid parallel calls; it was left out',
    })
  }
  if (request.user !== undefined) {
    warnings.push({ field: 'user', message: "generate-content has no field for the end user's id; it was left out" })
  }
  return { document, warnings }
}

/** Who declares `functions` gets one call at a time without a word. */
function isSaid({ functions, parallel_tool_calls }: JsonObject): boolean {
  return functions === undefined || parallel_tool_calls === false
}

function renderConfig(request: CompletionRequest, target: RenderTarget, warnings: TranslationWarning[]): JsonObject {
  const { sampling, responseFormat, reasoning } = request
  const takesPenalties = traitsOf(target.model).penalties
  const penalty = (field: string, value: number | undefined): number | undefined => {
    if (takesPenalties || value === undefined || value === 0) return value
    warnings.push({ field, message: 'the model refuses it; it was left out' })
    return undefined
  }
  return withoutUndefined({
    maxOutputTokens: smallestLimit(target.maxOutputTokens ?? sampling.maxOutputTokens, 'generate-content', warnings),
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    stopSequences: renderStop(sampling, warnings),
    candidateCount: renderChoices(sampling, target.model, warnings),
    seed: renderSeed(sampling, warnings),
    frequencyPenalty: penalty('frequency_penalty', sampling.frequencyPenalty),
    presencePenalty: penalty('presence_penalty', sampling.presencePenalty),
    ...(responseFormat && takesFormat(request, target, warnings) ? renderResponseFormat(responseFormat) : {}),
    thinkingConfig: renderThinking(reasoning, target.model, warnings),
  })
}

/** The older models call functions or write JSON, and refuse a request that wants both. */
function takesFormat(request: CompletionRequest, { model }: RenderTarget, warnings: TranslationWarning[]): boolean {
  const wantsBoth = request.responseFormat?.type !== 'text' && offeredTools(request).length > 0
  if (!wantsBoth || traitsOf(model).jsonBesideTools) return true
  warnings.push({ field: 'response_format', message: 'the model refuses it beside tools; it was left out' })
  return false
}

function renderChoices({ choices }: Sampling, model: string, warnings: TranslationWarning[]): number | undefined {
  const most = traitsOf(model).candidates
  if (choices === undefined || choices <= most) return choices
  warnings.push({ field: 'n', message: `it was lowered to ${most}, the most that the model takes` })
  return most
}

/** A number of 32 bits, where others take 64. */
function renderSeed({ seed }: Sampling, warnings: TranslationWarning[]): number | undefined {
  if (seed === undefined || (seed === Math.trunc(seed) && Math.abs(seed) < 2 ** 31)) return seed
  warnings.push({ field: 'seed', message: 'generate-content takes 32 bits; it was left out' })
  return undefined
}

function renderStop({ stop = [] }: Sampling, warnings: TranslationWarning[]): string[] | undefined {
  if (stop.length > MAX_STOP_SEQUENCES) {
    warnings.push({ field: 'stop', message: `only the first ${MAX_STOP_SEQUENCES} stop sequences were sent` })
  }
  return stop.length > 0 ? stop.slice(0, MAX_STOP_SEQUENCES) : undefined
}

function renderResponseFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return {}
    case 'json':
      return { responseMimeType: 'application/json' }
    case 'json-schema':
      return { responseMimeType: 'application/json', responseJsonSchema: format.schema }
  }
}

function renderTool(tool: ToolDefinition, index: number, warnings: TranslationWarning[]): JsonObject {
  const lost = (field: string, message: string) => warnings.push({ field: `tools[${index}].${field}`, message })
  if (tool.cacheControl !== undefined) {
    lost('cache_control', 'generate-content caches on its own; the mark was left out')
  }
  if (tool.strict === true) lost('strict', 'generate-content has no strict mode for one tool; it was left out')
  return withoutUndefined({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: hasParameters(tool) ? tool.parameters : undefined,
  })
}

/** The vendor refuses an object without properties: a function without parameters has no schema there. */
function hasParameters({ parameters }: ToolDefinition): boolean {
  const schema = asObject(parameters)
  if (schema === undefined) return false
  const isEmpty = Object.keys(asObject(schema.properties) ?? {}).length === 0
  const says = Object.keys(schema).some((keyword) => !EMPTY_KEYWORDS.has(keyword))
  return !isEmpty || says
}

/** What an object schema without properties usually holds. */
const EMPTY_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$schema',
  'title',
  'description',
])

function renderToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case 'auto':
      return { functionCallingConfig: { mode: 'AUTO' } }
    case 'none':
      return { functionCallingConfig: { mode: 'NONE' } }
    case 'required':
      return { functionCallingConfig: { mode: 'ANY' } }
    case 'tool':
      return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.name] } }
  }
}

/**
 * What a Claude refuses that the gateway has chosen for a client of this format, or failed over to, put as it takes it: the
 * vendor's models think by a budget or by effort, each refusing the other, and the newest take no sampling parameters. Who
 * names the model gets its vendor's own word.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asArray, asNumber, asObject, type JsonObject, type JsonValue } from '../../json.ts'
import { schemaInstruction } from '../schema-instruction.ts'
import { traitsOf, type ModelTraits } from './model-traits.ts'
import { translateReasoning } from './reasoning-translate.ts'
import { reviseRequest } from './request-revise.ts'

const SAMPLING_FIELDS = ['temperature', 'top_p', 'top_k'] as const

/** Adds to `patch`, which holds the limit and the thinking that are left already, and to `warnings`. */
export function fitToModel(
  request: CompletionRequest,
  model: string,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const source = request.source.document
  const traits = traitsOf(model)
  // The name tells nothing (model-traits.ts).
  if (traits.thinking === 'adaptive' && traits.lastWord) return
  fitThinking(request, traits, patch, warnings)
  fitEffort(source, traits, patch, warnings)
  if (!traits.forcedTools) fitChoice(source, patch, warnings)
  if (!traits.schemas) fitSchemas(request, patch, warnings)
  const refused = traits.sampling ? [...besides(source, traits), ...besideThinking(source, patch)] : SAMPLING_FIELDS
  for (const field of new Set(refused)) {
    if ((source[field] ?? undefined) === undefined) continue
    patch[field] = undefined
    warnings.push({ field, message: 'the model refuses it; it was left out' })
  }
}

/** What the model refuses beside a temperature. */
function besides({ temperature }: JsonObject, { bothSamplings }: ModelTraits): readonly string[] {
  return bothSamplings || (temperature ?? undefined) === undefined ? [] : ['top_p']
}

/** What goes with thinking by effort, but not with the budget that has taken its place. */
function besideThinking({ temperature, top_p: topP }: JsonObject, { thinking }: JsonObject): readonly string[] {
  if (asObject(thinking)?.type !== 'enabled') return []
  const isFine = (value: JsonValue | undefined, least: number) => (asNumber(value) ?? 1) >= least
  return [isFine(temperature, 1) ? [] : 'temperature', isFine(topP, LEAST_TOP_P) ? [] : 'top_p', 'top_k'].flat()
}

/** Beside a budget of thinking. */
const LEAST_TOP_P = 0.95

const TAKEN: Readonly<Record<ModelTraits['thinking'], string | undefined>> = {
  none: undefined,
  budget: 'enabled',
  adaptive: 'adaptive',
}

function takes({ thinking, stop }: ModelTraits, type: unknown): boolean {
  return type !== undefined && (type === TAKEN[thinking] || type === stop)
}

function fitThinking(
  request: CompletionRequest,
  traits: ModelTraits,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const source = request.source.document
  const asked = asObject('thinking' in patch ? patch.thinking : source.thinking)
  if (asked === undefined || takes(traits, asked.type)) return
  const limit = asNumber(patch.max_tokens ?? source.max_tokens)
  const { thinking, effort } = translateReasoning(request, traits, limit, warnings)
  if (asked.type === 'disabled' && thinking?.type === 'between_tools') {
    warnings.push({
      field: 'thinking',
      message: 'the model cannot stop thinking between tools; between_tools was sent',
    })
  }
  const { type: _type, budget_tokens: _budget, ...rest } = asked
  patch.thinking = thinking && { ...rest, ...thinking }
  const config = asObject(source.output_config)
  if (effort !== undefined && config?.effort === undefined) patch.output_config = { ...config, effort }
}

/** Most models that think by a budget refuse every word, and not every other one takes the highest. */
function fitEffort(
  source: JsonObject,
  { efforts, stop, stopsUpToHigh }: ModelTraits,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const config = asObject('output_config' in patch ? patch.output_config : source.output_config)
  const asked = config?.effort
  const thinking = asObject('thinking' in patch ? patch.thinking : source.thinking)?.type
  if (stopsUpToHigh && thinking === stop && (asked === 'xhigh' || asked === 'max')) {
    patch.output_config = { ...config, effort: 'high' }
    warnings.push({ field: 'output_config.effort', message: 'without thinking the model takes no more than high' })
    return
  }
  if (asked === undefined || efforts.some((word) => word === asked)) return
  const most = efforts.at(-1)
  // A word that nobody knows may be a newer one.
  if (most !== undefined && asked !== 'xhigh' && asked !== 'max') return
  const field = 'output_config.effort'
  const { effort: _effort, ...rest } = config ?? {}
  const fitted = most === undefined ? rest : { ...rest, effort: most }
  patch.output_config = Object.keys(fitted).length > 0 ? fitted : undefined
  warnings.push({
    field,
    message:
      most === undefined ? 'the model refuses it; it was left out' : `the model does not know it: ${most} was sent`,
  })
}

/** The model cannot be made to call: a tool that is chosen is the only one that it is shown. */
function fitChoice(source: JsonObject, patch: JsonObject, warnings: TranslationWarning[]): void {
  const { type, name, ...rest } = asObject(source.tool_choice) ?? {}
  if (type !== 'any' && type !== 'tool') return
  patch.tool_choice = { type: 'auto', ...rest }
  const chosen = asArray(source.tools).filter((tool) => asObject(tool)?.name === name)
  if (type === 'tool' && chosen.length > 0) patch.tools = chosen
  warnings.push({ field: 'tool_choice', message: 'the model cannot be made to call a tool; it may' })
}

/** What the model cannot be held to: the schema of its answer is told in words, those of tools are not strict. */
function fitSchemas(
  { responseFormat, source }: CompletionRequest,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const document = { ...source.document, ...patch }
  if (responseFormat?.type === 'json-schema') {
    const instruction = schemaInstruction(responseFormat.schema)
    const revised = reviseRequest(document, { responseFormat: { type: 'text' }, instruction })
    patch.system = revised.system
    if ('output_format' in document) patch.output_format = undefined
    if ('output_config' in document) patch.output_config = revised.output_config
    warnings.push({
      field: 'output_config.format',
      message: 'the model takes no schema; it was sent as an instruction',
    })
  }
  const tools = asArray(document.tools)
  if (!tools.some(isStrict)) return
  patch.tools = tools.map((value, index) => {
    const tool = asObject(value)
    if (tool === undefined || !isStrict(value)) return value
    warnings.push({ field: `tools[${index}].strict`, message: 'the model refuses it; it was left out' })
    const { strict: _strict, ...rest } = tool
    return rest
  })
}

function isStrict(tool: JsonValue): boolean {
  return asObject(tool)?.strict === true
}

/**
 * What a Claude refuses that the gateway has chosen for a client of this format, or failed over to, put as it takes it: the
 * vendor's models think by a budget or by effort, each refusing the other, and the newest take no sampling parameters. Who
 * names the model gets its vendor's own word.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, type JsonObject } from '../../json.ts'
import { traitsOf, type ModelTraits } from './model-traits.ts'
import { translateReasoning } from './reasoning-translate.ts'

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
  const refused = traits.sampling ? besides(source, traits) : SAMPLING_FIELDS
  for (const field of refused) {
    if ((source[field] ?? undefined) === undefined) continue
    patch[field] = undefined
    warnings.push({ field, message: 'the model refuses it; it was left out' })
  }
}

/** What the model refuses beside a temperature. */
function besides({ temperature }: JsonObject, { bothSamplings }: ModelTraits): readonly string[] {
  return bothSamplings || (temperature ?? undefined) === undefined ? [] : ['top_p']
}

const TAKEN: Readonly<Record<ModelTraits['thinking'], ReadonlySet<unknown>>> = {
  none: new Set(['disabled']),
  budget: new Set(['disabled', 'enabled']),
  adaptive: new Set(['disabled', 'adaptive']),
}

function takes({ thinking, stops }: ModelTraits, type: unknown): boolean {
  return TAKEN[thinking].has(type) && (stops || type !== 'disabled')
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
  const { type: _type, budget_tokens: _budget, ...rest } = asked
  patch.thinking = thinking && { ...rest, ...thinking }
  const config = asObject(source.output_config)
  if (effort !== undefined && config?.effort === undefined) patch.output_config = { ...config, effort }
}

/** Most models that think by a budget refuse every word, and not every other one takes the highest. */
function fitEffort(
  source: JsonObject,
  { efforts }: ModelTraits,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const config = asObject(source.output_config)
  const asked = config?.effort
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

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
  if (traits.thinking !== 'adaptive' && !BOTH.test(model)) leaveOutEffort(source, patch, warnings)
  if (traits.sampling) return
  for (const field of SAMPLING_FIELDS) {
    if ((source[field] ?? undefined) === undefined) continue
    patch[field] = undefined
    warnings.push({ field, message: 'the model refuses it; it was left out' })
  }
}

/** It thinks by a budget and takes the word for effort, too. @see https://platform.claude.com/docs/en/build-with-claude/effort */
const BOTH = /claude-(?:opus-4[-.]5|4[-.]5-opus)(?!\d)/i

const TAKEN: Readonly<Record<ModelTraits['thinking'], ReadonlySet<unknown>>> = {
  none: new Set(['disabled']),
  budget: new Set(['disabled', 'enabled']),
  adaptive: new Set(['disabled', 'adaptive']),
}

function fitThinking(
  request: CompletionRequest,
  traits: ModelTraits,
  patch: JsonObject,
  warnings: TranslationWarning[],
): void {
  const source = request.source.document
  const asked = asObject('thinking' in patch ? patch.thinking : source.thinking)
  if (asked === undefined || TAKEN[traits.thinking].has(asked.type)) return
  const limit = asNumber(patch.max_tokens ?? source.max_tokens)
  const { thinking, effort } = translateReasoning(request, traits, limit, warnings)
  const { type: _type, budget_tokens: _budget, ...rest } = asked
  patch.thinking = thinking && { ...rest, ...thinking }
  const config = asObject(source.output_config)
  if (effort !== undefined && config?.effort === undefined) patch.output_config = { ...config, effort }
}

/** Models that think by a budget refuse the word. */
function leaveOutEffort(source: JsonObject, patch: JsonObject, warnings: TranslationWarning[]): void {
  const config = asObject(source.output_config)
  if (config?.effort === undefined) return
  const { effort: _effort, ...rest } = config
  patch.output_config = Object.keys(rest).length > 0 ? rest : undefined
  warnings.push({ field: 'output_config.effort', message: 'the model refuses it; it was left out' })
}

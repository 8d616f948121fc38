/**
 * Thinking as a model takes it that the gateway has chosen for a client of this format, or failed over to: Gemini before 2.5
 * refuses every word of it, 2.5 a level, a budget beyond its own and, the larger models, none at all. Who names the model
 * gets its vendor's own word.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import { traitsOf } from './model-traits.ts'
import { renderThinking } from './reasoning-translate.ts'
import { nameIn, valueIn } from './spelling.ts'

/** The configuration with it; undefined where nothing has to change. Adds to `warnings` what is lost. */
export function fitThinking(
  request: CompletionRequest,
  model: string,
  config: JsonObject,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  const name = nameIn(config, 'thinkingConfig')
  const asked = asObject(config[name])
  const { thinking } = traitsOf(model)
  if (asked === undefined || !KNOWN.test(model) || thinking === 'level') return undefined
  const level = asString(valueIn(asked, 'thinkingLevel'))
  const budget = asNumber(valueIn(asked, 'thinkingBudget'))
  const told: TranslationWarning[] = []
  const taken = renderThinking(request.reasoning, model, told)
  if (thinking === 'budget' && level === undefined && (budget ?? -1) === (taken?.thinkingBudget ?? -1)) return undefined
  for (const warning of told) warnings.push(warning)
  const { [name]: _asked, ...rest } = config
  if (thinking === 'none') return rest
  const { [nameIn(asked, 'thinkingLevel')]: _level, [nameIn(asked, 'thinkingBudget')]: _budget, ...own } = asked
  return { ...rest, [name]: { ...own, [nameIn(asked, 'thinkingBudget')]: taken?.thinkingBudget ?? -1 } }
}

/** Of other names it is not known what they take. */
const KNOWN = /gemini-\d/i

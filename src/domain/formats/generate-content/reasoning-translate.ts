/** How much to think -> `thinkingConfig`, in the words that the model takes. */
import type { Reasoning, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { traitsOf } from './model-traits.ts'

type Effort = NonNullable<Reasoning['effort']>

/** The vendor's own table for its OpenAI-compatible endpoint. @see https://ai.google.dev/gemini-api/docs/openai#thinking */
const BUDGET_OF: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
}
const MAX_BUDGET = 24_576
const MAX_PRO_BUDGET = 32_768
/** The least that a model which cannot stop thinking takes. */
const MIN_PRO_BUDGET = 128

/** The configuration, or undefined where nothing was asked or the model cannot think. Adds to `warnings` what is lost. */
export function renderThinking(
  reasoning: Reasoning | undefined,
  model: string,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  const { thinking, isPro } = traitsOf(model)
  const isOff = reasoning.effort === 'none' || (reasoning.effort === undefined && reasoning.budgetTokens === 0)
  switch (thinking) {
    case 'none':
      if (!isOff) warnings.push({ field: 'reasoning', message: `${model} does not think; it was left out` })
      return undefined
    case 'budget':
      return { thinkingBudget: budgetOf(reasoning, isOff, isPro, warnings), ...thoughts(isOff) }
    case 'level':
      if (isOff)
        warnings.push({ field: 'reasoning', message: `${model} cannot stop thinking; it was set to the least` })
      return { ...levelOf(reasoning, isOff, isPro, warnings), ...thoughts(isOff) }
  }
}

/** Summaries of the thoughts come only where they are asked for, and cost nothing more. */
function thoughts(isOff: boolean): JsonObject {
  return isOff ? {} : { includeThoughts: true }
}

function budgetOf(reasoning: Reasoning, isOff: boolean, isPro: boolean, warnings: TranslationWarning[]): number {
  if (isOff) return isPro ? MIN_PRO_BUDGET : 0
  const max = isPro ? MAX_PRO_BUDGET : MAX_BUDGET
  const wanted = reasoning.budgetTokens ?? BUDGET_OF[reasoning.effort ?? 'medium']
  if (wanted > max)
    warnings.push({ field: 'reasoning.budget', message: `lowered to ${max}, the most that the model takes` })
  return Math.min(wanted, max)
}

/** A budget without a word is sent as it is: the newer models take it still, though not beside a level. */
function levelOf(reasoning: Reasoning, isOff: boolean, isPro: boolean, warnings: TranslationWarning[]): JsonObject {
  const least = isPro ? 'LOW' : 'MINIMAL'
  if (isOff) return { thinkingLevel: least }
  const { effort } = reasoning
  if (effort === undefined) return { thinkingBudget: budgetOf(reasoning, isOff, isPro, warnings) }
  if (effort === 'minimal') return { thinkingLevel: least }
  return { thinkingLevel: effort === 'low' || effort === 'medium' ? effort.toUpperCase() : 'HIGH' }
}

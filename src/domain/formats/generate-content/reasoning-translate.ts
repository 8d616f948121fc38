/** How much to think -> `thinkingConfig`, in the words that the model takes. */
import type { Reasoning, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { traitsOf, type Level, type ModelTraits } from './model-traits.ts'

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
const LEVEL_OF: Readonly<Record<Effort, Level>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
}
/** Of a level that the model lacks, as the vendor's table has it. */
const NEXT_LEVEL: Readonly<Record<Level, Level>> = { MINIMAL: 'LOW', LOW: 'HIGH', MEDIUM: 'HIGH', HIGH: 'HIGH' }

/** The configuration, or undefined where nothing was asked or the model cannot think. Adds to `warnings` what is lost. */
export function renderThinking(
  reasoning: Reasoning | undefined,
  model: string,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  const traits = traitsOf(model)
  const isOff = reasoning.effort === 'none' || (reasoning.effort === undefined && reasoning.budgetTokens === 0)
  switch (traits.thinking) {
    case 'none':
      if (!isOff) warnings.push({ field: 'reasoning', message: `${model} does not think; it was left out` })
      return undefined
    case 'budget':
      return { thinkingBudget: budgetOf(reasoning, isOff, traits, warnings), ...thoughts(isOff) }
    case 'level':
      if (isOff)
        warnings.push({ field: 'reasoning', message: `${model} cannot stop thinking; it was set to the least` })
      return { ...levelOf(reasoning, isOff, traits, warnings), ...thoughts(isOff) }
  }
}

/** Summaries of the thoughts come only where they are asked for, and cost nothing more. */
function thoughts(isOff: boolean): JsonObject {
  return isOff ? {} : { includeThoughts: true }
}

function budgetOf(
  reasoning: Reasoning,
  isOff: boolean,
  { stops, budget: { min, max } }: ModelTraits,
  warnings: TranslationWarning[],
): number {
  const warn = (message: string) => warnings.push({ field: 'reasoning.budget', message })
  if (isOff && stops) return 0
  if (isOff) {
    warn(`the model cannot stop thinking; it was set to ${min}, the least`)
    return min
  }
  const wanted = reasoning.budgetTokens ?? BUDGET_OF[reasoning.effort ?? 'medium']
  if (wanted > max) warn(`lowered to ${max}, the most that the model takes`)
  if (wanted < min) warn(`raised to ${min}, the least that the model takes`)
  return Math.max(min, Math.min(wanted, max))
}

/** A budget without a word is sent as it is where the model takes it still, though not beside a level. */
function levelOf(
  reasoning: Reasoning,
  isOff: boolean,
  traits: ModelTraits,
  warnings: TranslationWarning[],
): JsonObject {
  const { effort, budgetTokens } = reasoning
  if (!isOff && effort === undefined && traits.takesBudget) {
    return { thinkingBudget: budgetOf(reasoning, isOff, traits, warnings) }
  }
  if (effort === undefined && budgetTokens !== undefined && !isOff) {
    warnings.push({ field: 'reasoning.budget', message: 'a budget of thinking tokens was turned into a level' })
  }
  const wanted = isOff ? 'MINIMAL' : effort === undefined ? levelOfBudget(budgetTokens ?? 0) : LEVEL_OF[effort]
  const taken = traits.levels.includes(wanted) ? wanted : NEXT_LEVEL[wanted]
  if (!isOff && taken !== wanted) {
    warnings.push({ field: 'reasoning', message: `the model does not know the level ${wanted}: ${taken} was sent` })
  }
  return { thinkingLevel: taken }
}

function levelOfBudget(tokens: number): Level {
  return tokens <= 2_048 ? 'LOW' : tokens <= 8_192 ? 'MEDIUM' : 'HIGH'
}

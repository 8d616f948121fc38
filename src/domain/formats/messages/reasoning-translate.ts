/**
 * Neutral reasoning -> `thinking` and `output_config.effort`.
 *
 * | neutral            | model that thinks by budget           | model that thinks by effort                  |
 * |--------------------|---------------------------------------|----------------------------------------------|
 * | effort none        | nothing                               | `thinking: disabled` (Sonnet 5.5: `between_tools`; Opus 5.5, Fable, Mythos: effort low, a warning) |
 * | minimal, low       | 1,024 and 2,048 tokens                | effort low                                   |
 * | medium, high, xhigh| 8,192, 16,384 and 32,768 tokens       | effort medium, high, max                     |
 * | budget             | the budget, at least 1,024            | up to 2,048 low, up to 8,192 medium, else high, a warning |
 *
 * (`max` for xhigh: every model that thinks by effort takes it, not every one takes `xhigh`.) A budget counts toward
 * `max_tokens`: it gives way to a limit that binds, of which the answer keeps a part. One that the client told in tokens, and
 * that the limit holds, stays.
 */
import type { CompletionRequest, Reasoning, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import type { ModelTraits } from './model-traits.ts'

type Effort = NonNullable<Reasoning['effort']>

/** The vendor's own minimum. */
const MIN_BUDGET_TOKENS = 1024

/** Of an output limit, where it binds: the rest is the answer's. */
const MOST_OF_LIMIT = 0.8

const BUDGET_OF: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
}
const WORD_OF: Readonly<Record<Exclude<Effort, 'none'>, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
}
const EFFORT_BY_BUDGET = [
  { upTo: 0, effort: 'none' },
  { upTo: 2048, effort: 'low' },
  { upTo: 8192, effort: 'medium' },
] as const

export interface Thinking {
  /** The `thinking` field; undefined: left out. */
  readonly thinking: JsonObject | undefined
  /** For `output_config.effort`. */
  readonly effort: string | undefined
  /** Tokens that the limit must exceed; 0 without a budget. */
  readonly budgetTokens: number
}

const OFF: Thinking = { thinking: undefined, effort: undefined, budgetTokens: 0 }

/** @param limit the output limit that binds; undefined where nobody set one, so that it can be made to fit. */
export function translateReasoning(
  request: CompletionRequest,
  traits: ModelTraits,
  limit: number | undefined,
  warnings: TranslationWarning[],
): Thinking {
  const reasoning = request.reasoning
  if (reasoning === undefined) return OFF
  if (isOff(reasoning)) return traits.thinking === 'adaptive' ? stopped(traits, warnings) : OFF
  const obstacle = obstacleTo(request, traits)
  if (obstacle !== undefined) return off(obstacle, warnings)
  return traits.thinking === 'adaptive' ? byEffort(reasoning, warnings) : byBudget(reasoning, limit, warnings)
}

function isOff({ effort, budgetTokens }: Reasoning): boolean {
  return effort === 'none' || (effort === undefined && (budgetTokens ?? 1) <= 0)
}

function stopped({ stop }: ModelTraits, warnings: TranslationWarning[]): Thinking {
  if (stop !== undefined) return { ...OFF, thinking: { type: stop } }
  warnings.push({ field: 'reasoning', message: 'the model cannot stop thinking; the least effort was sent' })
  return { ...OFF, effort: 'low' }
}

/** What the vendor refuses beside thinking, or that the model does not think. */
function obstacleTo({ toolChoice, messages }: CompletionRequest, traits: ModelTraits): string | undefined {
  if (traits.thinking === 'none') return 'the model does not think'
  const isForced = traits.forcedTools && (toolChoice?.type === 'required' || toolChoice?.type === 'tool')
  if (isForced) return 'thinking does not go with a forced tool'
  // A turn that goes on, after a tool's result or its own last word, must begin with its signed thinking, which other formats do not
  // carry. So it is where the user says something behind the result, which is the same turn of the user's to the vendor.
  const said = messages.findLastIndex(({ role }) => role === 'assistant')
  const behind = messages.slice(said + 1)
  const goesOn = (said >= 0 && behind.length === 0) || behind.some(({ role }) => role === 'tool')
  if (traits.thinking === 'budget' && goesOn) return 'a turn that has begun without thinking stays so'
  return undefined
}

function off(message: string, warnings: TranslationWarning[]): Thinking {
  warnings.push({ field: 'reasoning', message: `${message}; it was left out` })
  return OFF
}

function byEffort({ effort, budgetTokens }: Reasoning, warnings: TranslationWarning[]): Thinking {
  if (effort === undefined && budgetTokens !== undefined) {
    warnings.push({ field: 'reasoning.budget', message: 'a budget of thinking tokens was turned into an effort word' })
  }
  const word = effort ?? EFFORT_BY_BUDGET.find(({ upTo }) => (budgetTokens ?? 0) <= upTo)?.effort ?? 'high'
  return { thinking: { type: 'adaptive' }, effort: word === 'none' ? undefined : WORD_OF[word], budgetTokens: 0 }
}

function byBudget(
  { effort, budgetTokens }: Reasoning,
  limit: number | undefined,
  warnings: TranslationWarning[],
): Thinking {
  const wanted = Math.max(MIN_BUDGET_TOKENS, Math.floor(budgetTokens ?? BUDGET_OF[effort ?? 'medium']))
  const isHeld = wanted === budgetTokens && wanted < (limit ?? Infinity)
  const budget = isHeld ? wanted : Math.min(wanted, budgetWithin(limit ?? Infinity))
  if (budget === 0) return off('the output limit leaves no room for thinking and an answer', warnings)
  if (budget < wanted) {
    warnings.push({
      field: 'reasoning',
      message: `the thinking budget was lowered to ${budget} tokens by the output limit`,
    })
  }
  return { thinking: { type: 'enabled', budget_tokens: budget }, effort: undefined, budgetTokens: budget }
}

/** The most that may be thought of an output limit; 0 where that is less than the vendor takes. */
export function budgetWithin(limit: number): number {
  const most = Math.floor(limit * MOST_OF_LIMIT)
  return most < MIN_BUDGET_TOKENS ? 0 : most
}

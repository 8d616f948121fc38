/**
 * Neutral reasoning -> `reasoning_effort`. A model that does not take the field, or not the word, answers with a 400, and
 * clients of other formats ask for thinking as a matter of course; so it is sent in the words that the model takes.
 *
 * | model, by its name              | takes                                              | effort none becomes |
 * |---------------------------------|----------------------------------------------------|---------------------|
 * | known not to reason (list below)| nothing                                            | nothing             |
 * | o1, o3, o4                      | low, medium, high                                  | nothing, a warning  |
 * | gpt-5                           | minimal, low, medium, high                         | minimal, a warning  |
 * | gpt-5.1 and later               | none, low, medium, high, and xhigh from 5.2 on     | none                |
 * | gpt-6 Sol, Luna, gpt-6.1 Terra  | none, low, medium, high, xhigh                     | none                |
 * | other gpt-6                     | low, medium, high, xhigh                           | low, a warning      |
 * | Grok 3 mini                     | low, high                                          | nothing, a warning  |
 * | Grok 4.6 and later              | low, medium, high, xhigh                           | low, a warning      |
 * | Mistral Small 4, Medium 3.5     | none, high                                         | none                |
 * | DeepSeek from V3.2 on           | low, medium, high                                  | `thinking: disabled`, as beside a forced tool |
 * | every other                     | low, medium, high: what compatible servers know    | nothing, a warning  |
 *
 * A word that the model lacks becomes its neighbour. A budget of tokens becomes a word. Beside function tools OpenAI's newest
 * models take none but the word none (model-traits.ts): a model that calls tools is worth more than one that reasons.
 * @see https://platform.openai.com/docs/guides/reasoning
 */
import type { CompletionRequest, Reasoning, TranslationWarning } from '../../completion/request.ts'
import { gpt6Reasons, isDeepSeeksApi, traitsOf } from './model-traits.ts'

type Effort = NonNullable<Reasoning['effort']>

/** Upper bounds of the thinking budget that a word stands for. Nobody publishes them; these follow common practice. */
const EFFORT_BY_BUDGET = [
  { upTo: 0, effort: 'none' },
  { upTo: 2048, effort: 'low' },
  { upTo: 8192, effort: 'medium' },
] as const

/** OpenAI's models before and beside its reasoning ones, and the families that never reasoned, or take no word on it (Magistral). */
const WITHOUT_REASONING = [
  /(?:^|[/:])(?:gpt-3|gpt-4|chatgpt-4)/i,
  /gpt-[5-9](?:\.\d+)?-chat/i,
  /(?:^|[/:._-])(?:code)?llama-?\d/i,
  /(?:^|[/:])(?:open-)?(?:mistral(?!-large-4(?!\d))|magistral|mixtral|ministral|pixtral|codestral|command-r|gemma|phi-?[23])/i,
  /qwen-?(?:1|2)(?!\d)/i,
  /gemini-(?:1|2\.0)/i,
  /claude-(?:instant|v?[12]\b|3-(?:opus|sonnet|haiku|5-)|3\.5)/i,
  // Those from 4.3 on take one. @see https://docs.x.ai/docs/guides/reasoning
  /grok-(?!.*multi-agent)(?:[12](?!\d)|3(?!\d|-mini)|code|4(?:$|[-.](?:0709|1|20|latest|fast)(?!\d)))/i,
]

const O_SERIES = /(?:^|[/:])o[134](?:$|-)/i
const GPT_5 = /(?:^|[/:])gpt-5(?:\.(\d+))?(?!\d)/i

/** What a model takes, from the least to the most. */
const COMMON: readonly Effort[] = ['low', 'medium', 'high']
/** Of gpt-6 but Sol, Luna and Terra, and Grok from 4.6 on: they cannot stop. */
const ALWAYS: readonly Effort[] = [...COMMON, 'xhigh']
const GROK_3_MINI = /grok-3-mini/i
/** @see https://docs.x.ai/developers/model-capabilities/text/reasoning */
const GROK_4_6 = /grok-4[-.][6-9](?!\d)/i
/** Small 4 and Medium 3.5. @see https://docs.mistral.ai/capabilities/reasoning/adjustable */
const MISTRAL_THAT_REASONS = /(?:^|[/:])mistral-(?:small-(?:latest|2603|4(?!\d))|medium-(?:latest|2604|3[-.]5(?!\d)))/i
const ORDER: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']

/** The field by which the model is told not to think, where no word for an effort does so. Adds to `warnings` where the client wanted it to. */
export function renderStop(
  { reasoning, tools, toolChoice }: Pick<CompletionRequest, 'reasoning' | 'tools' | 'toolChoice'>,
  model: string,
  warnings: TranslationWarning[],
): { readonly thinking?: { readonly type: 'disabled' } } {
  if (!isDeepSeeksApi(model)) return {}
  const isForced = tools.length > 0 && (toolChoice?.type === 'required' || toolChoice?.type === 'tool')
  if (!isForced && !isOff(reasoning)) return {}
  if (!isOff(reasoning)) warn(warnings, 'the model must not think where it is made to call a tool; it was told so')
  return STOPPED
}

const STOPPED = { thinking: { type: 'disabled' } } as const

function isOff(reasoning: Reasoning | undefined): boolean {
  return reasoning?.effort === 'none' || (reasoning?.effort === undefined && reasoning?.budgetTokens === 0)
}

/** The word for the model; undefined where nothing is to be sent. Adds to `warnings` what is lost. */
export function renderEffort(reasoning: Reasoning, model: string, warnings: TranslationWarning[]): string | undefined {
  const wanted = wordOf(reasoning, warnings)
  const taken = wordsOf(model)
  if (taken.includes(wanted)) return wanted
  if (taken.length === 0) {
    if (wanted !== 'none') warn(warnings, 'the model takes no word on it; it was left out')
    return undefined
  }
  if (wanted === 'none' && !taken.includes('minimal') && taken !== ALWAYS) {
    warn(warnings, 'not every server knows the effort none; it was left out')
    return undefined
  }
  const neighbour = nearest(wanted, taken)
  warn(warnings, `the model does not know the effort ${wanted}: ${neighbour} was sent`)
  return neighbour
}

/** The word for a request with function tools: the model's own default is changed where it would be refused. */
export function renderEffortBesideTools(
  reasoning: Reasoning | undefined,
  model: string,
  warnings: TranslationWarning[],
): string | undefined {
  const effort = reasoning && renderEffort(reasoning, model, warnings)
  const taken = traitsOf(model).effortBesideTools
  if (taken === 'any' || effort === 'none') return effort
  if (taken === 'none-or-absent' && effort === undefined) return undefined
  warn(warnings, 'beside tools the model must not reason: none was sent')
  return 'none'
}

function wordOf({ effort, budgetTokens }: Reasoning, warnings: TranslationWarning[]): Effort {
  if (effort !== undefined || budgetTokens === undefined) return effort ?? 'medium'
  warnings.push({ field: 'reasoning.budget', message: 'a budget of thinking tokens was turned into an effort word' })
  return EFFORT_BY_BUDGET.find(({ upTo }) => budgetTokens <= upTo)?.effort ?? 'high'
}

function wordsOf(model: string): readonly Effort[] {
  // The first is sent where both are as near.
  if (MISTRAL_THAT_REASONS.test(model)) return ['high', 'none']
  if (WITHOUT_REASONING.some((pattern) => pattern.test(model))) return []
  if (O_SERIES.test(model)) return COMMON
  if (GROK_3_MINI.test(model)) return ['low', 'high']
  if (GROK_4_6.test(model)) return ALWAYS
  const gpt6 = gpt6Reasons(model)
  if (gpt6 !== undefined) return gpt6 === 'always' ? ALWAYS : ['none', ...ALWAYS]
  const gpt5 = GPT_5.exec(model)
  if (gpt5 === null) return COMMON
  const minor = Number(gpt5[1] ?? 0)
  if (minor === 0) return ['minimal', ...COMMON]
  return minor === 1 ? ['none', ...COMMON] : ['none', ...COMMON, 'xhigh']
}

function nearest(wanted: Effort, taken: readonly Effort[]): Effort {
  const distance = (word: Effort): number => Math.abs(ORDER.indexOf(word) - ORDER.indexOf(wanted))
  return taken.reduce((best, word) => (distance(word) < distance(best) ? word : best))
}

function warn(warnings: TranslationWarning[], message: string): void {
  warnings.push({ field: 'reasoning', message })
}

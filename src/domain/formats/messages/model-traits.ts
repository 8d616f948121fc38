/**
 * What a model takes, told by its name: the vendor's older models think by a budget of tokens, the newer ones by a word
 * for effort, and each refuses the other with a 400; the newer ones refuse to go on with an answer of theirs that ends the
 * conversation, and the newest sampling parameters. The list of older models
 * is closed, so a name with a number or a family that is not on it is taken for a new one; another (`claude-mock`) tells nothing,
 * and keeps its sampling and its last word. Names of other vendors' models (DeepSeek, GLM, Kimi and
 * others serve this format) get what every server of this format knows.
 * @see https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking
 * @see https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5
 * @see https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5
 * @see https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal
 */

export interface ModelTraits {
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** The type of `thinking` by which it is told not to think; undefined: it cannot be. */
  readonly stop: 'disabled' | 'between_tools' | undefined
  /** Whether that goes with the efforts up to `high` only. */
  readonly stopsUpToHigh: boolean
  /** Whether it can be made to call a tool. */
  readonly forcedTools: boolean
  /** Whether answers and calls can be held to a schema. */
  readonly schemas: boolean
  /** The words for effort that it takes, from the least to the most. @see https://platform.claude.com/docs/en/build-with-claude/effort */
  readonly efforts: readonly string[]
  /** Whether temperature, top_p and top_k are taken. */
  readonly sampling: boolean
  /** Whether temperature and top_p are taken beside each other. */
  readonly bothSamplings: boolean
  /** Whether a conversation may end with the model's own turn. */
  readonly lastWord: boolean
}

/** Resellers write the number before the family as well (`claude-4.5-sonnet`), and after it where the vendor does not (`claude-sonnet-3.7`). */
const WITHOUT_THINKING =
  /claude-(?:instant|v?[12]\b|3-(?:opus|sonnet|haiku|5-)|3\.5|(?:opus|sonnet|haiku)-3(?![-.]7|\d))/i
const BY_BUDGET =
  /claude-(?:3[-.]7|sonnet-3[-.]7|4(?:[-.][0-5])?-(?:opus|sonnet|haiku)|(?:opus|sonnet|haiku)-4(?:[-.][0-5])?(?:$|[-@.:_](?!\d{1,2}(?:\D|$))))/i
const TELLING = /\d|opus|sonnet|haiku|fable|mythos|latest/i
const BOTH = /claude-(?:(?:opus|sonnet|haiku)-4[-.]6(?:\D|$)|4[-.]6-(?:opus|sonnet|haiku))/i

/** Thinks by a budget and takes the word for effort, too. */
const BUDGET_AND_EFFORT = /claude-(?:opus-4[-.]5|4[-.]5-opus)(?!\d)/i
const ONE_SAMPLING = /claude-(?:(?:opus|sonnet|haiku)-4[-.][1-9](?!\d)|4[-.][1-9]-(?:opus|sonnet|haiku))/i
const WITH_SCHEMAS = /claude-(?:(?:opus|sonnet|haiku)-4[-.][1-5](?!\d)|4[-.][1-5]-(?:opus|sonnet|haiku))/i
const ALWAYS_THINKS = /claude-(?:fable|mythos)/i
const NUMBERED =
  /claude-(?:(opus|sonnet|haiku|fable|mythos)-(\d+)(?:[-.](\d{1,2}))?(?!\d)|(\d+)(?:[-.](\d{1,2}))?-(opus|sonnet|haiku|fable|mythos))/i

const THREE = ['low', 'medium', 'high']
/** Claude 4.6 and Mythos Preview. */
const WITHOUT_XHIGH = [...THREE, 'max']
const ALL_EFFORTS = [...THREE, 'xhigh', 'max']

const OLDER = {
  stop: 'disabled',
  stopsUpToHigh: false,
  forcedTools: true,
  schemas: true,
  efforts: [],
  sampling: true,
  bothSamplings: true,
  lastWord: true,
} as const

/** The traits of the model that a provider knows by `name`. */
export function traitsOf(name: string): ModelTraits {
  if (!isClaude(name)) return { thinking: 'budget', ...OLDER }
  const bothSamplings = !ONE_SAMPLING.test(name)
  const schemas = WITH_SCHEMAS.test(name)
  if (WITHOUT_THINKING.test(name)) return { thinking: 'none', ...OLDER, schemas }
  if (BY_BUDGET.test(name)) {
    return { thinking: 'budget', ...OLDER, schemas, efforts: BUDGET_AND_EFFORT.test(name) ? THREE : [], bothSamplings }
  }
  const isUntold = !TELLING.test(name)
  const isFirst = BOTH.test(name)
  return {
    thinking: 'adaptive',
    ...newest(name),
    schemas: true,
    efforts: isFirst || /mythos-preview/i.test(name) ? WITHOUT_XHIGH : ALL_EFFORTS,
    sampling: isFirst || isUntold,
    bothSamplings,
    lastWord: isUntold,
  }
}

type Newest = Pick<ModelTraits, 'stop' | 'stopsUpToHigh' | 'forcedTools'>

function newest(name: string): Newest {
  const [, family = '', major, minor, otherMajor, otherMinor, otherFamily = ''] = NUMBERED.exec(name) ?? []
  const version = Number(major ?? otherMajor ?? 0) + Number(minor ?? otherMinor ?? 0) / 100
  const model = (family || otherFamily).toLowerCase()
  const isFrom55 = version >= 5.05
  const forcedTools = model === 'haiku' || (ALWAYS_THINKS.test(name) ? version < 5.01 : !isFrom55)
  if (ALWAYS_THINKS.test(name) || (model === 'opus' && isFrom55))
    return { stop: undefined, stopsUpToHigh: false, forcedTools }
  const stop = model === 'sonnet' && isFrom55 ? 'between_tools' : 'disabled'
  return { stop, stopsUpToHigh: isFrom55 || (model === 'opus' && version >= 5), forcedTools }
}

/** Whether the model is the vendor's own. */
export function isClaude(name: string): boolean {
  return /claude/i.test(name)
}

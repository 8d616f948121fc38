/**
 * What a model takes, told by its name: the vendor's older models think by a budget of tokens, the newer ones by a word
 * for effort, and each refuses the other with a 400; the newer ones refuse to go on with an answer of theirs that ends the
 * conversation, and the newest sampling parameters. The list of older models
 * is closed, so a name with a number or a family that is not on it is taken for a new one; another (`claude-mock`) tells nothing,
 * and keeps its sampling and its last word. Names of other vendors' models (DeepSeek, GLM, Kimi and
 * others serve this format) get what every server of this format knows.
 * @see https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking
 * @see https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal
 */

export interface ModelTraits {
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** Whether temperature, top_p and top_k are taken. */
  readonly sampling: boolean
  /** Whether a conversation may end with the model's own turn. */
  readonly lastWord: boolean
}

/** Resellers write the number before the family as well (`claude-4.5-sonnet`), and after it where the vendor does not (`claude-sonnet-3.7`). */
const WITHOUT_THINKING =
  /claude-(?:instant|v?[12]\b|3-(?:opus|sonnet|haiku|5-)|3\.5|(?:opus|sonnet|haiku)-3(?![-.]7|\d))/i
const BY_BUDGET =
  /claude-(?:3[-.]7|sonnet-3[-.]7|4(?:[-.][0-5])?-(?:opus|sonnet|haiku)|(?:opus|sonnet|haiku)-4(?:[-.][0-5])?(?:$|[-@.:_](?!\d{1,2}(?:\D|$))))/i
const TELLING = /\d|opus|sonnet|haiku|latest/i
const BOTH = /claude-(?:(?:opus|sonnet|haiku)-4[-.]6(?:\D|$)|4[-.]6-(?:opus|sonnet|haiku))/i

/** The traits of the model that a provider knows by `name`. */
export function traitsOf(name: string): ModelTraits {
  if (!isClaude(name)) return { thinking: 'budget', sampling: true, lastWord: true }
  if (WITHOUT_THINKING.test(name)) return { thinking: 'none', sampling: true, lastWord: true }
  if (BY_BUDGET.test(name)) return { thinking: 'budget', sampling: true, lastWord: true }
  const isUntold = !TELLING.test(name)
  return { thinking: 'adaptive', sampling: BOTH.test(name) || isUntold, lastWord: isUntold }
}

/** Whether the model is the vendor's own. */
export function isClaude(name: string): boolean {
  return /claude/i.test(name)
}

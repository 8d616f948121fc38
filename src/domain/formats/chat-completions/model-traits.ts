/**
 * What OpenAI's reasoning models, and xAI's, do not take, told by their names; they refuse it with a 400. Every other name, of the
 * models of compatible servers above all, gets what the client asked for.
 *
 * | model             | temperature, top_p      | penalties | stop | an effort beside function tools   |
 * |-------------------|-------------------------|-----------|------|-----------------------------------|
 * | o1                | never                   | never     | yes  | yes                               |
 * | o3, o4, gpt-5     | never                   | never     | no   | yes                               |
 * | gpt-5.1 to 5.3    | unless it reasons       | never     | no   | yes                               |
 * | gpt-5.4           | unless it reasons       | never     | no   | only none, or no word             |
 * | gpt-5.5           | unless it reasons       | never     | yes  | only none, or no word             |
 * | gpt-5.6 and later | unless it reasons       | never     | yes  | only none, and it must be said    |
 * | gpt-6 Sol, Luna,  | unless it reasons       | never     | no   | only none, and it must be said    |
 * | gpt-6.1 Terra     |                         |           |      |                                   |
 * | other gpt-6       | never                   | never     | no   | none: it takes no function tools  |
 * | Grok that reasons | always                  | never     | no   | yes                               |
 *
 * Log probabilities go with a temperature, biases with penalties. The o-series takes no word on parallel calls, and of
 * OpenAI's models only gpt-5 and later take another verbosity than medium.
 * @see https://platform.openai.com/docs/guides/reasoning
 * @see https://developers.openai.com/api/docs/guides/deployment-checklist
 */

export interface ModelTraits {
  /** When temperature and top_p are taken. */
  readonly sampling: 'always' | 'unless-reasoning' | 'never'
  readonly penalties: boolean
  /** Whether the model reasons that is sent no effort. */
  readonly reasonsByDefault: boolean
  readonly stop: boolean
  /** The efforts that go with function tools. */
  readonly effortBesideTools: 'any' | 'none-or-absent' | 'none'
  /** Whether `parallel_tool_calls` is taken. */
  readonly parallelCalls: boolean
  readonly verbosity: boolean
}

const OTHERS: ModelTraits = {
  sampling: 'always',
  penalties: true,
  reasonsByDefault: true,
  stop: true,
  effortBesideTools: 'any',
  parallelCalls: true,
  verbosity: true,
}

const REASONING: ModelTraits = { ...OTHERS, penalties: false }

/** Those that reason. @see https://docs.x.ai/docs/guides/reasoning */
const GROK = /grok-(?:3-mini|4|code)(?!.*non-reasoning)/i

const OPENAI = /(?:^|[/:])(?:gpt-\d|chatgpt-|o[134](?:$|-))/i

/** Whether `name` is that of a model of OpenAI's own. */
export function isOpenAi(name: string): boolean {
  return OPENAI.test(name)
}

/** A name with a vendor before it (`openai/gpt-4o`) is that of a gateway, which takes more. */
const OPENAIS_API = /^(?:gpt-\d|chatgpt-|o[134](?:$|-))/i

/** Whether the name is one by which OpenAI's own API, or Azure's, knows a model. */
export function isOpenAisApi(name: string): boolean {
  return OPENAIS_API.test(name)
}

/** Under the vendor's own names: other servers of these models take other fields. @see https://api-docs.deepseek.com/guides/thinking_mode */
const DEEPSEEKS_API = /^deepseek-(?:v3[.-][2-9](?!\d)|v[4-9]|flash|pro)(?!.*:)/i

/** Whether the name is one by which DeepSeek's own API knows a model that may think. */
export function isDeepSeeksApi(name: string): boolean {
  return DEEPSEEKS_API.test(name)
}

const O_SERIES = /(?:^|[/:])o([134])(?:$|-)/i
/** A deployment called `gpt-5-4` may be any of them. */
const GPT_5 = /(?:^|[/:])gpt-5(?:\.(\d+))?(?![\d.]|-\d{1,2}(?:\D|$)|-chat)/i
/** And those after it. */
const GPT_6 = /(?:^|[/:])gpt-[6-9](?!\d|[\w.-]*-chat)/i
/** Of those the ones that can be told not to reason. */
const GPT_6_STOPS = /(?:^|[/:])gpt-6(?:-(?:sol|luna)|(?:\.\d+)?-terra)(?![a-z])/i
const OLDER = /(?:^|[/:])(?:gpt-[34]|chatgpt-4)/i
/** Without a vendor before it: gateways in front of several vendors have other ways to the model. */
const BARE = /^gpt-/i
const ALWAYS_REASONS = /-(?:codex|pro)/i

/** How far a model of gpt-6 and later can be told how much to reason; undefined: it is none of these. */
export function gpt6Reasons(name: string): 'always' | 'unless-told' | undefined {
  if (!GPT_6.test(name)) return undefined
  return GPT_6_STOPS.test(name) ? 'unless-told' : 'always'
}

/** Whether the model calls functions at all over this interface: some of OpenAI's do so over another only. */
export function takesTools(name: string): boolean {
  return !BARE.test(name) || gpt6Reasons(name) !== 'always'
}

/** The traits of the model that a provider knows by `name`. */
export function traitsOf(name: string): ModelTraits {
  const gpt6 = gpt6Reasons(name)
  if (gpt6 === 'always') return { ...REASONING, sampling: 'never', stop: false }
  if (gpt6 === 'unless-told') {
    return {
      ...REASONING,
      sampling: 'unless-reasoning',
      stop: false,
      effortBesideTools: BARE.test(name) ? 'none' : 'any',
    }
  }
  const series = O_SERIES.exec(name)?.[1]
  if (series !== undefined) {
    return { ...REASONING, sampling: 'never', stop: series === '1', parallelCalls: false, verbosity: false }
  }
  const gpt5 = GPT_5.exec(name)
  if (gpt5 === null)
    return GROK.test(name) ? { ...REASONING, stop: false } : { ...OTHERS, verbosity: !OLDER.test(name) }
  const minor = Number(gpt5[1] ?? 0)
  if (minor === 0) return { ...REASONING, sampling: 'never', stop: false }
  return {
    ...REASONING,
    sampling: 'unless-reasoning',
    reasonsByDefault: minor >= 5 || ALWAYS_REASONS.test(name),
    stop: minor >= 5,
    effortBesideTools: minor < 4 || !BARE.test(name) ? 'any' : minor < 6 ? 'none-or-absent' : 'none',
  }
}

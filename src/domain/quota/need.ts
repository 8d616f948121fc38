/** What a request may use at most: the bound that is reserved before anything is sent. */
import type { Sampling } from '../completion/request.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { Charge } from './amounts.ts'
import type { MicroUsd, NanoUsdPer1M } from './money.ts'
import { costOfTokens, dearestInputPrice, dearestOutputPrice } from './price.ts'
import { probableTokens } from './prompt-size.ts'
import type { PromptSize } from './prompt-size.ts'

/** An answer shorter than this is of no use: below it the request is refused instead of clamped. */
export const MIN_OPEN_OUTPUT_TOKENS = 256
/** Bound of an answer where neither the client nor the catalogue gives one; sent upstream as the maximum. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 16_384
/** Bound of a prompt that cannot be measured where the catalogue gives no context window. */
const DEFAULT_CONTEXT_TOKENS = 1_048_576
/** Above Anthropic's 4,784, Gemini's 2,240 and OpenAI's 1,445 (tiles) or 3,779 (patches) an image. */
const IMAGE_TOKENS = 6_000
/** gpt-4o-mini counts an image 33 times as high: 2,833 and 5,667 for each of up to 8 tiles. */
const IMAGE_TOKENS_GPT_4O_MINI = 48_169

export interface QuotaNeed {
  /** Bound of the prompt. */
  readonly inputTokens: number
  /** Bound of the answer, all choices together; 0 where it is open. */
  readonly outputTokens: number
  /** Bound of the cost of both and of the request itself. */
  readonly costMicroUsd: MicroUsd
  /** Present where the client gave no maximum: the store grants as much as the limits leave. */
  readonly open?: OpenOutput
  /** What the tokens-per-minute limit takes in advance: a probable prompt and the asked maximum of the answer. */
  readonly rateTokens: number
}

export interface OpenOutput {
  /** At least 1. */
  readonly choices: number
  /** Tokens of one choice that are useful at least, 1 or more, and at most. */
  readonly minTokens: number
  readonly maxTokens: number
  readonly price: NanoUsdPer1M
  /** What is reserved for the need already: only what is missing counts. A part is negative where more was spent. */
  readonly held?: Charge
}

/** The bound at one deployment. One without a price counts as free (no budget applies to it). */
export function needOf(prompt: PromptSize, sampling: Sampling, deployment: Deployment): QuotaNeed {
  const choices = sampling.choices ?? 1
  const inputTokens = promptBound(prompt, deployment)
  const inputCost = promptCost(inputTokens, deployment)
  const outputPrice = outputPriceOf(deployment)
  const rateInput = Math.min(inputTokens, probableInputTokens(prompt))
  if (sampling.maxOutputTokens === undefined) {
    const maxTokens = Math.max(1, outputLimitOf(deployment))
    const minTokens = Math.min(MIN_OPEN_OUTPUT_TOKENS, maxTokens)
    const open = { choices, minTokens, maxTokens, price: outputPrice }
    return { inputTokens, outputTokens: 0, costMicroUsd: inputCost, open, rateTokens: rateInput + minTokens * choices }
  }
  const outputTokens = sampling.maxOutputTokens * choices
  const costMicroUsd = inputCost + costOfTokens(outputTokens, outputPrice)
  return { inputTokens, outputTokens, costMicroUsd, rateTokens: rateInput + outputTokens }
}

/**
 * How much a budget shortens one choice; undefined: not at all, the model's own limit is low enough.
 * @param granted tokens a choice, as the store granted them for an open answer
 */
export function outputClampFor(deployment: Deployment, granted: number): number | undefined {
  const { maxOutputTokens } = deployment.model
  return maxOutputTokens !== undefined && maxOutputTokens <= granted ? undefined : granted
}

/**
 * The maximum of one choice that is sent upstream: what was granted, and to a server without a limit of its own (vLLM, Ollama)
 * that of the catalogue too, or an answer could be as long as its context window.
 */
export function outputLimitFor(deployment: Deployment, granted: number): number | undefined {
  const stated = deployment.provider.type === 'OpenAICompatible' ? deployment.model.maxOutputTokens : undefined
  return outputClampFor(deployment, granted) ?? stated
}

/** Tokens that the prompt has at most. A prompt above the context window is refused by the provider and costs nothing. */
function promptBound(prompt: PromptSize, deployment: Deployment): number {
  const window = deployment.model.contextWindow ?? DEFAULT_CONTEXT_TOKENS
  if (prompt.unmeasurable) return window
  const texts = prompt.textBytes + prompt.overheadTokens
  return prompt.images === 0
    ? Math.min(texts, window)
    : Math.min(texts + prompt.images * imageTokens(deployment), window)
}

function imageTokens({ provider: { type }, model }: Deployment): number {
  if (type === 'Anthropic') return IMAGE_TOKENS
  // Azure's deployments have names of their own.
  const names = type === 'AzureOpenAI' ? `${model.name} ${model.upstreamName}` : model.upstreamName
  return /gpt-4o-mini/i.test(names) ? IMAGE_TOKENS_GPT_4O_MINI : IMAGE_TOKENS
}

function promptCost(tokens: number, { model: { pricing } }: Deployment): MicroUsd {
  if (pricing === undefined) return 0
  return costOfTokens(tokens, dearestInputPrice(pricing)) + (pricing.perRequest ?? 0)
}

function outputPriceOf({ model }: Deployment): NanoUsdPer1M {
  return model.pricing === undefined ? 0 : dearestOutputPrice(model.pricing)
}

function outputLimitOf({ model }: Deployment): number {
  return model.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS
}

function probableInputTokens({ textBytes, wideBytes, overheadTokens, images }: PromptSize): number {
  return probableTokens(textBytes, wideBytes) + overheadTokens + images * IMAGE_TOKENS
}

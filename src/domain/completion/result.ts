/** The neutral result of a completion, its usage and why it ended. */
import type { JsonObject } from '../json.ts'
import type { AssistantPart, ProviderFormatName } from './request.ts'

export interface CompletionResult {
  readonly source: { readonly format: ProviderFormatName; readonly document: JsonObject }
  readonly id: string
  /** The model name that the provider reports. */
  readonly model: string
  /** Seconds since the epoch, where the provider tells. */
  readonly created?: number
  readonly choices: readonly Choice[]
  readonly usage: Usage | undefined
}

export interface Choice {
  readonly index: number
  readonly content: readonly AssistantPart[]
  readonly finish: Finish
}

/** Why generation ended: the unified reason and the provider's own word. */
export interface Finish {
  readonly reason: FinishReason
  readonly raw: string | undefined
  /** The stop sequence that was met, where the provider tells. */
  readonly stopSequence?: string
}

/** Whether the answer ends before its end. */
export function isCut({ reason }: Finish): boolean {
  return reason === 'length' || reason === 'content-filter' || reason === 'error'
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other'

/**
 * Tokens of one call, unified so that prices apply the same way for every vendor:
 * `input` EXCLUDES `cachedInput` and `cacheWrite`; `output` INCLUDES `reasoning`.
 * (OpenAI and Gemini count cached tokens inside the prompt, Anthropic beside it; Gemini counts thoughts beside the
 * candidates. The codecs make them equal; `raw` keeps the provider's own object.)
 */
export interface Usage {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
  readonly raw?: JsonObject
}

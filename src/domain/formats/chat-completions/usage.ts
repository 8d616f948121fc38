/** Usage of this format <-> neutral usage. Here prompt tokens include the cached ones. */
import type { Usage } from '../../completion/result.ts'
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { countOf, hasCount } from '../usage-counts.ts'

/** Undefined where `value` is no usage object, or counts nothing. */
export function parseUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value) || !hasCount(value.prompt_tokens, value.completion_tokens, value.total_tokens))
    return undefined
  const promptDetails = asObject(value.prompt_tokens_details)
  const prompt = countOf(value.prompt_tokens)
  // In order: OpenAI; DeepSeek; Moonshot.
  const cachedInput = countOf(promptDetails?.cached_tokens ?? value.prompt_cache_hit_tokens ?? value.cached_tokens)
  // In order: OpenRouter; LiteLLM's proxy in front of Anthropic.
  const cacheWrite = countOf(promptDetails?.cache_write_tokens ?? value.cache_creation_input_tokens)
  const completion = countOf(value.completion_tokens)
  const reasoning = countOf(asObject(value.completion_tokens_details)?.reasoning_tokens)
  const beside = prompt === 0 ? 0 : Math.max(0, countOf(value.total_tokens) - prompt - completion)
  const cached = cachedInput + cacheWrite
  const isBeside = isCached(beside, cached, reasoning)
  const thoughts = isBeside ? 0 : beside
  return {
    // More than the whole prompt cannot be a part of it.
    input: (isBeside && beside > 0) || cached > prompt ? prompt : prompt - cached,
    cachedInput,
    cacheWrite,
    output: completion + thoughts,
    reasoning: reasoning === 0 ? thoughts : reasoning,
    raw: value,
  }
}

/**
 * What the total counts beside prompt and completion are thoughts: xAI's, and Gemini's, which does not even name them in
 * this format. Everyone else counts them inside. Some proxies have cached tokens beside the prompt.
 */
function isCached(beside: number, cached: number, reasoning: number): boolean {
  return beside === cached && beside !== reasoning
}

/** The usage object for a client of this format. */
export function renderUsage(usage: Usage): JsonObject {
  const prompt = usage.input + usage.cachedInput + usage.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

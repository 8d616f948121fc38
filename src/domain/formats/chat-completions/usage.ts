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
  const reasoning = countOf(asObject(value.completion_tokens_details)?.reasoning_tokens)
  return {
    input: Math.max(0, prompt - cachedInput - cacheWrite),
    cachedInput,
    cacheWrite,
    output: outputOf(value, prompt, reasoning),
    reasoning,
    raw: value,
  }
}

/** xAI counts reasoning beside the completion, which only its total shows; everyone else inside it. */
function outputOf(usage: JsonObject, prompt: number, reasoning: number): number {
  const completion = countOf(usage.completion_tokens)
  const isBeside = reasoning > 0 && countOf(usage.total_tokens) === prompt + completion + reasoning
  return isBeside ? completion + reasoning : completion
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

/**
 * Usage of a call whose provider reported none, e.g. a stream that was cut or a server that never counts.
 *
 * Method: 4 bytes of ASCII or 2 bytes of other scripts are one token, for the prompt and for what was generated;
 * role marks and images are counted as in the bound. The audit record flags such usage as estimated.
 */
import type { Usage } from '../completion/result.ts'
import { probableTokens, utf8Size } from './prompt-size.ts'
import type { PromptSize } from './prompt-size.ts'

/** Role marks of one request, about what chat templates add. */
const OVERHEAD_TOKENS = 8
/** An image of about a megapixel: OpenAI 765 to 1,105, Gemini 1,120, Anthropic 1,334. */
const TOKENS_PER_IMAGE = 1_334

export interface EstimatedUsage {
  readonly usage: Usage
  readonly estimated: true
}

/**
 * @param outputText all that was generated: texts, reasoning and tool arguments of every choice
 */
export function estimateUsage(prompt: PromptSize, outputText: string): EstimatedUsage {
  const output = utf8Size(outputText)
  const input = probableTokens(prompt.textBytes, prompt.wideBytes) + prompt.images * TOKENS_PER_IMAGE + OVERHEAD_TOKENS
  return {
    usage: { input, cachedInput: 0, cacheWrite: 0, output: probableTokens(output.bytes, output.wide), reasoning: 0 },
    estimated: true,
  }
}

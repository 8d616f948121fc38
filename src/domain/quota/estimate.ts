/**
 * Usage of a call whose provider reported none, e.g. a stream that was cut or a server that never counts.
 *
 * Method: 4 bytes of ASCII or 2 bytes of other scripts are one token, for the prompt and for what was generated;
 * role marks and images are counted as in the bound. The audit record flags such usage as estimated.
 */
import type { CompletionResult, Usage } from '../completion/result.ts'
import { probableTokens } from './prompt-size.ts'
import { utf8Size } from './utf8-size.ts'
import type { PromptSize } from './prompt-size.ts'

/** Role marks of one request, about what chat templates add. */
const OVERHEAD_TOKENS = 8
/** An image of about a megapixel: OpenAI 765 to 1,105, Gemini 1,120, Anthropic 1,334. */
const TOKENS_PER_IMAGE = 1_334

/** Of streamed sound: OpenAI's, PCM of 48,000 bytes a second, at 20 tokens a second. */
const AUDIO_BYTES_PER_TOKEN = 2_400
/** As `probableTokens` has it. */
const TEXT_BYTES_PER_TOKEN = 4

export interface EstimatedUsage {
  readonly usage: Usage
  readonly estimated: true
}

/** All that a whole answer has generated: texts, reasoning and tool arguments of every choice. */
export function generatedText({ choices }: Pick<CompletionResult, 'choices'>): string {
  const parts = choices.flatMap(({ content }) => content)
  return parts.map((part) => (part.type === 'tool-call' ? part.arguments : part.text)).join('')
}

/** Bytes of text that probably are as many tokens as `audioBytes` of streamed sound. Not rounded: sound comes in pieces. */
export function textBytesOfAudio(audioBytes: number): number {
  return (audioBytes / AUDIO_BYTES_PER_TOKEN) * TEXT_BYTES_PER_TOKEN
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

/** `usage`, with an estimate of the prompt where the provider counts none of it: several servers say 0, or leave it out. */
export function withPrompt(usage: Usage, prompt: PromptSize): Usage {
  if (usage.input + usage.cachedInput + usage.cacheWrite > 0) return usage
  return { ...usage, input: estimateUsage(prompt, '').usage.input }
}

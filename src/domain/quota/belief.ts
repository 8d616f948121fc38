/**
 * Which of a provider's counts are believed. A vendor may count far more than was sent from here: hidden prompts, what its
 * own tools found, images, thoughts. But beyond every model's context a count is a mistake (bytes for tokens, a counter
 * that overflowed), and one of these must not use up an organization's month.
 */
import type { Usage } from '../completion/result.ts'
import type { ModelEntry } from '../snapshot/snapshot.ts'
import type { PromptSize } from './prompt-size.ts'

/** Several times the largest context that any vendor offers. */
const MOST_TOKENS = 10_000_000
/** Vendors' own tools read several prompts for one answer; several choices are several answers. */
const TIMES_STATED = 4

/** What a model can count is bounded by these. */
export type BoundedModel = Pick<ModelEntry, 'contextWindow' | 'maxOutputTokens'>

/**
 * `told`, itself where all of it can be true. What cannot (the prompt with its cached tokens, or the answer with its
 * thoughts, above all of ten million tokens, four times what the model states, and the prompt's bytes) is 0: as if the
 * provider had not counted it.
 */
export function believed(told: Usage, model: BoundedModel, prompt: PromptSize | undefined): Usage {
  const window = TIMES_STATED * (model.contextWindow ?? 0)
  const sent = prompt === undefined ? 0 : prompt.textBytes + prompt.overheadTokens
  const believesPrompt = told.input + told.cachedInput + told.cacheWrite <= Math.max(MOST_TOKENS, window, sent)
  const mostGenerated = Math.max(MOST_TOKENS, window, TIMES_STATED * (model.maxOutputTokens ?? 0))
  const believesAnswer = Math.max(told.output, told.reasoning) <= mostGenerated
  if (believesPrompt && believesAnswer) return told
  return {
    ...told,
    ...(believesPrompt ? {} : { input: 0, cachedInput: 0, cacheWrite: 0 }),
    ...(believesAnswer ? {} : { output: 0, reasoning: 0 }),
  }
}

/**
 * Which requests may get answers whose parts only their own format knows. Put together from a stream, or replayed as
 * one, such an answer would lose them, so the cache keeps it whole and for whole requests only.
 */
import type { FormatName, ProviderFormatName, TranslationWarning } from '../completion/request.ts'

/** Fields that have no neutral word and change what is said, but not of which parts an answer consists. */
const PLAIN: Readonly<Record<ProviderFormatName, ReadonlySet<string>>> = {
  'chat-completions': new Set([
    'logit_bias',
    'metadata',
    'min_p',
    'prompt_cache_key',
    'prompt_cache_retention',
    'reasoning_effort',
    'repetition_penalty',
    'safety_identifier',
    'service_tier',
    'store',
    'verbosity',
  ]),
  messages: new Set(['service_tier']),
  'generate-content': new Set(['labels', 'safetySettings']),
}

/** The author's name of a message is a word about the question. */
const AUTHOR = /^messages\[\d+\]\.name$/

/** @param unmodelled what `Format.unmodelledFields` says of the request */
export function mayHaveOwnParts(format: FormatName, unmodelled: readonly TranslationWarning[]): boolean {
  // No provider answers in it.
  if (format === 'responses') return false
  return unmodelled.some(({ field }) => !PLAIN[format].has(field) && !AUTHOR.test(field))
}

/** Fields with which a client has the provider choose the model: OpenRouter's, LiteLLM's and Anthropic's own. */
import type { TranslationWarning } from '../completion/request.ts'
import type { JsonObject } from '../json.ts'

const FIELDS = ['models', 'route', 'fallbacks']

/**
 * Takes them out of a request that goes on in its own format: access, exclusions, compliance and prices are those of the model
 * that the gateway has chosen.
 */
export function leaveOutOtherModels(source: JsonObject, patch: JsonObject, warnings: TranslationWarning[]): void {
  for (const field of FIELDS) {
    if (source[field] === undefined) continue
    patch[field] = undefined
    if (source[field] === null) continue
    warnings.push({ field, message: 'which model answers is decided by the gateway; it was left out' })
  }
}

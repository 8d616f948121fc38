/** Tools that a model cannot be offered over this interface, however they are written. */
import type { CompletionRequest } from '../../completion/request.ts'
import type { RenderTarget } from '../format.ts'
import { readsLegacyCall } from './legacy-call.ts'
import { takesTools } from './model-traits.ts'

/** @see Format.refusesTools */
export function refusesTools(
  request: CompletionRequest,
  { model, dialect }: Pick<RenderTarget, 'model' | 'dialect'>,
): string | undefined {
  if (request.tools.length === 0) return undefined
  if (!takesTools(model)) return 'takes no function tools over chat-completions'
  // Its answer would hold `tool_calls`, which such a client does not read.
  if (dialect === 'mistral' && readsLegacyCall(request))
    return "knows `tools` only, not the older `functions` (Mistral's API)"
  return undefined
}

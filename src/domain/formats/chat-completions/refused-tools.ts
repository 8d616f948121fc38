/** Tools that a model cannot be offered over this interface, however they are written. */
import type { CompletionRequest } from '../../completion/request.ts'
import type { RenderTarget } from '../format.ts'
import { readsLegacyCall } from './legacy-call.ts'
import { isDeepSeeksApi, isOpenAisApi, takesTools } from './model-traits.ts'

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
  // From another format they go under names that are taken.
  const isOwn = request.source.format === 'chat-completions'
  const isNarrow = isOpenAisApi(model) || isDeepSeeksApi(model) || dialect === 'mistral'
  if (isOwn && isNarrow && request.tools.some(({ name }) => !NAME.test(name)))
    return 'takes names of tools of up to 64 letters, digits, _ and - only'
  return undefined
}

/** Of the vendors' own APIs, where other servers take more. An empty one is every vendor's to refuse. */
const NAME = /^[A-Za-z0-9_-]{0,64}$/

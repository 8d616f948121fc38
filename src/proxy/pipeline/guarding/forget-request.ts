/** A streamed answer goes on for minutes: what it is not made from need not stay in memory until its end. */
import type { CompletionRequest, ToolDefinition } from '../../../domain/completion/request.ts'
import { withoutUndefined } from '../../../domain/formats/fields.ts'
import { MOST_TOOLS } from '../../../domain/formats/tool-names.ts'
import type { GuardedRequest } from '../guard-request.ts'

/**
 * Empties a request whose streamed answer has begun. Nobody is asked any more, so its texts are not needed; what it
 * says of the answer (usage, sampling) stays. In place: whoever keeps the answer for others still holds the request.
 */
export function forgetContents(guarded: GuardedRequest): void {
  const { request } = guarded
  const { document } = request.source
  for (const name of Object.keys(document)) delete document[name]
  Object.assign(request, { system: [], messages: [], ...namesOf(request), responseFormat: undefined })
  // Of thousands a vendor is sent the first few.
  Object.assign(request.sampling, { stop: undefined })
  Object.assign(guarded, { bytes: undefined })
}

/** By them the answer's calls get the names that the client knows, and its form. A choice among several offers none. */
function namesOf({ tools, toolChoice }: CompletionRequest): Pick<CompletionRequest, 'toolChoice'> & {
  readonly tools: readonly Pick<ToolDefinition, 'name' | 'takesText' | 'member'>[]
} {
  if (tools.length > MOST_TOOLS) return { tools: [], toolChoice: undefined }
  return {
    tools: tools.map(({ name, takesText, member }) => withoutUndefined({ name, takesText, member })),
    toolChoice: toolChoice?.type === 'tool' ? toolChoice : toolChoice && { type: toolChoice.type },
  }
}

/** A streamed answer goes on for minutes: what it is not made from need not stay in memory until its end. */
import { MOST_TOOLS } from '../../domain/formats/tool-names.ts'
import type { GuardedRequest } from './guard-request.ts'

/**
 * Empties a request whose streamed answer has begun. Nobody is asked any more, so its texts are not needed; what it
 * says of the answer (usage, sampling) stays. In place: whoever keeps the answer for others still holds the request.
 */
export function forgetContents(guarded: GuardedRequest): void {
  const { request } = guarded
  const { document } = request.source
  for (const name of Object.keys(document)) delete document[name]
  // By their names the answer's calls get those that the client knows.
  const tools = request.tools.length > MOST_TOOLS ? [] : request.tools.map(({ name }) => ({ name }))
  Object.assign(request, { system: [], messages: [], tools, responseFormat: undefined })
  Object.assign(guarded, { bytes: undefined })
}

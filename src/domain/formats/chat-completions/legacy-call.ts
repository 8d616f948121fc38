/** Calls as clients read them that declare `functions`, the vendor's interface before `tools`: one an answer, without an id. */
import type { CompletionRequest } from '../../completion/request.ts'
import type { Finish } from '../../completion/result.ts'
import { asArray, type JsonObject } from '../../json.ts'
import { renderFinish } from './finish.ts'

/** Said of calls beyond the first. */
export const ONE_CALL_ONLY = 'a client that declares functions takes one call an answer; the others were left out'

/** Whether the client waits for `function_call` in place of `tool_calls`. */
export function readsLegacyCall({ source }: Pick<CompletionRequest, 'source'>): boolean {
  return source.format === 'chat-completions' && declaresFunctions(source.document)
}

/** Whether the request has the older declarations and none of the newer. */
export function declaresFunctions(document: JsonObject): boolean {
  return asArray(document.functions).length > 0 && asArray(document.tools).length === 0
}

/** The word for the end of a choice. @param isLegacy as `readsLegacyCall` tells of its client */
export function finishFor(finish: Finish, isLegacy: boolean): string {
  const word = renderFinish(finish)
  return word === 'tool_calls' && isLegacy ? 'function_call' : word
}

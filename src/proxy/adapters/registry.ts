/** The client adapters, in the order in which their routes are mounted. */
import type { ClientAdapter } from './adapter.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { native, nativeResponses, openai, openaiResponses } from './openai.ts'

export const ADAPTERS: readonly ClientAdapter[] = [native, nativeResponses, openai, openaiResponses, anthropic, gemini]

/** Before the label: the address too, where the whole one is asked for, as by a client that takes this for its proxy. */
const PREFIX = /^(?:https?:\/\/[^/]*)?\/adapters\/([a-z]+)\//

/** The adapter whose prefix a request's target has; the native one where it has none. For refusals outside any route. */
export function adapterOfPath(target: string): ClientAdapter {
  const label = PREFIX.exec(target)?.[1]
  return ADAPTERS.find((adapter) => adapter.label === label) ?? native
}

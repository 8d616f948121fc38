/** The client adapters, in the order in which their routes are mounted. */
import type { ClientAdapter } from './adapter.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { native, openai } from './openai.ts'

export const ADAPTERS: readonly ClientAdapter[] = [native, openai, anthropic, gemini]

/** The adapter whose prefix a path has; the native one where it has none. For refusals outside any route. */
export function adapterOfPath(path: string): ClientAdapter {
  const label = /^\/adapters\/([a-z]+)\//.exec(path)?.[1]
  return ADAPTERS.find((adapter) => adapter.label === label) ?? native
}

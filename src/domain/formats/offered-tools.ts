/** The tools that another format is shown. */
import type { CompletionRequest, ToolDefinition } from '../completion/request.ts'

/** Without those that must not be called: not every vendor has a word for that, but nobody calls what is not there. */
export function offeredTools({ tools, toolChoice }: CompletionRequest): readonly ToolDefinition[] {
  if (toolChoice === undefined || !('among' in toolChoice)) return tools
  const names = new Set(toolChoice.among)
  return tools.filter(({ name }) => names.has(name))
}

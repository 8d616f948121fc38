/** The tools that another format is shown. */
import type { CompletionRequest, ToolDefinition, TranslationWarning } from '../completion/request.ts'

/** Without those that must not be called: not every vendor has a word for that, but nobody calls what is not there. */
export function offeredTools({ tools, toolChoice }: CompletionRequest): readonly ToolDefinition[] {
  if (toolChoice === undefined || !('among' in toolChoice)) return tools
  const names = new Set(toolChoice.among)
  return tools.filter(({ name }) => names.has(name))
}

/** Allowed ones that the request does not have: the vendor of its format would refuse it. */
export function unknownChoice({ tools, toolChoice }: CompletionRequest): TranslationWarning[] {
  if (toolChoice === undefined || !('among' in toolChoice)) return []
  const names = new Set(tools.map(({ name }) => name))
  if (toolChoice.among.every((name) => names.has(name))) return []
  return [{ field: 'tool_choice', message: 'it allows tools that the request does not have; they were left out' }]
}

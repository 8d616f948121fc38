/** Tools and tool choice of a messages request. */
import type { ToolChoice, ToolDefinition } from '../../completion/request.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import {
  objectAt,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
  withoutUndefined,
} from '../fields.ts'

/** The client's own tools. The vendor's (web search, code execution, ...) stay in the document. @throws {InvalidRequestError} */
export function parseTools(document: JsonObject): ToolDefinition[] {
  return (optionalArray(document, 'tools') ?? []).flatMap((item, index) => {
    const path = `tools[${index}]`
    const tool = objectAt(item, path)
    if (!isClientTool(tool)) return []
    return withoutUndefined({
      name: requiredString(tool, 'name', path),
      description: optionalString(tool, 'description', path),
      parameters: requiredObject(tool, 'input_schema', path),
      strict: optionalBoolean(tool, 'strict', path),
      cacheControl: tool.cache_control ?? undefined,
    })
  })
}

/** Whether the client runs the tool: its type is absent, null or `custom`. */
export function isClientTool(tool: JsonObject): boolean {
  return (tool.type ?? 'custom') === 'custom'
}

/** The choice; undefined where there is none or where the neutral request has no word for it. @throws {InvalidRequestError} */
export function parseToolChoice(document: JsonObject): ToolChoice | undefined {
  const choice = optionalObject(document, 'tool_choice')
  switch (choice && requiredString(choice, 'type', 'tool_choice')) {
    case 'auto':
      return { type: 'auto' }
    case 'none':
      return { type: 'none' }
    case 'any':
      return { type: 'required' }
    case 'tool': {
      const name = requiredString(choice ?? {}, 'name', 'tool_choice')
      return isVendorTool(document, name) ? undefined : { type: 'tool', name }
    }
    default:
      return undefined
  }
}

/** Whether the tool of this name is one that the vendor runs: others are not shown it, and refuse a choice of what is not there. */
export function isVendorTool(document: JsonObject, name: string): boolean {
  const named = asArray(document.tools).find((item) => asObject(item)?.name === name)
  return isJsonObject(named) && !isClientTool(named)
}

/** Whether several tools may be called at once; undefined where nothing is said. @throws {InvalidRequestError} */
export function parseParallelToolCalls(document: JsonObject): boolean | undefined {
  const choice = optionalObject(document, 'tool_choice')
  const disabled = choice && optionalBoolean(choice, 'disable_parallel_tool_use', 'tool_choice')
  return disabled === undefined ? undefined : !disabled
}

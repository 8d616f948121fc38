/** Tools and tool choice of a Responses request. */
import type { ToolChoice, ToolDefinition } from '../../completion/request.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import {
  objectAt,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredString,
  withoutUndefined,
  wrongType,
} from '../fields.ts'
import { functionFor } from './custom-tool.ts'

/** The functions, and custom tools as such. The vendor's own (search, computer, ...) stay in the document. @throws {InvalidRequestError} */
export function parseTools(document: JsonObject): ToolDefinition[] {
  const tools: ToolDefinition[] = []
  optionalArray(document, 'tools')?.forEach((item, index) => {
    const path = `tools[${index}]`
    const tool = objectAt(item, path)
    const type = requiredString(tool, 'type', path)
    if (type === 'function') tools.push(parseFunction(tool, path))
    else if (type === 'custom') tools.push(functionFor(tool, path))
  })
  return tools
}

function parseFunction(tool: JsonObject, path: string): ToolDefinition {
  return withoutUndefined({
    name: requiredString(tool, 'name', path),
    description: optionalString(tool, 'description', path),
    parameters: optionalObject(tool, 'parameters', path),
    strict: optionalBoolean(tool, 'strict', path),
  })
}

/** The choice; undefined where there is none or where the neutral request has no word for it. @throws {InvalidRequestError} */
export function parseToolChoice(document: JsonObject): ToolChoice | undefined {
  const choice = document.tool_choice
  if (choice === undefined || choice === null) return undefined
  if (typeof choice === 'string') return wordOf(choice)
  if (!isJsonObject(choice)) throw wrongType(choice, 'a string or an object', 'tool_choice')
  switch (requiredString(choice, 'type', 'tool_choice')) {
    case 'function':
    case 'custom':
      return { type: 'tool', name: requiredString(choice, 'name', 'tool_choice') }
    case 'allowed_tools':
      return parseAllowedTools(choice)
    default:
      return undefined
  }
}

function parseAllowedTools(choice: JsonObject): ToolChoice {
  const among = asArray(choice.tools).flatMap((tool) => asString(asObject(tool)?.name) ?? [])
  return { type: choice.mode === 'required' ? 'required' : 'auto', among }
}

function wordOf(choice: string): ToolChoice | undefined {
  return choice === 'auto' || choice === 'none' || choice === 'required' ? { type: choice } : undefined
}

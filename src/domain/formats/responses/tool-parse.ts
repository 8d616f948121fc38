/** Tools and tool choice of a Responses request. */
import type { ToolChoice, ToolDefinition } from '../../completion/request.ts'
import { InvalidRequestError } from '../../errors.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { parseFunction } from '../chat-completions/tool-parse.ts'
import { objectAt, optionalArray, requiredString, wrongType } from '../fields.ts'
import { chosenName, memberOf } from './client-tool.ts'
import { functionFor } from './custom-tool.ts'

/**
 * The functions, custom tools as such, and both of namespaces. The vendor's own (search, computer, ...) stay in the document.
 * @throws {InvalidRequestError}
 */
export function parseTools(document: JsonObject): ToolDefinition[] {
  const tools = eachTool(document, undefined, (tool, type, path) => {
    if (type !== 'namespace') return parseTool(tool, type, path)
    const namespace = requiredString(tool, 'name', path)
    return eachTool(tool, path, parseTool).map((member) => memberOf(namespace, member))
  })
  const twin = twinOf(tools)
  if (twin === undefined) return tools
  const message = `Invalid value for 'tools': two tools are '${twin}', as which those of namespaces are offered.`
  throw new InvalidRequestError(message, 'tools')
}

/** A name that a tool of a namespace has in common with another tool: the calls of both could not be told apart. */
function twinOf(tools: readonly ToolDefinition[]): string | undefined {
  const members = new Map<string, boolean>()
  for (const { name, member } of tools) {
    const before = members.get(name)
    if (before !== undefined && (before || member !== undefined)) return name
    members.set(name, member !== undefined)
  }
  return undefined
}

function eachTool(
  holder: JsonObject,
  parent: string | undefined,
  parse: (tool: JsonObject, type: string, path: string) => ToolDefinition[],
): ToolDefinition[] {
  return (optionalArray(holder, 'tools', parent) ?? []).flatMap((item, index) => {
    const path = `${parent === undefined ? '' : `${parent}.`}tools[${index}]`
    const tool = objectAt(item, path)
    return parse(tool, requiredString(tool, 'type', path), path)
  })
}

function parseTool(tool: JsonObject, type: string, path: string): ToolDefinition[] {
  if (type === 'function') return [parseFunction(tool, path)]
  return type === 'custom' ? [functionFor(tool, path)] : []
}

/**
 * The choice among `tools`; undefined where there is none or where the neutral request has no word for it.
 * @throws {InvalidRequestError}
 */
export function parseToolChoice(document: JsonObject, tools: readonly ToolDefinition[]): ToolChoice | undefined {
  const choice = document.tool_choice
  if (choice === undefined || choice === null) return undefined
  if (typeof choice === 'string') return wordOf(choice)
  if (!isJsonObject(choice)) throw wrongType(choice, 'a string or an object', 'tool_choice')
  const offered = offeredNames(tools)
  const nameOf = (tool: JsonObject, path: string): string => {
    const name = offered.get(requiredString(tool, 'name', path))
    if (name !== undefined) return name
    throw new InvalidRequestError(`Invalid value for '${path}.name': none of 'tools' has that name.`, `${path}.name`)
  }
  switch (requiredString(choice, 'type', 'tool_choice')) {
    case 'function':
    case 'custom':
      return { type: 'tool', name: nameOf(choice, 'tool_choice') }
    case 'allowed_tools':
      return { type: choice.mode === 'required' ? 'required' : 'auto', among: allowedNames(choice, nameOf) }
    default:
      return undefined
  }
}

/** The vendor's own tools are offered to nobody, whether they are allowed or not. */
function allowedNames(choice: JsonObject, nameOf: (tool: JsonObject, path: string) => string): string[] {
  return asArray(choice.tools).flatMap((item, index) => {
    const tool = asObject(item)
    return tool?.type === 'function' || tool?.type === 'custom' ? nameOf(tool, `tool_choice.tools[${index}]`) : []
  })
}

/** What providers are told in place of a name in a choice. */
function offeredNames(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { name, member } of tools) {
    names.set(name, name)
    if (member !== undefined) names.set(chosenName(member), name)
  }
  return names
}

function wordOf(choice: string): ToolChoice | undefined {
  return choice === 'auto' || choice === 'none' || choice === 'required' ? { type: choice } : undefined
}

/** Tools and tool choice of a chat-completions request, the older `functions` and `function_call` included. */
import type { ToolChoice, ToolDefinition } from '../../completion/request.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject } from '../../json.ts'
import {
  objectAt,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredObject,
  requiredString,
  withoutUndefined,
  wrongType,
} from '../fields.ts'

/** The function tools. Other types (custom, built-in) stay in the document. @throws {InvalidRequestError} */
export function parseTools(document: JsonObject): ToolDefinition[] {
  const tools: ToolDefinition[] = []
  optionalArray(document, 'tools')?.forEach((item, index) => {
    const path = `tools[${index}]`
    const tool = objectAt(item, path)
    if (requiredString(tool, 'type', path) !== 'function') return
    tools.push(parseFunction(requiredObject(tool, 'function', path), `${path}.function`, tool))
  })
  optionalArray(document, 'functions')?.forEach((item, index) => {
    const path = `functions[${index}]`
    tools.push(parseFunction(objectAt(item, path), path))
  })
  return tools
}

/** @param tool around the definition, in this format */
export function parseFunction(definition: JsonObject, path: string, tool?: JsonObject): ToolDefinition {
  return withoutUndefined({
    name: requiredString(definition, 'name', path),
    description: optionalString(definition, 'description', path),
    parameters: optionalObject(definition, 'parameters', path),
    strict: optionalBoolean(definition, 'strict', path),
    cacheControl: tool?.cache_control ?? undefined,
  })
}

/** The choice; undefined where there is none or where the neutral request has no word for it. @throws {InvalidRequestError} */
export function parseToolChoice(document: JsonObject): ToolChoice | undefined {
  const choice = document.tool_choice
  if (choice === undefined || choice === null) return parseLegacyChoice(document)
  if (typeof choice === 'string') return wordOf(choice)
  if (!isJsonObject(choice)) throw wrongType(choice, 'a string or an object', 'tool_choice')
  const type = requiredString(choice, 'type', 'tool_choice')
  if (type === 'allowed_tools') return parseAllowedTools(choice)
  if (type !== 'function') return undefined
  const chosen = requiredObject(choice, 'function', 'tool_choice')
  return { type: 'tool', name: requiredString(chosen, 'name', 'tool_choice.function') }
}

/** Names in the shape of the vendor's newer interface too, which has no object around them. */
function parseAllowedTools(choice: JsonObject): ToolChoice {
  const allowed = asObject(choice.allowed_tools) ?? choice
  const among = asArray(allowed.tools).flatMap((item) => {
    const tool = asObject(item)
    return asString(asObject(tool?.function)?.name ?? tool?.name) ?? []
  })
  return { type: allowed.mode === 'required' ? 'required' : 'auto', among }
}

function parseLegacyChoice(document: JsonObject): ToolChoice | undefined {
  const choice = document.function_call
  if (choice === undefined || choice === null) return undefined
  if (typeof choice === 'string') return wordOf(choice)
  if (!isJsonObject(choice)) throw wrongType(choice, 'a string or an object', 'function_call')
  const name = asString(choice.name)
  if (name === undefined) throw wrongType(choice.name, 'a string', 'function_call.name')
  return { type: 'tool', name }
}

function wordOf(choice: string): ToolChoice | undefined {
  switch (choice) {
    case 'auto':
    case 'none':
    case 'required':
      return { type: choice }
    case 'any': // Mistral's word
      return { type: 'required' }
    default:
      return undefined
  }
}

/** Tools and the choice among them of a generate-content request. */
import type { ToolChoice, ToolDefinition } from '../../completion/request.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { objectAt, optionalObject, optionalString, requiredString, withoutUndefined, wrongType } from '../fields.ts'
import { jsonSchemaOf } from './schema.ts'
import { listIn, nameIn, requireOneSpelling } from './spelling.ts'

/** The client's own functions. The vendor's tools (search, code execution, ...) stay in the document. @throws {InvalidRequestError} */
export function parseTools(document: JsonObject): ToolDefinition[] {
  const { items, path } = listIn(document, 'tools')
  return items.flatMap((item, index) => {
    const toolPath = `${path}[${index}]`
    const tool = objectAt(item, toolPath)
    requireOneSpelling(tool, toolPath)
    const declared = listIn(tool, 'functionDeclarations', toolPath)
    return declared.items.map((one, position) => parseDeclaration(one, `${declared.path}[${position}]`))
  })
}

function parseDeclaration(item: JsonValue, path: string): ToolDefinition {
  const declaration = objectAt(item, path)
  requireOneSpelling(declaration, path)
  const parameters = optionalObject(declaration, 'parameters', path)
  return withoutUndefined({
    name: requiredString(declaration, 'name', path),
    description: optionalString(declaration, 'description', path),
    parameters:
      optionalObject(declaration, nameIn(declaration, 'parametersJsonSchema'), path) ??
      (parameters && jsonSchemaOf(parameters)),
  })
}

/** The choice; undefined where there is none or where the neutral request has no word for it. @throws {InvalidRequestError} */
export function parseToolChoice(document: JsonObject): ToolChoice | undefined {
  const configName = nameIn(document, 'toolConfig')
  const config = optionalObject(document, configName)
  const callingName = config && nameIn(config, 'functionCallingConfig')
  const calling = config && callingName && optionalObject(config, callingName, configName)
  if (!calling) return undefined
  const path = `${configName}.${callingName}`
  switch (optionalString(calling, 'mode', path)?.toUpperCase()) {
    case 'AUTO':
      return { type: 'auto' }
    case 'NONE':
      return { type: 'none' }
    case 'ANY': {
      const names = parseNames(calling, path)
      const [name] = names
      if (name === undefined) return { type: 'required' }
      return names.length === 1 ? { type: 'tool', name } : { type: 'required', among: names }
    }
    default:
      return undefined
  }
}

function parseNames(calling: JsonObject, parent: string): string[] {
  const field = nameIn(calling, 'allowedFunctionNames')
  const names = calling[field]
  if (names === undefined || names === null) return []
  if (!Array.isArray(names)) throw wrongType(names, 'an array of strings', `${parent}.${field}`)
  return names.map((name, index) => {
    if (typeof name !== 'string') throw wrongType(name, 'a string', `${parent}.${field}[${index}]`)
    return name
  })
}

/**
 * Lists that begin with certain items, as JSON schema wrote them before 2020-12 (`items` as a list, as of zod's and pydantic's
 * older versions): all vendors refuse them, and take the newer `prefixItems` or pass over it. Depth is bounded by the body's.
 */
import type { CompletionRequest } from '../completion/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** The request with its schemas in the newer words; `request` itself where nothing has to change. */
export function withNewerTuples(request: CompletionRequest): CompletionRequest {
  const tools = request.tools.map((tool) => {
    const parameters = tool.parameters === undefined ? undefined : newerTuples(tool.parameters)
    return parameters === undefined || parameters === tool.parameters ? tool : { ...tool, parameters }
  })
  const format = request.responseFormat
  const schema = format?.type === 'json-schema' ? newerTuples(format.schema) : undefined
  const isSame = tools.every((tool, index) => tool === request.tools[index])
  const responseFormat = format?.type === 'json-schema' && schema !== undefined ? { ...format, schema } : format
  if (isSame && (format?.type !== 'json-schema' || schema === format.schema)) return request
  return responseFormat === undefined ? { ...request, tools } : { ...request, tools, responseFormat }
}

/** `schema` itself where it holds none. */
export function newerTuples(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return eachOf(schema)
  if (!isJsonObject(schema)) return schema
  const changed: JsonObject = {}
  let isSame = true
  for (const [keyword, value = null] of Object.entries(schema)) {
    changed[keyword] = DATA.has(keyword) ? value : newerTuples(value)
    isSame &&= changed[keyword] === value
  }
  if (!Array.isArray(changed.items) || !isTuple(schema)) return isSame ? schema : changed
  const { items, additionalItems = {}, ...rest } = changed
  return { ...rest, prefixItems: items, items: additionalItems }
}

/** Of values, not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example', 'required'])

/** Not an object of the client's that has a property of the name. */
function isTuple({ type, items }: JsonObject): boolean {
  return (
    Array.isArray(items) && items.every(isJsonObject) && (type === undefined || type === 'array' || Array.isArray(type))
  )
}

function eachOf(list: JsonValue[]): JsonValue {
  const changed = list.map(newerTuples)
  return changed.every((item, index) => item === list[index]) ? list : changed
}

/**
 * Tools as the client knows them. Those of a namespace (Codex has each MCP server's in one of its own) are offered as functions of
 * both names, as no other format has a word for it; the calls of these are of the namespace again.
 */
import type { CompletionRequest, NamespaceMember, ToolDefinition } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { optionalString, requiredString, withoutUndefined } from '../fields.ts'

/** Those that providers are told of otherwise, by the names that they are told. */
export type ClientTools = ReadonlyMap<string, Pick<ToolDefinition, 'takesText' | 'member'>>

export function clientTools({ tools }: CompletionRequest): ClientTools {
  const known = tools.filter(({ takesText, member }) => takesText ?? member)
  return new Map(known.map(({ name, takesText, member }) => [name, withoutUndefined({ takesText, member })]))
}

/** A tool of `namespace`. */
export function memberOf(namespace: string, tool: ToolDefinition): ToolDefinition {
  return { ...tool, name: fullName(namespace, tool.name), member: { namespace, name: tool.name } }
}

/** Of the tool that an item calls. @throws {InvalidRequestError} */
export function calledName(item: JsonObject, path: string): string {
  const name = requiredString(item, 'name', path)
  const namespace = optionalString(item, 'namespace', path)
  return namespace ? fullName(namespace, name) : name
}

/** Of a tool in a choice, which has no word for its namespace: the Agents SDKs name it so. */
export function chosenName({ namespace, name }: NamespaceMember): string {
  return `${namespace}.${name}`
}

/** As the clients that have no namespaces name the tools of MCP servers. */
function fullName(namespace: string, name: string): string {
  return `${namespace}__${name}`
}

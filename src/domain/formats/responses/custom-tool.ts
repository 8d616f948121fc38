/**
 * Custom tools, whose input is a text and no JSON. No other format has a word for them: they are offered as functions of one
 * text, `input`, and the calls of these are the client's custom calls again.
 */
import type { ToolCallPart, ToolDefinition } from '../../completion/request.ts'
import { parseInnerJson } from '../../json-parse.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import { optionalString, requiredString } from '../fields.ts'

const PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** @throws {InvalidRequestError} */
export function functionFor(tool: JsonObject, path: string): ToolDefinition {
  const words = [optionalString(tool, 'description', path), grammarOf(tool)].filter((text) => text !== undefined)
  return {
    name: requiredString(tool, 'name', path),
    ...(words.length === 0 ? {} : { description: words.join('\n\n') }),
    parameters: PARAMETERS,
    takesText: true,
  }
}

/** The vendor holds the model to it; others can only be told. */
function grammarOf(tool: JsonObject): string | undefined {
  const format = asObject(tool.format)
  const definition = asString(format?.definition)
  if (definition === undefined) return undefined
  return `'input' must follow this grammar (${asString(format?.syntax) ?? 'grammar'}):\n${definition}`
}

export function callWithInput(id: string, name: string, input: string): ToolCallPart {
  return { type: 'tool-call', id, name, arguments: JSON.stringify({ input }) }
}

/** The text of a call's arguments, of which it may have none; what the model has written otherwise, as it is. */
export function inputOf(args: string): string {
  const written = asObject(parseInnerJson(args))
  if (written !== undefined && Object.keys(written).length === 0) return ''
  return asString(written?.input) ?? args
}

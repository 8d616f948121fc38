/** A call of a custom tool, whose input is a text and no JSON, as a call that every format has a word for. */
import type { ToolCallPart } from '../../completion/request.ts'
import { asObject, asString, type JsonValue } from '../../json.ts'

/**
 * The call with its text under `input`, so that the result that answers it has a call in other formats too: their vendors
 * refuse one without. Undefined: no such call, or one without an id, a name or a text.
 */
export function customCallOf(value: JsonValue | undefined): ToolCallPart | undefined {
  const call = asObject(value)
  if (call?.type !== 'custom') return undefined
  const custom = asObject(call.custom)
  const id = asString(call.id)
  const name = asString(custom?.name)
  const input = asString(custom?.input)
  if (id === undefined || name === undefined || input === undefined) return undefined
  return { type: 'tool-call', id, name, arguments: JSON.stringify({ input }) }
}

/** Texts inside the tool calls of a message, of a request or an answer. */
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import type { TextPlace, TextWalk } from '../text-walk.ts'

const TOOL_INPUT: TextPlace = { scope: 'tool-input', role: 'assistant' }

/** Visits the arguments of `tool_calls` and of the older `function_call`, and the free text of custom tools. */
export function visitToolCalls(message: JsonObject, walk: TextWalk): void {
  for (const call of asArray(message.tool_calls)) if (isJsonObject(call)) visitCall(call, walk)
  if (isJsonObject(message.function_call)) walk.json(message.function_call, 'arguments', TOOL_INPUT)
}

function visitCall(call: JsonObject, walk: TextWalk): void {
  walk.json(asObject(call.function) ?? {}, 'arguments', TOOL_INPUT)
  walk.text(asObject(call.custom) ?? {}, 'input', TOOL_INPUT)
}

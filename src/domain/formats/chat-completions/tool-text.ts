/** Texts inside the tool calls of a message, of a request or an answer. */
import { isContainer, asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { TOOL_INPUT, type TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'

/** Visits the arguments of `tool_calls` and of the older `function_call`, and the free text of custom tools. */
export function visitToolCalls(message: JsonObject, walk: TextWalk): void {
  for (const call of asArray(message.tool_calls)) if (isJsonObject(call)) visitCall(call, walk)
  visitFunctionCall(message, walk)
}

/** Visits what stands beside these texts, of a request, an answer or a chunk; and arguments that are no text but an object. */
export function visitBesideCalls(message: JsonObject, walk: TextWalk): void {
  for (const call of asArray(message.tool_calls)) if (isJsonObject(call)) visitBesideCall(call, walk)
  visitBesideFunctionCall(message, walk)
}

/** Both, of a request: where no calls should be, all is text. */
export function visitSentCalls(message: JsonObject, walk: TextWalk): void {
  const { tool_calls: calls = [] } = message
  if (Array.isArray(calls) && calls.every(isJsonObject)) {
    visitToolCalls(message, walk)
    visitBesideCalls(message, walk)
  } else {
    walk.all(message, 'tool_calls', TOOL_INPUT)
    visitFunctionCall(message, walk)
    visitBesideFunctionCall(message, walk)
  }
}

function visitCall(call: JsonObject, walk: TextWalk): void {
  walk.json(asObject(call.function) ?? {}, 'arguments', TOOL_INPUT)
  walk.values(asObject(call.custom) ?? {}, 'input', TOOL_INPUT)
}

function visitFunctionCall(message: JsonObject, walk: TextWalk): void {
  walk.json(asObject(message.function_call) ?? {}, 'arguments', TOOL_INPUT)
}

function visitBesideCall(call: JsonObject, walk: TextWalk): void {
  visitSigned(call, TOOL_INPUT, walk)
  if (call.function !== undefined) visitFunctionExtras(call, 'function', walk)
  if (call.custom !== undefined) walk.extrasIn(call, 'custom', CUSTOM_FIELDS, TOOL_INPUT)
  walk.extras(call, CALL_FIELDS, TOOL_INPUT)
}

function visitBesideFunctionCall(message: JsonObject, walk: TextWalk): void {
  if (message.function_call !== undefined) visitFunctionExtras(message, 'function_call', walk)
}

function visitFunctionExtras(holder: JsonObject, field: string, walk: TextWalk): void {
  const called = asObject(holder[field])
  if (called !== undefined) {
    visitSigned(called, TOOL_INPUT, walk)
    if (isContainer(called.arguments)) walk.values(called, 'arguments', TOOL_INPUT)
  }
  walk.extrasIn(holder, field, FUNCTION_FIELDS, TOOL_INPUT)
}

/**
 * Where Gemini and LiteLLM put the signature of a call or of a message, without which Gemini refuses the history: it stays as it is.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function visitSigned(signed: JsonObject, place: TextPlace, walk: TextWalk): void {
  if (signed.extra_content !== undefined) {
    walk.extrasIn(asObject(signed.extra_content) ?? {}, 'google', SIGNATURES, place)
    walk.extrasIn(signed, 'extra_content', GOOGLE, place)
  }
  if (signed.provider_specific_fields !== undefined) {
    walk.extrasIn(signed, 'provider_specific_fields', SIGNATURES, place)
  }
}

const SIGNED = ['extra_content', 'provider_specific_fields'] as const
const GOOGLE: ReadonlySet<string> = new Set(['google'])
const SIGNATURES: ReadonlySet<string> = new Set(['thought_signature', 'thought_signatures'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom', ...SIGNED])
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', ...SIGNED])
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['name', 'input'])

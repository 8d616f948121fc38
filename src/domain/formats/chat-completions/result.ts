/** A whole chat-completions answer <-> neutral result. */
import {
  NO_ARGUMENTS,
  type AssistantPart,
  type ToolCallPart,
  type TranslationWarning,
} from '../../completion/request.ts'
import { isCut, type Choice, type CompletionResult } from '../../completion/result.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { shortName, withoutUndefined } from '../fields.ts'
import type { RenderContext, Rendered } from '../format.ts'
import { AnswerIds, madeUpId, seedOf } from '../made-up-id.ts'
import { parseFinish } from './finish.ts'
import { finishFor, ONE_CALL_ONLY, readsLegacyCall } from './legacy-call.ts'
import { parseUsage, renderUsage } from './usage.ts'
import { readContent, readReasoning } from './answer-content.ts'
import { argumentsOf } from './tool-arguments.ts'

/** Reads a provider's answer. @throws {UpstreamFormatError} where it has no choices. */
export function parseResult(document: JsonObject): CompletionResult {
  if (!Array.isArray(document.choices) || document.choices.length === 0) {
    throw new UpstreamFormatError('The provider sent an answer without choices.')
  }
  const id = shortName(document.id)
  const created = asNumber(document.created)
  const seed = seedOf(id, created)
  return {
    source: { format: 'chat-completions', document },
    id,
    model: shortName(document.model),
    ...(created === undefined ? {} : { created }),
    choices: document.choices.map((choice, position) => parseChoice(choice, position, seed)),
    usage: parseUsage(document.usage),
  }
}

function parseChoice(value: JsonValue, position: number, seed: string): Choice {
  const choice = asObject(value)
  const message = asObject(choice?.message)
  if (choice === undefined || message === undefined) {
    throw new UpstreamFormatError('The provider sent a choice without a message.')
  }
  const index = asNumber(choice.index) ?? position
  const calls = parseCalls(message, (...call) => madeUpId(seed, index, ...call))
  const finish = parseFinish(asString(choice.finish_reason), calls.length > 0)
  const last = isCut(finish) ? calls.at(-1) : undefined
  const ended = calls.map((call) => (call === last ? call : { ...call, arguments: call.arguments || NO_ARGUMENTS }))
  return {
    index,
    content: calls.length === 0 ? parseText(message) : [...parseText(message), ...ended],
    finish,
  }
}

function parseText(message: JsonObject): AssistantPart[] {
  const { text, thinking } = readContent(message.content)
  const reasoning = readReasoning(message) + thinking
  const refusal = asString(message.refusal)
  const parts: AssistantPart[] = []
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning })
  if (text !== '') parts.push({ type: 'text', text })
  if (refusal) parts.push({ type: 'refusal', text: refusal })
  return parts
}

function parseCalls(
  message: JsonObject,
  madeUp: (position: number, name: string, args: string) => string,
): ToolCallPart[] {
  const ids = new AnswerIds()
  return callsOf(message).map(({ id, called }, position) => {
    const name = asString(called.name) ?? ''
    const args = argumentsOf(called.arguments)
    return { type: 'tool-call', id: ids.distinct(id, () => madeUp(position, name, args)), name, arguments: args }
  })
}

function callsOf(message: JsonObject): { id: string | undefined; called: JsonObject }[] {
  const calls = asArray(message.tool_calls).flatMap((call) => {
    const called = isJsonObject(call) ? asObject(call.function) : undefined
    return called === undefined ? [] : { id: asString(asObject(call)?.id), called }
  })
  const legacy = asObject(message.function_call)
  return legacy === undefined ? calls : [...calls, { id: undefined, called: legacy }]
}

/** The answer for a client. From the same format: the provider's document itself. */
export function renderResult(result: CompletionResult, context: RenderContext): Rendered<JsonObject> {
  if (result.source.format === 'chat-completions') return { document: result.source.document, warnings: [] }
  const warnings: TranslationWarning[] = []
  const document = withoutUndefined({
    id: result.id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion',
    created: result.created ?? context.nowSeconds,
    model: result.model || context.model,
    choices: result.choices.map((choice) => renderChoice(choice, context, warnings)),
    usage: result.usage && renderUsage(result.usage),
  })
  return { document, warnings }
}

function renderChoice(choice: Choice, { request }: RenderContext, warnings: TranslationWarning[]): JsonObject {
  const path = `choices[${choice.index}].message`
  const isLegacy = readsLegacyCall(request)
  return {
    index: choice.index,
    message: {
      ...renderMessage(choice.content, path, warnings),
      ...renderCalls(choice.content, path, isLegacy, warnings),
    },
    logprobs: null,
    finish_reason: finishFor(choice.finish, isLegacy),
  }
}

function renderMessage(content: readonly AssistantPart[], path: string, warnings: TranslationWarning[]): JsonObject {
  const reasoning = content.filter((part) => part.type === 'reasoning')
  if (reasoning.some((part) => part.signature !== undefined || part.redacted !== undefined)) {
    warnings.push({ field: `${path}.thinking`, message: 'signatures and encrypted thinking have no place here' })
  }
  const hasOther = content.some(({ type }) => type === 'tool-call' || type === 'refusal')
  return withoutUndefined({
    role: 'assistant',
    // Where nothing else is said either, an empty text: the vendor refuses such a message without one in the next turn.
    content: textOf(content, 'text') ?? (hasOther ? null : ''),
    reasoning_content: textOf(content, 'reasoning') || undefined,
    refusal: textOf(content, 'refusal') ?? null,
  })
}

function renderCalls(
  content: readonly AssistantPart[],
  path: string,
  isLegacy: boolean,
  warnings: TranslationWarning[],
): JsonObject {
  const calls = content.filter((part) => part.type === 'tool-call').map(renderCall)
  const [first, ...others] = calls
  if (first === undefined) return {}
  if (!isLegacy) return { tool_calls: calls }
  if (others.length > 0) warnings.push({ field: `${path}.tool_calls`, message: ONE_CALL_ONLY })
  return { function_call: first.function }
}

function textOf(content: readonly AssistantPart[], type: 'text' | 'reasoning' | 'refusal'): string | undefined {
  const texts = content.flatMap((part) => (part.type !== 'tool-call' && part.type === type ? [part.text] : []))
  return texts.length === 0 ? undefined : texts.join('')
}

function renderCall(call: ToolCallPart) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }
}

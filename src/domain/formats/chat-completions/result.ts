/** A whole chat-completions answer <-> neutral result. */
import type { AssistantPart, ToolCallPart, TranslationWarning } from '../../completion/request.ts'
import type { Choice, CompletionResult } from '../../completion/result.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { shortName, withoutUndefined } from '../fields.ts'
import type { RenderContext, Rendered } from '../format.ts'
import { renderFinish, parseFinish } from './finish.ts'
import { parseUsage, renderUsage } from './usage.ts'
import { readContent, readReasoning } from './answer-content.ts'

/** Reads a provider's answer. @throws {UpstreamFormatError} where it has no choices. */
export function parseResult(document: JsonObject): CompletionResult {
  if (!Array.isArray(document.choices) || document.choices.length === 0) {
    throw new UpstreamFormatError('The provider sent an answer without choices.')
  }
  const created = asNumber(document.created)
  return {
    source: { format: 'chat-completions', document },
    id: shortName(document.id),
    model: shortName(document.model),
    ...(created === undefined ? {} : { created }),
    choices: document.choices.map(parseChoice),
    usage: parseUsage(document.usage),
  }
}

function parseChoice(value: JsonValue, position: number): Choice {
  const choice = asObject(value)
  const message = asObject(choice?.message)
  if (choice === undefined || message === undefined) {
    throw new UpstreamFormatError('The provider sent a choice without a message.')
  }
  const calls = parseCalls(message, position)
  return {
    index: asNumber(choice.index) ?? position,
    content: calls.length === 0 ? parseText(message) : [...parseText(message), ...calls],
    finish: parseFinish(asString(choice.finish_reason), calls.length > 0),
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

function parseCalls(message: JsonObject, choice: number): ToolCallPart[] {
  const calls = asArray(message.tool_calls).filter(isJsonObject)
  const legacy = asObject(message.function_call)
  if (calls.length === 0 && legacy === undefined) return []
  return [...calls, ...(legacy === undefined ? [] : [{ function: legacy }])].flatMap((call: JsonObject, index) => {
    const called = asObject(call.function)
    if (called === undefined) return []
    return {
      type: 'tool-call' as const,
      id: asString(call.id) || `call_${choice}_${index}`,
      name: asString(called.name) ?? '',
      arguments: argumentsOf(called.arguments),
    }
  })
}

/** Ollama and some others send the arguments as an object. */
function argumentsOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
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
    choices: result.choices.map((choice) => renderChoice(choice, warnings)),
    usage: result.usage && renderUsage(result.usage),
  })
  return { document, warnings }
}

function renderChoice(choice: Choice, warnings: TranslationWarning[]): JsonObject {
  const path = `choices[${choice.index}].message`
  return {
    index: choice.index,
    message: renderMessage(choice.content, path, warnings),
    logprobs: null,
    finish_reason: renderFinish(choice.finish),
  }
}

function renderMessage(content: readonly AssistantPart[], path: string, warnings: TranslationWarning[]): JsonObject {
  const calls = content.filter((part) => part.type === 'tool-call')
  const reasoning = content.filter((part) => part.type === 'reasoning')
  if (reasoning.some((part) => part.signature !== undefined || part.redacted !== undefined)) {
    warnings.push({ field: `${path}.thinking`, message: 'signatures and encrypted thinking have no place here' })
  }
  return withoutUndefined({
    role: 'assistant',
    content: textOf(content, 'text') ?? null,
    reasoning_content: textOf(content, 'reasoning') || undefined,
    refusal: textOf(content, 'refusal') ?? null,
    tool_calls: calls.length > 0 ? calls.map(renderCall) : undefined,
  })
}

function textOf(content: readonly AssistantPart[], type: 'text' | 'reasoning' | 'refusal'): string | undefined {
  const texts = content.flatMap((part) => (part.type !== 'tool-call' && part.type === type ? [part.text] : []))
  return texts.length === 0 ? undefined : texts.join('')
}

function renderCall(call: ToolCallPart): JsonObject {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments || '{}' } }
}

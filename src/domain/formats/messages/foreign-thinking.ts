/** Turns of another vendor's model in the history of a client of this format, made fit for this vendor. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** What to change in the document; nothing where the history is the vendor's own. */
export function patchThinking(source: JsonObject, warnings: TranslationWarning[]): JsonObject {
  const messages = signedMessages(source, warnings)
  const isBudget = asObject(source.thinking)?.type === 'enabled'
  const goesOn = isBudget && goesOnUnthought(messages ?? asArray(source.messages))
  if (goesOn) warnings.push({ field: 'thinking', message: 'a turn that has begun without thinking stays so' })
  return { ...(messages === undefined ? {} : { messages }), ...(goesOn ? { thinking: undefined } : {}) }
}

/**
 * Whether the conversation ends with the result of a tool in a turn without thinking: with a budget the vendor demands
 * that such a turn has begun with its own.
 */
function goesOnUnthought(messages: readonly JsonValue[]): boolean {
  if (!holds(messages.at(-1), 'tool_result')) return false
  const start = messages.findLastIndex(
    (message) => asObject(message)?.role === 'user' && !holds(message, 'tool_result'),
  )
  return !messages.slice(start + 1).some((message) => holds(message, 'thinking') || holds(message, 'redacted_thinking'))
}

function holds(message: JsonValue | undefined, type: string): boolean {
  return asArray(asObject(message)?.content).some((block) => asObject(block)?.type === type)
}

/**
 * Leaves out thinking with an empty signature: it is that of another vendor's model, shown to the client in an earlier
 * turn that went elsewhere, and this vendor refuses what it has not signed. (Other servers of this format sign nothing.)
 */
function signedMessages(source: JsonObject, warnings: TranslationWarning[]): JsonValue[] | undefined {
  if (!asArray(source.messages).some(hasUnsigned)) return undefined
  return asArray(source.messages).flatMap((message, index): JsonValue[] => {
    if (!isJsonObject(message) || !hasUnsigned(message)) return [message]
    warnings.push({ field: `messages[${index}].thinking`, message: 'thinking without a signature was left out' })
    const content = asArray(message.content).filter((block) => !isUnsigned(block))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

function hasUnsigned(message: JsonValue): boolean {
  return asArray(asObject(message)?.content).some(isUnsigned)
}

function isUnsigned(block: JsonValue): boolean {
  return isJsonObject(block) && block.type === 'thinking' && !block.signature
}

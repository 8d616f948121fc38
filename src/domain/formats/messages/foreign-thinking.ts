/** Turns of another vendor's model in the history of a client of this format, made fit for this vendor. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** What to change in the document; nothing where the history is the vendor's own, and it takes that. */
export function patchThinking(source: JsonObject, keepsOwn: boolean, warnings: TranslationWarning[]): JsonObject {
  const messages = keepsOwn
    ? withoutBlocks(source, isUnsigned, 'thinking without a signature was left out', warnings)
    : withoutBlocks(source, isThinking, 'the vendor refuses it behind what has changed; it was left out', warnings)
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

/** The conversation without such blocks of the model's; undefined where it holds none. */
function withoutBlocks(
  source: JsonObject,
  isLeftOut: (block: JsonValue) => boolean,
  reason: string,
  warnings: TranslationWarning[],
): JsonValue[] | undefined {
  const list = asArray(source.messages)
  const holdsSome = (message: JsonValue) => asArray(asObject(message)?.content).some(isLeftOut)
  if (!list.some(holdsSome)) return undefined
  return list.flatMap((message, index): JsonValue[] => {
    if (!isJsonObject(message) || !holdsSome(message)) return [message]
    warnings.push({ field: `messages[${index}].thinking`, message: reason })
    const content = asArray(message.content).filter((block) => !isLeftOut(block))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/**
 * Thinking with an empty signature is that of another vendor's model, shown to the client in an earlier turn that went elsewhere,
 * and this vendor refuses what it has not signed. (Other servers of this format sign nothing.)
 */
function isUnsigned(block: JsonValue): boolean {
  return isJsonObject(block) && block.type === 'thinking' && !block.signature
}

function isThinking(block: JsonValue): boolean {
  return isJsonObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking')
}

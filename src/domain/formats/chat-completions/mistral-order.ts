/**
 * The order of messages as Mistral's API takes them: no system behind the model's or a tool's, no user right behind a tool's, and
 * the end is a user's, a tool's, or a prefix of the model's that its client has called one.
 * @see https://github.com/mistralai/mistral-common (protocol/instruct/validator.py)
 */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../json.ts'
import { GO_ON } from '../silent-turn.ts'

/** Said by the model between a tool's result and what the user says behind it. */
const BRIDGE: JsonObject = { role: 'assistant', content: 'OK.' }

/** Behind the model's last word: as the `prefix` that Mistral has for it, that would stand in the answer again. */
const LAST_TURN: JsonObject = { role: 'user', content: GO_ON }

/** The messages in an order that is taken. Adds to `warnings` what means less now. */
export function inItsOrder(messages: readonly JsonValue[], warnings: TranslationWarning[]): JsonValue[] {
  const list: JsonValue[] = []
  const last = messages.findLastIndex((value) => !isEmpty(asObject(value)))
  let previous: JsonValue | undefined
  for (const [index, value] of messages.entries()) {
    const isLast = index === last
    const message = asObject(value)
    if (isEmpty(message)) continue
    const isLate = message?.role === 'system' && (isLast || previous === 'assistant' || previous === 'tool')
    const field = `messages[${index}]`
    if (isLate) warnings.push({ field, message: "Mistral refuses an instruction there; it was sent as the user's" })
    const role = isLate ? 'user' : message?.role
    if (previous === 'tool' && role === 'user') {
      list.push(BRIDGE)
      warnings.push({
        field,
        message: "Mistral refuses a user right behind a tool; an OK of the model's was put before it",
      })
    }
    list.push(message !== undefined && isLate ? { ...message, role } : value)
    if (isLast && isAnswer(message)) {
      list.push(LAST_TURN)
      warnings.push({
        field,
        message: 'Mistral would say it again in its answer; a turn that asks to go on was put behind it',
      })
    }
    previous = role
  }
  return list
}

/** A turn of the model's that says and calls nothing is refused. */
function isEmpty(message: JsonObject | undefined): boolean {
  if (message?.role !== 'assistant' || asArray(message.tool_calls).length > 0) return false
  const { content } = message
  return content === undefined || content === null || content === '' || (Array.isArray(content) && content.length === 0)
}

/** Not one that the client itself calls a prefix, nor calls that wait for results. */
function isAnswer(message: JsonObject | undefined): boolean {
  return message?.role === 'assistant' && message.prefix !== true && asArray(message.tool_calls).length === 0
}

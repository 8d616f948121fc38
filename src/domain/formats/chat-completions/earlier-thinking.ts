/**
 * The thinking of earlier turns, for which the vendor has no field: most servers ignore one or refuse it. DeepSeek's models
 * that call tools while they think demand theirs back: without it the next request of the turn is a 400.
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 */
import type { Message, ReasoningPart } from '../../completion/request.ts'
import { asObject, asString, type JsonValue } from '../../json.ts'
import { readReasoning } from './answer-content.ts'

/** An empty text is refused as a missing one. */
const NO_THINKING = ' '

const DEEPSEEK = /(?:^|[/:~])deepseek/i
/** Before V3.2 they either think or call tools. Volcengine writes `v3-2` for it, and dates behind `v3-`. */
const OLDER = /deepseek-(?:coder|llm|math|moe|vl|v2|r1|v3(?![.-][2-9](?!\d)))/i

/** Whether the model's messages need their thinking: only a conversation with calls is refused without. */
export function demandsThinking(model: string, messages: readonly Message[]): boolean {
  if (!DEEPSEEK.test(model) || OLDER.test(model)) return false
  return messages.some(({ role, content }) => role === 'assistant' && content.some(({ type }) => type === 'tool-call'))
}

/** The messages of a client of this format, each of the model's with its thinking. */
export function withThinking(messages: readonly JsonValue[]): JsonValue[] {
  return messages.map((value) => {
    const message = asObject(value)
    if (message?.role !== 'assistant' || asString(message.reasoning_content)) return value
    return { ...message, reasoning_content: readReasoning(message) || NO_THINKING }
  })
}

/** The field for one message: of a turn without thinking, another vendor's maybe, it holds a space. */
export function renderThinking(parts: readonly ReasoningPart[]): { readonly reasoning_content: string } {
  return { reasoning_content: parts.map(({ text }) => text).join('') || NO_THINKING }
}

/** The shapes in which compatible servers put text and reasoning, in a message and in a stream's delta alike. */
import { asArray, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** Fields that hold reasoning: DeepSeek, vLLM, xAI, Moonshot; Groq, OpenRouter, newer vLLM. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

/** The reasoning of a message or delta; a server that fills both fields says the same in both. */
export function readReasoning(holder: JsonObject): string {
  for (const field of REASONING_FIELDS) {
    const text = asString(holder[field])
    if (text) return text
  }
  return ''
}

/** Content as a string, or as parts of text and thinking (Mistral). */
export function readContent(content: JsonValue | undefined): { text: string; thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' }
  const parts = asArray(content).filter(isJsonObject)
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? asArray(part.thinking) : []))
  return { text: textOf(parts), thinking: textOf(thoughts) }
}

function textOf(parts: readonly JsonValue[]): string {
  return parts.map((part) => asString(asObject(part)?.text) ?? '').join('')
}

/**
 * Chat-completions in, chat-completions out: events pass as they came. Only usage, which the gateway always asks for,
 * is taken out for a client that did not: the chunk that tells it, and the `"usage": null` that the vendor then puts in
 * every other one (cut out of the text, which costs a tenth of writing the chunk anew). The end mark is added where a
 * server leaves it out after a complete answer: some clients wait for it.
 */
import { parseJson } from '../../json-parse.ts'
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import type { RenderContext, SseEvent, StreamRelay } from '../format.ts'
import { DONE, isDone } from './stream-decoder.ts'

/** As the vendor writes it: after it come texts and the end of the chunk, so that it is a field of the chunk itself. */
const USAGE_AT_END = /^"usage"\s*:\s*null((?:\s*,\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|null|\d+))*\s*\}\s*)$/
const USAGE_OBJECT = /"usage"\s*:\s*\{/

/** The relay for one response. */
export function createStreamRelay(context: RenderContext): StreamRelay {
  const passed = context.request.streamUsage ? (event: SseEvent) => [event] : hideUsage
  let hasEnded = false
  return {
    push(event) {
      // What came after the end mark was not seen by any guardrail, nor counted.
      if (hasEnded) return []
      hasEnded = isDone(event)
      return passed(event)
    },
    end: () => (hasEnded ? [] : [{ data: DONE }]),
  }
}

function hideUsage(event: SseEvent): SseEvent[] {
  // Inside a text the quotes would be escaped, so this finds fields only.
  if (!event.data.includes('"usage"')) return [event]
  if (!USAGE_OBJECT.test(event.data)) return [{ ...event, data: withoutNull(event.data) }]
  const chunk = parseObject(event.data)
  if (chunk === undefined) return [event]
  if (isJsonObject(chunk.usage) && asArray(chunk.choices).length === 0) return []
  return [{ ...event, data: JSON.stringify(withoutUsage(chunk)) }]
}

/** Without the `"usage": null` of the chunk or of a choice: one deeper inside may belong to a call's arguments. */
function withoutNull(data: string): string {
  const at = data.lastIndexOf('"usage"')
  const before = data.slice(0, at).trimEnd()
  const after = USAGE_AT_END.exec(data.slice(at))?.[1]
  if (after !== undefined && before.endsWith(',')) return before.slice(0, -1) + after
  const chunk = parseObject(data)
  return chunk !== undefined && hasNull(chunk) ? JSON.stringify(withoutUsage(chunk)) : data
}

function hasNull({ usage, choices }: JsonObject): boolean {
  return usage === null || asArray(choices).some((choice) => asObject(choice)?.usage === null)
}

function parseObject(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

/** Takes it out of all three places that the decoder reads it from. */
function withoutUsage(chunk: JsonObject): JsonObject {
  delete chunk.usage
  if (isJsonObject(chunk.x_groq)) delete chunk.x_groq.usage
  for (const choice of asArray(chunk.choices)) if (isJsonObject(choice)) delete choice.usage
  return chunk
}

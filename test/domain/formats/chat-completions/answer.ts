/** What a client has in hand at the end of a stream, put together from parts. */
import type { StreamPart } from '../../../../src/domain/completion/stream-part.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { SseEvent } from '../../../../src/domain/formats/format.ts'

export interface Answer {
  readonly text: Map<number, string>
  readonly reasoning: Map<number, string>
  readonly refusal: Map<number, string>
  readonly tools: { id: string; name: string; arguments: string }[]
  readonly finish: Map<number, string>
  readonly tokens: readonly number[]
  readonly failed: boolean
}

export function partsOf(events: readonly SseEvent[]): StreamPart[] {
  const decoder = chatCompletions.createStreamDecoder()
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
}

export function answerOf(parts: readonly StreamPart[]): Answer {
  const answer = { text: new Map(), reasoning: new Map(), refusal: new Map(), finish: new Map(), failed: false }
  const tools = new Map<string, Answer['tools'][number]>()
  let tokens: readonly number[] = []
  const add = (texts: Map<number, string>, choice: number, delta: string) =>
    texts.set(choice, (texts.get(choice) ?? '') + delta)
  for (const part of parts) {
    if (part.type === 'text-delta') add(answer.text, part.choice, part.delta)
    if (part.type === 'reasoning-delta') add(answer.reasoning, part.choice, part.delta)
    if (part.type === 'refusal-delta') add(answer.refusal, part.choice, part.delta)
    if (part.type === 'tool-input-start')
      tools.set(part.id, { id: part.toolCallId, name: part.toolName, arguments: '' })
    const tool = 'id' in part ? tools.get(part.id) : undefined
    if (part.type === 'tool-input-delta' && tool !== undefined) tool.arguments += part.delta
    if (part.type === 'finish') answer.finish.set(part.choice, part.finish.reason)
    if (part.type === 'error') answer.failed = true
    if (part.type === 'usage') {
      const { input, cachedInput, cacheWrite, output, reasoning } = part.usage
      tokens = [input, cachedInput, cacheWrite, output, reasoning]
    }
  }
  return { ...answer, tools: [...tools.values()], tokens }
}

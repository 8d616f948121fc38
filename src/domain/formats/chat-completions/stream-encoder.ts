/** Neutral parts -> a chat-completions stream as the vendor sends it. */
import type { TranslationWarning } from '../../completion/request.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import type { Usage } from '../../completion/result.ts'
import type { JsonObject } from '../../json.ts'
import type { RenderContext, SseEvent, StreamEncoder } from '../format.ts'
import { noteLoss } from '../stream-loss.ts'
import { finishFor, ONE_CALL_ONLY, readsLegacyCall } from './legacy-call.ts'
import { DONE } from './stream-decoder.ts'
import { renderUsage } from './usage.ts'

export class ChatStreamEncoder implements StreamEncoder {
  readonly warnings: TranslationWarning[] = []
  readonly #context: RenderContext
  readonly #openChoices = new Set<number>()
  readonly #toolCounts = new Map<number, number>()
  /** By block, the index of its call. */
  readonly #tools = new Map<string, number>()
  readonly #isLegacy: boolean
  #envelope: JsonObject
  #usage: Usage | undefined
  #failed = false

  constructor(context: RenderContext) {
    this.#context = context
    this.#isLegacy = readsLegacyCall(context.request)
    this.#envelope = envelopeOf(context, '', '', undefined)
  }

  push(part: StreamPart): SseEvent[] {
    if (this.#failed) return []
    switch (part.type) {
      case 'response-start':
        this.#envelope = envelopeOf(this.#context, part.id, part.model, part.created)
        return []
      case 'text-delta':
        return this.#delta(part.choice, { content: part.delta })
      case 'reasoning-delta':
        return this.#delta(part.choice, { reasoning_content: part.delta })
      case 'refusal-delta':
        return this.#delta(part.choice, { refusal: part.delta })
      case 'tool-input-start':
        return this.#startTool(part)
      case 'tool-input-delta':
        return this.#toolDelta(part.choice, part.id, part.delta)
      case 'tool-input-end':
        this.#tools.delete(part.id)
        return []
      case 'finish':
        return [...this.#role(part.choice, ''), this.#chunk(part.choice, {}, finishFor(part.finish, this.#isLegacy))]
      case 'usage':
        this.#usage = part.usage
        return []
      case 'error':
        return this.#fail(part.message, part.code)
      case 'reasoning-start':
        return this.#warnOf(part.redacted, 'encrypted thinking')
      case 'reasoning-end':
        return this.#warnOf(part.signature, "the thinking's signature")
      case 'unknown':
        return this.#warnOf(part.name, `the event ${part.name}`)
      case 'text-start':
      case 'text-end':
      case 'ping':
        return []
    }
  }

  end(): SseEvent[] {
    if (this.#failed) return []
    const done = { data: DONE }
    if (!this.#context.request.streamUsage || this.#usage === undefined) return [done]
    return [eventOf({ ...this.#envelope, choices: [], usage: renderUsage(this.#usage) }), done]
  }

  #startTool(part: Extract<StreamPart, { type: 'tool-input-start' }>): SseEvent[] {
    const index = this.#toolCounts.get(part.choice) ?? 0
    this.#toolCounts.set(part.choice, index + 1)
    if (this.#isLegacy && index > 0) {
      noteLoss(this.warnings, 'stream', ONE_CALL_ONLY)
      return []
    }
    this.#tools.set(part.id, index)
    const called = { name: part.toolName, arguments: '' }
    if (this.#isLegacy) return this.#delta(part.choice, { function_call: called })
    return this.#delta(part.choice, {
      tool_calls: [{ index, id: part.toolCallId, type: 'function', function: called }],
    })
  }

  #toolDelta(choice: number, id: string, delta: string): SseEvent[] {
    const index = this.#tools.get(id)
    if (index === undefined || delta === '') return []
    if (this.#isLegacy) return this.#delta(choice, { function_call: { arguments: delta } })
    return this.#delta(choice, { tool_calls: [{ index, function: { arguments: delta } }] })
  }

  #delta(choice: number, delta: JsonObject): SseEvent[] {
    const isCall = delta.tool_calls !== undefined || delta.function_call !== undefined
    return [...this.#role(choice, isCall ? null : ''), this.#chunk(choice, delta, null)]
  }

  /** The first chunk of a choice carries the role; content is null there where the choice begins with a tool call. */
  #role(choice: number, content: '' | null): SseEvent[] {
    if (this.#openChoices.has(choice)) return []
    this.#openChoices.add(choice)
    return [this.#chunk(choice, { role: 'assistant', content }, null)]
  }

  #chunk(index: number, delta: JsonObject, finishReason: string | null): SseEvent {
    const choices = [{ index, delta, logprobs: null, finish_reason: finishReason }]
    // Where usage was asked for, the vendor says null in every chunk before the last.
    const usage = this.#context.request.streamUsage ? { usage: null } : {}
    return eventOf({ ...this.#envelope, choices, ...usage })
  }

  #fail(message: string, code: string | undefined): SseEvent[] {
    this.#failed = true
    return [eventOf({ error: { message, type: 'api_error', param: null, code: code ?? null } })]
  }

  /** Notes what has no place in this format, where there is any. */
  #warnOf(lost: string | undefined, what: string): SseEvent[] {
    if (lost !== undefined) noteLoss(this.warnings, 'stream', `chat-completions streams cannot carry ${what}`)
    return []
  }
}

function envelopeOf(context: RenderContext, id: string, model: string, created: number | undefined): JsonObject {
  return {
    id: id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion.chunk',
    created: created ?? context.nowSeconds,
    model: model || context.model,
  }
}

function eventOf(document: JsonObject): SseEvent {
  return { data: JSON.stringify(document) }
}

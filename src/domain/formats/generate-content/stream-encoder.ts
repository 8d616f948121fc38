/**
 * Neutral parts -> a generate-content stream as the vendor sends it: text piece by piece, function calls whole, and a last
 * event with every candidate's finish reason and the usage, which other formats may send after the finish. No event is
 * without a candidate and a part: the SDKs take such a one for an invalid answer and forget the turn.
 */
import type { TranslationWarning } from '../../completion/request.ts'
import type { Finish, Usage } from '../../completion/result.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import type { JsonObject } from '../../json.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { withoutUndefined } from '../fields.ts'
import type { RenderContext, SseEvent, StreamEncoder } from '../format.ts'
import { InnerJson } from '../inner-json.ts'
import { MAX_EVENT_CHARACTERS } from '../sse.ts'
import { noteLoss } from '../stream-loss.ts'
import { renderFinish } from './finish.ts'
import { CALL_CUT_OFF, FOREIGN_SIGNATURE } from './result.ts'
import { argumentsOf } from './tool-arguments.ts'
import { renderUsage } from './usage.ts'

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly signature: string | undefined
  readonly pieces: string[]
}

export class GenerateContentStreamEncoder implements StreamEncoder {
  readonly warnings: TranslationWarning[] = []
  readonly #context: RenderContext
  readonly #calls = new Map<string, OpenCall>()
  /** Characters of arguments that wait for their call's end. */
  #waiting = 0
  readonly #finishes = new Map<number, Finish>()
  #envelope: JsonObject
  #usage: Usage | undefined
  #failed = false

  constructor(context: RenderContext) {
    this.#context = context
    this.#envelope = envelopeOf(context, '', '')
  }

  push(part: StreamPart): SseEvent[] {
    if (this.#failed) return []
    switch (part.type) {
      case 'response-start':
        this.#envelope = envelopeOf(this.#context, part.id, part.model)
        return []
      case 'text-delta':
      case 'refusal-delta':
        return part.delta === '' ? [] : this.#chunk(part.choice, { text: part.delta })
      case 'reasoning-delta':
        return part.delta === '' ? [] : this.#chunk(part.choice, { text: part.delta, thought: true })
      case 'reasoning-start':
        return this.#warnOf(part.redacted, 'encrypted thinking')
      case 'reasoning-end':
        return this.#endThought(part.choice, this.#signature(part.signature))
      case 'tool-input-start':
        return this.#startCall(part)
      case 'tool-input-delta':
        return this.#addArguments(part.id, part.delta)
      case 'tool-input-end':
        return this.#endCall(part.choice, part.id)
      case 'finish':
        this.#finishes.set(part.choice, part.finish)
        return []
      case 'usage':
        this.#usage = part.usage
        return []
      case 'error':
        return this.#fail(part.message, part.code)
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
    const candidates = [...this.#finishes]
      .toSorted(([a], [b]) => a - b)
      .map(([index, finish]) => ({ ...candidateOf(index, { text: '' }), finishReason: renderFinish(finish) }))
    if (candidates.length === 0) return []
    const usageMetadata = this.#usage && renderUsage(this.#usage)
    return [eventOf(withoutUndefined({ candidates, usageMetadata, ...this.#envelope }))]
  }

  #startCall(part: Extract<StreamPart, { type: 'tool-input-start' }>): SseEvent[] {
    const signature = this.#signature(part.signature)
    this.#calls.set(part.id, { id: part.toolCallId, name: part.toolName, signature, pieces: [] })
    return []
  }

  /** @throws {UpstreamFormatError} where more waits than one event may hold. */
  #addArguments(id: string, delta: string): SseEvent[] {
    const call = this.#calls.get(id)
    if (call === undefined) return []
    call.pieces.push(delta)
    this.#waiting += delta.length
    if (this.#waiting > MAX_EVENT_CHARACTERS) throw new UpstreamFormatError('The arguments of a call are too long.')
    return []
  }

  #endThought(choice: number, signature: string | undefined): SseEvent[] {
    return signature === undefined ? [] : this.#chunk(choice, { text: '', thought: true, thoughtSignature: signature })
  }

  #signature(given: string | undefined): string | undefined {
    if (this.#context.answeredIn === 'generate-content') return given
    this.#warnOf(given, FOREIGN_SIGNATURE)
    return undefined
  }

  #endCall(choice: number, id: string): SseEvent[] {
    const call = this.#calls.get(id)
    if (call === undefined) return []
    this.#calls.delete(id)
    const text = call.pieces.join('')
    this.#waiting -= text.length
    if (text === '') return this.#warnOf(text, CALL_CUT_OFF)
    const { args, lost } = argumentsOf(text, new InnerJson())
    this.#warnOf(lost, lost ?? '')
    const functionCall = { id: call.id, name: call.name, args }
    return this.#chunk(choice, withoutUndefined({ functionCall, thoughtSignature: call.signature }))
  }

  #chunk(choice: number, part: JsonObject): SseEvent[] {
    return [eventOf({ candidates: [candidateOf(choice, part)], ...this.#envelope })]
  }

  #fail(message: string, code: string | undefined): SseEvent[] {
    this.#failed = true
    const reason = code === undefined ? {} : { details: [{ reason: code }] }
    return [eventOf({ error: { code: 502, message, status: 'UNAVAILABLE', ...reason } })]
  }

  /** Notes what has no place in this format, where there is any. */
  #warnOf(lost: string | undefined, what: string): SseEvent[] {
    if (lost !== undefined) noteLoss(this.warnings, 'stream', `in a generate-content stream: ${what}`)
    return []
  }
}

function candidateOf(index: number, part: JsonObject): JsonObject {
  return { index, content: { role: 'model', parts: [part] } }
}

function envelopeOf(context: RenderContext, id: string, model: string): JsonObject {
  return { modelVersion: model || context.model, responseId: id || context.requestId }
}

function eventOf(document: JsonObject): SseEvent {
  return { data: JSON.stringify(document) }
}

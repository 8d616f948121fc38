/** Writes blocks that follow one another as events, with contiguous indices. */
import type { StreamPart } from '../../completion/stream-part.ts'
import type { JsonObject } from '../../json.ts'
import type { SseEvent } from '../format.ts'
import { eventOf } from './stream-event.ts'

/** Parts that belong to a block; `close` ends whichever is open. */
export type BlockPart =
  | Extract<StreamPart, { id: string; choice: number } | { type: 'refusal-delta' }>
  | { readonly type: 'close' }

interface LiveBlock {
  readonly type: 'text' | 'thinking' | 'tool'
  hasInput: boolean
}

export class BlockWriter {
  #index = -1
  #live: LiveBlock | undefined

  push(part: BlockPart): SseEvent[] {
    switch (part.type) {
      case 'text-start':
        return this.#stop()
      case 'text-delta':
      case 'refusal-delta':
        return this.#text(part.delta)
      case 'reasoning-start':
        return part.redacted === undefined ? this.#stop() : this.#redacted(part.redacted)
      case 'reasoning-delta':
        return this.#thinking(part.delta)
      case 'reasoning-end':
        return this.#endThinking(part.signature)
      case 'tool-input-start':
        return this.#start('tool', { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: {} })
      case 'tool-input-delta':
        return this.#input(part.delta)
      case 'text-end':
      case 'tool-input-end':
      case 'close':
        return this.#stop()
    }
  }

  #text(text: string): SseEvent[] {
    if (text === '') return []
    const start = this.#live?.type === 'text' ? [] : this.#start('text', { type: 'text', text: '' })
    return [...start, this.#delta({ type: 'text_delta', text })]
  }

  #thinking(thinking: string): SseEvent[] {
    return thinking === '' ? [] : [...this.#openThinking(), this.#delta({ type: 'thinking_delta', thinking })]
  }

  #openThinking(): SseEvent[] {
    if (this.#live?.type === 'thinking') return []
    return this.#start('thinking', { type: 'thinking', thinking: '', signature: '' })
  }

  /** Thinking without text may still be signed. Thinking of a vendor that signs nothing gets an empty signature. */
  #endThinking(signature: string | undefined): SseEvent[] {
    const start = signature === undefined ? [] : this.#openThinking()
    return [...start, ...this.#stop(signature)]
  }

  #redacted(data: string): SseEvent[] {
    return [...this.#start('text', { type: 'redacted_thinking', data }), ...this.#stop()]
  }

  #input(partialJson: string): SseEvent[] {
    if (partialJson === '' || this.#live?.type !== 'tool') return []
    this.#live.hasInput = true
    return [this.#delta({ type: 'input_json_delta', partial_json: partialJson })]
  }

  #start(type: LiveBlock['type'], block: JsonObject): SseEvent[] {
    const before = this.#stop()
    this.#index += 1
    this.#live = { type, hasInput: false }
    return [...before, eventOf('content_block_start', { index: this.#index, content_block: block })]
  }

  #stop(signature = ''): SseEvent[] {
    const live = this.#live
    if (live === undefined) return []
    const last: SseEvent[] = []
    if (live.type === 'thinking') last.push(this.#delta({ type: 'signature_delta', signature }))
    // A call that was cut off before its input: the vendor's have a piece all the same.
    if (live.type === 'tool' && !live.hasInput) last.push(this.#delta({ type: 'input_json_delta', partial_json: '' }))
    this.#live = undefined
    return [...last, eventOf('content_block_stop', { index: this.#index })]
  }

  #delta(delta: JsonObject): SseEvent {
    return eventOf('content_block_delta', { index: this.#index, delta })
  }
}

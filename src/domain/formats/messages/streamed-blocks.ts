/** The content blocks of one stream, from the provider's events to neutral parts. */
import { NO_ARGUMENTS } from '../../completion/request.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import { asString, type JsonObject } from '../../json.ts'
import { BlockSequence } from './block-sequence.ts'
import { argumentsOf } from './result.ts'

interface OpenBlock {
  readonly id: string
  readonly type: 'text' | 'reasoning' | 'tool'
  signature: string
  /** Input that came whole in the start: sent at the end unless it comes again in pieces. */
  input: string
  hasPieces: boolean
}

export class StreamedBlocks {
  readonly #responseId: string
  readonly #sequence = new BlockSequence<StreamPart>()
  readonly #open = new Map<number, OpenBlock>()
  /** A call that has ended without input: what comes next tells whether it is one, or the answer was cut off with it. */
  #unbegun: string | undefined
  #serial = 0
  #toolCalls = 0

  constructor(responseId: string) {
    this.#responseId = responseId
  }

  get hasToolCalls(): boolean {
    return this.#toolCalls > 0
  }

  /** Blocks that wait for their turn, or what the open one says at its end. */
  get holdsBack(): boolean {
    if (this.#sequence.hasWaiting) return true
    const [open] = this.#open.values()
    return open !== undefined && (open.signature !== '' || open.input !== '')
  }

  /** A block begins; one that is open under its index ends by it. `event` is kept where the block is unknown. */
  start(index: number, block: JsonObject, event: JsonObject): StreamPart[] {
    const before = this.stop(index)
    switch (block.type) {
      case 'text':
        return [...before, ...this.#openBlock(index, 'text'), ...this.#text(index, 'text', asString(block.text))]
      case 'thinking':
        return [...before, ...this.#startThinking(index, block)]
      case 'redacted_thinking':
        return [...before, ...this.#openBlock(index, 'reasoning', asString(block.data) ?? '')]
      case 'tool_use':
        return [...before, ...this.#startTool(index, block)]
      default:
        return [
          ...before,
          { type: 'unknown', choice: 0, name: asString(block.type) ?? 'content_block_start', raw: event },
        ]
    }
  }

  delta(index: number, delta: JsonObject, event: JsonObject): StreamPart[] {
    switch (delta.type) {
      case 'text_delta':
        return this.#text(index, 'text', asString(delta.text))
      case 'thinking_delta':
        return this.#text(index, 'reasoning', asString(delta.thinking))
      case 'input_json_delta':
        return this.#toolDelta(index, asString(delta.partial_json))
      case 'signature_delta': {
        const block = this.#open.get(index)
        if (block !== undefined) block.signature += asString(delta.signature) ?? ''
        return []
      }
      default:
        return [{ type: 'unknown', choice: 0, name: asString(delta.type) ?? 'content_block_delta', raw: event }]
    }
  }

  stop(index: number): StreamPart[] {
    const before = this.#endUnbegun(NO_ARGUMENTS)
    const block = this.#open.get(index)
    this.#open.delete(index)
    return block === undefined ? before : [...before, ...this.#close(block)]
  }

  #close({ type, id, signature, input, hasPieces }: OpenBlock): StreamPart[] {
    const choice = 0
    switch (type) {
      case 'tool':
        if (input !== '' || hasPieces) return this.#endCall(id, input)
        this.#unbegun = id
        return []
      case 'text':
        return this.#sequence.close(id, { type: 'text-end', choice, id })
      case 'reasoning':
        return this.#sequence.close(id, {
          type: 'reasoning-end',
          choice,
          id,
          ...(signature === '' ? {} : { signature }),
        })
    }
  }

  /** Nothing more comes. @param isCut the last block may not be whole */
  stopAll(isCut: boolean): StreamPart[] {
    const last = [...this.#open.keys()].flatMap((index) => this.stop(index))
    return [...last, ...this.#endUnbegun(isCut ? '' : NO_ARGUMENTS)]
  }

  #endUnbegun(input: string): StreamPart[] {
    const id = this.#unbegun
    this.#unbegun = undefined
    return id === undefined ? [] : this.#endCall(id, input)
  }

  #endCall(id: string, input: string): StreamPart[] {
    const choice = 0
    const whole = input === '' ? [] : this.#sequence.push(id, { type: 'tool-input-delta', choice, id, delta: input })
    return [...whole, ...this.#sequence.close(id, { type: 'tool-input-end', choice, id })]
  }

  #openBlock(index: number, type: 'text' | 'reasoning', redacted?: string): StreamPart[] {
    const id = this.#add(index, type)
    const start: StreamPart =
      type === 'text'
        ? { type: 'text-start', choice: 0, id }
        : { type: 'reasoning-start', choice: 0, id, ...(redacted === undefined ? {} : { redacted }) }
    return this.#sequence.push(id, start)
  }

  #startThinking(index: number, block: JsonObject): StreamPart[] {
    const parts = this.#openBlock(index, 'reasoning')
    const open = this.#open.get(index)
    if (open !== undefined) open.signature = asString(block.signature) ?? ''
    return [...parts, ...this.#text(index, 'reasoning', asString(block.thinking))]
  }

  #startTool(index: number, block: JsonObject): StreamPart[] {
    const id = this.#add(index, 'tool')
    const open = this.#open.get(index)
    const input = argumentsOf(block.input)
    if (open !== undefined) open.input = input === NO_ARGUMENTS ? '' : input
    this.#toolCalls += 1
    const toolCallId = asString(block.id) || `toolu_${this.#responseId}_${id}`
    const toolName = asString(block.name) ?? ''
    return this.#sequence.push(id, { type: 'tool-input-start', choice: 0, id, toolCallId, toolName })
  }

  #add(index: number, type: OpenBlock['type']): string {
    const id = `0-${this.#serial++}`
    this.#open.set(index, { id, type, signature: '', input: '', hasPieces: false })
    this.#sequence.open(id)
    return id
  }

  /** A delta without a start, or of another kind than its block, begins a block of its own. */
  #text(index: number, type: 'text' | 'reasoning', delta: string | undefined): StreamPart[] {
    if (!delta) return []
    const known = this.#open.get(index)
    const before = known?.type === type ? [] : [...this.stop(index), ...this.#openBlock(index, type)]
    const id = this.#open.get(index)?.id ?? ''
    return [...before, ...this.#sequence.push(id, { type: `${type}-delta`, choice: 0, id, delta })]
  }

  #toolDelta(index: number, delta: string | undefined): StreamPart[] {
    const block = this.#open.get(index)
    if (!delta || block?.type !== 'tool') return [] // pieces for a vendor's own tool
    block.input = ''
    block.hasPieces = true
    return this.#sequence.push(block.id, { type: 'tool-input-delta', choice: 0, id: block.id, delta })
  }
}

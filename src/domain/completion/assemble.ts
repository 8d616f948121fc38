/**
 * From parts to a whole result and back: a stream that must be judged whole (forced JSON), stored (cache) or answered to
 * a client that did not ask for a stream, and a whole answer that must be sent as a stream.
 */
import { GrowingText } from './growing-text.ts'
import type { Choice, CompletionResult, Finish, Usage } from './result.ts'
import type { AssistantPart, ProviderFormatName } from './request.ts'
import type { StreamPart } from './stream-part.ts'

/** A part and what has come of its text. */
type Block = { part: AssistantPart; readonly text: GrowingText }

interface PartialChoice {
  readonly blocks: Block[]
  finish: Finish
}

const UNFINISHED: Finish = { reason: 'other', raw: undefined }

/** Collects the parts of one stream. Memory is that of the answer. */
export class ResultAssembler {
  #id = ''
  #model = ''
  #created: number | undefined
  #usage: Usage | undefined
  readonly #choices = new Map<number, PartialChoice>()
  readonly #open = new Map<string, Block>()

  push(part: StreamPart): void {
    switch (part.type) {
      case 'response-start':
        this.#id = part.id
        this.#model = part.model
        this.#created = part.created
        return
      case 'usage':
        this.#usage = part.usage
        return
      case 'finish':
        this.#choice(part.choice).finish = part.finish
        return
      case 'text-start':
        return this.#start(part.choice, part.id, { type: 'text', text: '' })
      case 'reasoning-start':
        return this.#start(part.choice, part.id, reasoning(part.redacted))
      case 'tool-input-start':
        return this.#start(part.choice, part.id, toolCall(part))
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        this.#open.get(part.id)?.text.add(part.delta)
        return
      case 'refusal-delta':
        return this.#refusal(part.choice, part.delta)
      case 'text-end':
      case 'tool-input-end':
        this.#open.delete(part.id)
        return
      case 'reasoning-end':
        return this.#endReasoning(part.id, part.signature)
      case 'error':
      case 'ping':
      case 'unknown':
        return
      default:
        return part satisfies never
    }
  }

  /** What has been collected so far as a result, with an empty source document of `format`. */
  result(format: ProviderFormatName): CompletionResult {
    const choices = [...this.#choices].toSorted(([a], [b]) => a - b).map(([index, choice]) => whole(index, choice))
    return {
      source: { format, document: {} },
      id: this.#id,
      model: this.#model,
      ...(this.#created === undefined ? {} : { created: this.#created }),
      choices,
      usage: this.#usage,
    }
  }

  #choice(index: number): PartialChoice {
    let choice = this.#choices.get(index)
    if (choice === undefined) this.#choices.set(index, (choice = { blocks: [], finish: UNFINISHED }))
    return choice
  }

  #start(choice: number, id: string, part: AssistantPart): void {
    const block = { part, text: new GrowingText() }
    this.#choice(choice).blocks.push(block)
    this.#open.set(id, block)
  }

  #refusal(choice: number, delta: string): void {
    const blocks = this.#choice(choice).blocks
    const last = blocks.at(-1)
    if (last?.part.type === 'refusal') return last.text.add(delta)
    const text = new GrowingText()
    text.add(delta)
    blocks.push({ part: { type: 'refusal', text: '' }, text })
  }

  #endReasoning(id: string, signature: string | undefined): void {
    const block = this.#open.get(id)
    if (block?.part.type === 'reasoning' && signature !== undefined) block.part = { ...block.part, signature }
    this.#open.delete(id)
  }
}

/**
 * A whole result as the stream that would have said it. What went in is told at the beginning, as Anthropic does, whose
 * clients read it there; all of it at the end.
 */
export function* partsOf(result: CompletionResult): Generator<StreamPart> {
  const { id, model, created, usage } = result
  yield { type: 'response-start', id, model, ...(created === undefined ? {} : { created }) }
  if (usage !== undefined) yield { type: 'usage', usage: { ...usage, output: 0, reasoning: 0 } }
  let serial = 0
  for (const choice of result.choices) {
    for (const part of choice.content) yield* blockOf(choice.index, `${choice.index}-${serial++}`, part)
    yield { type: 'finish', choice: choice.index, finish: choice.finish }
  }
  if (usage !== undefined) yield { type: 'usage', usage }
}

function* blockOf(choice: number, id: string, part: AssistantPart): Generator<StreamPart> {
  switch (part.type) {
    case 'text':
      yield { type: 'text-start', choice, id }
      if (part.text !== '') yield { type: 'text-delta', choice, id, delta: part.text }
      yield { type: 'text-end', choice, id }
      return
    case 'reasoning':
      yield { type: 'reasoning-start', choice, id, ...(part.redacted === undefined ? {} : { redacted: part.redacted }) }
      if (part.text !== '') yield { type: 'reasoning-delta', choice, id, delta: part.text }
      yield {
        type: 'reasoning-end',
        choice,
        id,
        ...(part.signature === undefined ? {} : { signature: part.signature }),
      }
      return
    case 'tool-call':
      yield {
        type: 'tool-input-start',
        choice,
        id,
        toolCallId: part.id,
        toolName: part.name,
        ...(part.signature === undefined ? {} : { signature: part.signature }),
      }
      if (part.arguments !== '') yield { type: 'tool-input-delta', choice, id, delta: part.arguments }
      yield { type: 'tool-input-end', choice, id }
      return
    case 'refusal':
      yield { type: 'refusal-delta', choice, delta: part.text }
      return
    default:
      part satisfies never
  }
}

function reasoning(redacted: string | undefined): AssistantPart {
  return { type: 'reasoning', text: '', ...(redacted === undefined ? {} : { redacted }) }
}

function toolCall(part: StreamPart & { type: 'tool-input-start' }): AssistantPart {
  const { toolCallId: id, toolName: name, signature } = part
  return { type: 'tool-call', id, name, arguments: '', ...(signature === undefined ? {} : { signature }) }
}

function whole(index: number, { blocks, finish }: PartialChoice): Choice {
  return { index, content: blocks.map(filled), finish }
}

function filled({ part, text: { all: text } }: Block): AssistantPart {
  return part.type === 'tool-call' ? { ...part, arguments: text } : { ...part, text }
}

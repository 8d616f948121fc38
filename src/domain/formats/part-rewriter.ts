/**
 * Rewrites the texts of a stream in its parts, before they are written as events: for formats that say a text once more at its
 * end, where a patched event would contradict what came before.
 *
 * What the rewriter holds back of a text goes out at the text's end at the latest. A text that ends within what may be a redaction token
 * is left open: a provider that thinks between two words ends it there, and the next text goes on in it. Whatever else comes ends it.
 */
import type { StreamPart } from '../completion/stream-part.ts'
import type { StreamTextRewriter } from './format.ts'

type TextPart = Extract<StreamPart, { type: 'text-start' | 'text-delta' | 'text-end' }>
type DeltaPart = Extract<StreamPart, { delta: string }>
type Kind = Parameters<StreamTextRewriter['push']>[1]

export class PartRewriter {
  readonly #rewriter: StreamTextRewriter
  /** Of each text that has begun: a piece of it, by which what is held back is told. */
  readonly #last = new Map<string, DeltaPart>()
  /** By choice, the block of a text that was left open. */
  readonly #unfinished = new Map<number, string>()
  /** Blocks whose text goes on in another's. */
  readonly #joined = new Map<string, string>()

  constructor(rewriter: StreamTextRewriter) {
    this.#rewriter = rewriter
  }

  push(part: StreamPart): StreamPart[] {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#text(part)
      case 'reasoning-delta':
        return this.#piece(`reasoning ${part.id}`, 'text', part)
      case 'reasoning-end':
        return [...this.#flush(`reasoning ${part.id}`), part]
      case 'refusal-delta':
        return [...this.#finishText(part.choice), ...this.#piece(refusalOf(part.choice), 'text', part)]
      case 'tool-input-start':
        return [...this.#finishText(part.choice), ...this.#flush(refusalOf(part.choice)), part]
      case 'tool-input-delta':
        return this.#piece(`input ${part.id}`, 'json', part)
      case 'tool-input-end':
        return [...this.#flush(`input ${part.id}`), part]
      case 'finish':
        return [...this.#finishText(part.choice), ...this.#flush(refusalOf(part.choice)), part]
      default:
        return [part]
    }
  }

  /** The stream has ended, whole or not: what is held back. */
  end(): StreamPart[] {
    const finished = [...this.#unfinished.keys()].flatMap((choice) => this.#finishText(choice))
    return [...finished, ...[...this.#last.keys()].flatMap((channel) => this.#flush(channel))]
  }

  #text(part: TextPart): StreamPart[] {
    const id = this.#joined.get(part.id) ?? part.id
    switch (part.type) {
      case 'text-start':
        return this.#startText(part)
      case 'text-delta':
        return this.#piece(`text ${id}`, 'text', { ...part, id })
      case 'text-end':
        this.#joined.delete(part.id)
        return this.#endText({ ...part, id })
    }
  }

  #startText(part: TextPart): StreamPart[] {
    const open = this.#unfinished.get(part.choice)
    if (open === undefined) return [...this.#flush(refusalOf(part.choice)), part]
    this.#unfinished.delete(part.choice)
    this.#joined.set(part.id, open)
    return []
  }

  #endText(part: TextPart): StreamPart[] {
    const channel = `text ${part.id}`
    const held = this.#rewriter.flush(channel)
    if (held === '') {
      this.#last.delete(channel)
      return [part]
    }
    const before = this.#finishText(part.choice)
    this.#unfinished.set(part.choice, part.id)
    return [...before, ...this.#said(channel, this.#rewriter.push(channel, 'text', held))]
  }

  #finishText(choice: number): StreamPart[] {
    const id = this.#unfinished.get(choice)
    if (id === undefined) return []
    this.#unfinished.delete(choice)
    return [...this.#flush(`text ${id}`), { type: 'text-end', choice, id }]
  }

  #piece(channel: string, kind: Kind, part: DeltaPart): StreamPart[] {
    this.#last.set(channel, part)
    return this.#said(channel, this.#rewriter.push(channel, kind, part.delta))
  }

  #flush(channel: string): StreamPart[] {
    if (!this.#last.has(channel)) return []
    const said = this.#said(channel, this.#rewriter.flush(channel))
    this.#last.delete(channel)
    return said
  }

  #said(channel: string, delta: string): StreamPart[] {
    const part = this.#last.get(channel)
    return part === undefined || delta === '' ? [] : [{ ...part, delta }]
  }
}

function refusalOf(choice: number): string {
  return `refusal ${choice}`
}

/** Turns a provider's items into the client's events: relayed where the formats are equal, encoded otherwise; then restored. */
import type { TranslationWarning } from '../../../domain/completion/request.ts'
import type { GatewayError } from '../../../domain/errors.ts'
import type { StreamPart } from '../../../domain/completion/stream-part.ts'
import type {
  ClientFormat,
  Format,
  RenderContext,
  SseEvent,
  StreamEncoder,
  StreamRelay,
  StreamTextPatcher,
} from '../../../domain/formats/format.ts'
import { PartRewriter } from '../../../domain/formats/part-rewriter.ts'
import { createStreamEncoderFor } from '../../../domain/formats/registry.ts'
import { encodeSse } from '../../../domain/formats/sse.ts'
import type { StreamItem } from './item-stream.ts'
import type { Responding } from '../respond.ts'

export class EventWriter {
  readonly #format: ClientFormat
  /** Undefined where the formats differ. */
  readonly #relay: StreamRelay | undefined
  /** Absent where nothing is restored, or in the parts. */
  readonly #patcher: StreamTextPatcher | undefined
  /** Absent where nothing is restored, or in the events. */
  readonly #parts: PartRewriter | undefined
  readonly #encoder: StreamEncoder
  /** Whether the stream comes from the encoder: formats differ, or the provider's answer was no stream. */
  #isEncoding: boolean

  constructor(upstream: Format, { format, restorer }: Responding, context: RenderContext) {
    this.#format = format
    this.#relay = upstream === format ? upstream.createStreamRelay(context) : undefined
    const rewriter = restorer?.createStreamRewriter()
    this.#patcher = rewriter && format.createStreamTextPatcher?.(rewriter)
    this.#parts = rewriter && this.#patcher === undefined ? new PartRewriter(rewriter) : undefined
    this.#encoder = createStreamEncoderFor(format.name, context)
    this.#isEncoding = upstream !== format
  }

  get warnings(): readonly TranslationWarning[] {
    return this.#encoder.warnings
  }

  /** Characters of the answer that are kept for its end. */
  get heldCharacters(): number {
    return this.#encoder.heldCharacters ?? 0
  }

  /** The client's events as text; empty where the items say nothing that it sees. */
  write(items: readonly StreamItem[]): string {
    let text = ''
    for (const item of items) for (const event of this.#eventsOf(item)) text += this.#encode(event)
    return text
  }

  /** Whether the item is written by its parts: an event that is relayed goes out as one. */
  readonly mayDivide = ({ event }: StreamItem): boolean => this.#relay === undefined || event === undefined

  /** The answer is complete. */
  end(): string {
    const last = this.#isEncoding ? [...this.#heldParts(), ...this.#encoder.end()] : (this.#relay?.end?.() ?? [])
    let text = ''
    for (const event of last) text += this.#encode(event)
    return text + this.#heldBack()
  }

  /** The answer breaks off. */
  fail(error: GatewayError, requestId: string): string {
    const held = this.#heldBack()
    return held + encodeAll(this.#format.renderStreamError(error, requestId, this.#encoder.sequence ?? 0))
  }

  #eventsOf({ event, parts }: StreamItem): readonly SseEvent[] {
    if (this.#relay !== undefined && event !== undefined) return this.#relay.push(event)
    this.#isEncoding ||= parts.some(({ type }) => type === 'response-start')
    return this.#isEncoding ? parts.flatMap((part) => this.#eventsOfPart(part)) : []
  }

  #eventsOfPart(part: StreamPart): SseEvent[] {
    if (this.#parts === undefined) return this.#encoder.push(part)
    return this.#parts.push(part).flatMap((rewritten) => this.#encoder.push(rewritten))
  }

  #heldParts(): SseEvent[] {
    return this.#parts?.end().flatMap((part) => this.#encoder.push(part)) ?? []
  }

  #encode(event: SseEvent): string {
    if (this.#patcher === undefined) return encodeSse(event)
    return encodeAll(this.#patcher.push(event))
  }

  #heldBack(): string {
    return encodeAll(this.#patcher?.end() ?? this.#heldParts())
  }
}

/** Mostly one event, so the text of one is not copied. */
function encodeAll(events: readonly SseEvent[]): string {
  let text = ''
  for (const event of events) text += encodeSse(event)
  return text
}

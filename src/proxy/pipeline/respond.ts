/** Last stage: the answer in the client's format, whole or as a stream that is pulled by the client's reading. */
import { partsOf } from '../../domain/completion/assemble.ts'
import type { CompletionResult } from '../../domain/completion/result.ts'
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { StreamPart } from '../../domain/completion/stream-part.ts'
import type { TextScope } from '../../domain/completion/text-span.ts'
import { GatewayError } from '../../domain/errors.ts'
import type {
  Format,
  RenderContext,
  SseEvent,
  StreamTextPatcher,
  StreamTextRewriter,
} from '../../domain/formats/format.ts'
import { renderResultFor } from '../../domain/formats/registry.ts'
import { encodeSse } from '../../domain/formats/sse.ts'
import type { Answer, StreamAnswer, WholeAnswer } from './call-provider.ts'
import type { Outgoing, ResponseHeaders } from './exchange.ts'
import { AttemptError } from './ports.ts'
import type { StreamItem } from './provider-stream.ts'
import type { Outcome, RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import { costHeaders } from './trace.ts'

export interface Responding {
  readonly request: CompletionRequest
  /** The client's format. */
  readonly format: Format
  readonly headers: ResponseHeaders
  /** Present where masked values are restored in the answer. */
  readonly restorer: AnswerRestorer | undefined
  /** Called exactly once, when the answer has ended, however it did. */
  readonly settle: (outcome: Outcome) => Promise<void>
}

export interface AnswerRestorer {
  /** @param scope where the text stands in the answer */
  restore(text: string, scope: TextScope): string
  createStreamRewriter(): StreamTextRewriter
}

export async function respond(
  answer: Answer,
  responding: Responding,
  record: RequestRecord,
  services: Services,
): Promise<Outgoing> {
  const context = renderContext(answer, responding, record, services)
  if (answer.type === 'whole' && responding.request.stream)
    return respond(asStream(answer), responding, record, services)
  if (answer.type === 'stream') {
    const headers = {
      ...responding.headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    }
    return { type: 'stream', status: 200, headers, chunks: streamOut(answer, responding, context, record, services) }
  }
  record.usage = answer.result.usage
  if (answer.result.usage === undefined) countAnswer(answer, record)
  const body = renderWhole(answer, responding, context, record)
  await responding.settle('answered')
  const headers = { ...responding.headers, ...costHeaders(record), 'content-type': 'application/json' }
  return { type: 'whole', status: 200, headers, body }
}

function renderContext(
  answer: Answer,
  { request }: Responding,
  record: RequestRecord,
  services: Services,
): RenderContext {
  return {
    request,
    model: answer.deployment.model.name,
    nowSeconds: Math.floor(services.now() / 1_000),
    requestId: record.incoming.requestId,
    answeredIn: answer.format.name,
  }
}

/** Equal formats and nothing to restore: the provider's bytes as they are. */
function renderWhole(
  answer: WholeAnswer,
  { format, restorer }: Responding,
  context: RenderContext,
  record: RequestRecord,
): string | Uint8Array {
  if (answer.format === format && restorer === undefined) return answer.bytes
  const { document, warnings } = renderResultFor(format.name, answer.result, context)
  record.warnings.push(...warnings)
  if (restorer !== undefined) format.visitResultText(document, (span) => restorer.restore(span.text, span.scope))
  return JSON.stringify(document)
}

/** An answer that had to be known whole (forced JSON), for a client that asked for a stream. */
function asStream({ deployment, format, result }: WholeAnswer): StreamAnswer {
  return { type: 'stream', deployment, format, items: replayed(result) }
}

async function* replayed(result: CompletionResult): AsyncGenerator<StreamItem[]> {
  yield [{ parts: [...partsOf(result)] }]
}

function countAnswer(answer: WholeAnswer, record: RequestRecord): void {
  for (const choice of answer.result.choices) {
    for (const part of choice.content) record.sawAnswer(part.type === 'tool-call' ? part.arguments : part.text)
  }
}

/**
 * The stream to the client. Settles in `finally`: at the end, after a provider's failure (which becomes the format's
 * error event) and when the client has gone (the server then ends this generator).
 */
async function* streamOut(
  answer: StreamAnswer,
  responding: Responding,
  context: RenderContext,
  record: RequestRecord,
  services: Services,
): AsyncGenerator<string> {
  const writer = new EventWriter(answer.format, responding, context)
  let outcome: Outcome = 'client-gone'
  try {
    for await (const items of answer.items) {
      let text = ''
      for (const item of items) {
        const error = observe(item.parts, record, services)
        if (error !== undefined) throw error
        text += writer.write(item)
      }
      if (text !== '') yield text
    }
    const rest = writer.end()
    if (rest !== '') yield rest
    outcome = 'answered'
  } catch (error) {
    if (record.incoming.signal.aborted) return
    outcome = 'cut'
    const shown = midStreamError(error)
    record.errorCode = shown.code
    services.log.warn(
      { requestId: record.incoming.requestId, deployment: answer.deployment.id, err: error },
      'stream failed',
    )
    yield writer.fail(shown, record.incoming.requestId)
  } finally {
    record.warnings.push(...writer.warnings)
    await responding.settle(outcome)
  }
}

/** Takes from the parts what the record must know. Returns the provider's own error where one is among them. */
function observe(parts: readonly StreamPart[], record: RequestRecord, services: Services): GatewayError | undefined {
  for (const part of parts) {
    if (part.type === 'usage') record.usage = part.usage
    else if (part.type === 'error')
      return new GatewayError('upstream_format_error', 'The provider ended the stream with an error.')
    else if ('delta' in part) record.sawAnswer(part.delta)
  }
  record.firstContentAtMs ??= services.now()
  return undefined
}

function midStreamError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof AttemptError && error.kind === 'timeout') {
    return new GatewayError('upstream_timeout', 'The provider stopped sending before the answer was complete.')
  }
  if (error instanceof AttemptError) {
    return new GatewayError(
      'upstream_format_error',
      'The connection to the provider broke before the answer was complete.',
    )
  }
  return new GatewayError('internal_error', 'The stream ended because of an error inside the gateway.')
}

/** Turns items into the client's events: relayed where the formats are equal, encoded otherwise; then restored. */
class EventWriter {
  readonly #format: Format
  readonly #toEvents: (item: StreamItem) => readonly SseEvent[]
  readonly #finish: () => readonly SseEvent[]
  readonly #patcher: StreamTextPatcher | undefined
  readonly #warnings: () => Encoder['warnings']

  constructor(upstream: Format, { format, restorer }: Responding, context: RenderContext) {
    this.#format = format
    this.#patcher = restorer && format.createStreamTextPatcher(restorer.createStreamRewriter())
    const encoder = format.createStreamEncoder(context)
    this.#warnings = () => encoder.warnings
    let endRelay: () => readonly SseEvent[] = () => []
    let encoding = upstream !== format
    if (encoding) {
      this.#toEvents = (item) => item.parts.flatMap((part) => encoder.push(part))
    } else {
      const relay = format.createStreamRelay(context)
      endRelay = () => relay.end?.() ?? []
      this.#toEvents = (item) => {
        if (item.event !== undefined) return relay.push(item.event)
        encoding ||= item.parts.some((part) => part.type === 'response-start')
        return encoding ? item.parts.flatMap((part) => encoder.push(part)) : []
      }
    }
    this.#finish = () => (encoding ? encoder.end() : endRelay())
  }

  get warnings() {
    return this.#warnings()
  }

  write(item: StreamItem): string {
    return this.#encode(this.#toEvents(item))
  }

  end(): string {
    return this.#encode(this.#finish()) + (this.#patcher?.end() ?? []).map(encodeSse).join('')
  }

  fail(error: GatewayError, requestId: string): string {
    return (this.#patcher?.end() ?? []).concat(this.#format.renderStreamError(error, requestId)).map(encodeSse).join('')
  }

  #encode(events: readonly SseEvent[]): string {
    let text = ''
    for (const event of events) {
      if (this.#patcher === undefined) text += encodeSse(event)
      else for (const patched of this.#patcher.push(event)) text += encodeSse(patched)
    }
    return text
  }
}

type Encoder = ReturnType<Format['createStreamEncoder']>

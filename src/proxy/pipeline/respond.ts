/** Stage: the answer in the client's format, whole or as a stream that is pulled by the client's reading. */
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { TextScope } from '../../domain/completion/text-span.ts'
import type { ClientFormat, RenderContext, StreamTextRewriter } from '../../domain/formats/format.ts'
import { renderResultFor } from '../../domain/formats/registry.ts'
import { believed } from '../../domain/quota/belief.ts'
import { generatedText } from '../../domain/quota/estimate.ts'
import { UNCOUNTED_BYTES } from './memory/answer-memory.ts'
import type { Answer, StreamAnswer, WholeAnswer } from './call-provider.ts'
import { ClientStream } from './streaming/client-stream.ts'
import type { Outgoing, ResponseHeaders } from './exchange.ts'
import { leavingError } from './leaving.ts'
import { mayHoldTokens } from './guarding/may-hold-tokens.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import type { Settle } from './settle.ts'
import { asStream, waitsForClient, wholeAnswer } from './whole-answer.ts'

export interface Responding {
  readonly request: CompletionRequest
  /** The client's format. */
  readonly format: ClientFormat
  /** Completed by the answer's own. */
  readonly headers: ResponseHeaders
  /** Present where masked values are restored in the answer. */
  readonly restorer: AnswerRestorer | undefined
  /** Called exactly once, when the answer has ended, however it did. */
  readonly settle: Settle
}

export interface AnswerRestorer {
  /** @param scope where the text stands in the answer */
  restore(text: string, scope: TextScope): string
  createStreamRewriter(): StreamTextRewriter
}

export function respond(
  answer: Answer,
  responding: Responding,
  record: RequestRecord,
  services: Services,
): Outgoing | Promise<Outgoing> {
  const { headers } = responding
  if (answer.type === 'whole' && responding.request.stream)
    return respond(asStream(answer), responding, record, services)
  record.isResponding = true
  if (answer.type === 'stream') {
    if (services.leaving.aborted && record.incoming.signal.aborted) return leftUnread(answer)
    const { knownBytes = 0 } = answer
    if (knownBytes > UNCOUNTED_BYTES) waitsForClient(knownBytes * COST_PER_KNOWN_BYTE, record, services)
    return streamed(answer, responding, record, services)
  }
  const { usage } = answer.result
  record.meter.usage = usage
  const counted = usage && believed(usage, answer.deployment.model, record.promptSize)
  if (!counted?.output) record.meter.sawText(generatedText(answer.result))
  const body = renderWhole(answer, responding, record, services)
  return wholeAnswer(body, headers, responding.settle, record, services)
}

/** The process leaves before a byte of the answer has. @throws {GatewayError} `not_ready` */
async function leftUnread({ items }: StreamAnswer): Promise<never> {
  await items.return()
  throw leavingError()
}

/** As strings of two bytes a character, to the end of the stream. */
const COST_PER_KNOWN_BYTE = 2

function streamed(
  answer: StreamAnswer,
  responding: Responding,
  record: RequestRecord,
  services: Services,
): Extract<Outgoing, { type: 'stream' }> {
  const { headers } = responding
  const context = renderContext(answer, responding, record, services)
  headers['content-type'] = 'text/event-stream; charset=utf-8'
  headers['cache-control'] = 'no-cache'
  const chunks = new ClientStream(answer, responding, context, record, services)
  return { type: 'stream', status: 200, headers, chunks }
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
    nowSeconds: Math.floor(services.wallNow() / 1_000),
    requestId: record.incoming.requestId,
    answeredIn: answer.format.name,
  }
}

/** Equal formats and nothing to restore: the provider's bytes as they are. */
function renderWhole(
  answer: WholeAnswer,
  responding: Responding,
  record: RequestRecord,
  services: Services,
): string | Uint8Array {
  const { format, restorer } = responding
  if (answer.format === format && (restorer === undefined || !mayHoldTokens(answer.bytes))) return answer.bytes
  const context = renderContext(answer, responding, record, services)
  const { document, warnings } = renderResultFor(format.name, answer.result, context)
  for (const warning of warnings) record.warnings.push(warning)
  if (restorer !== undefined) format.visitResultText(document, (span) => restorer.restore(span.text, span.scope))
  return JSON.stringify(document)
}

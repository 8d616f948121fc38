/**
 * How a completion is kept in the cache: as the whole document that its provider has sent, or would have. Redaction tokens are
 * written as ordinals, since a token is of its own request.
 */
import { ResultAssembler } from '../../../domain/completion/assemble.ts'
import type { CompletionRequest, ProviderFormatName } from '../../../domain/completion/request.ts'
import type { CompletionResult } from '../../../domain/completion/result.ts'
import type { StreamPart } from '../../../domain/completion/stream-part.ts'
import { isWorthKeeping } from '../../../domain/caching/stored-answer.ts'
import { looksLikeOrdinal, mayHideToken, type TokenOrdinals } from '../../../domain/caching/token-ordinals.ts'
import type { Keeper } from './cacheable.ts'
import type { StreamAnswer, WholeAnswer } from '../call-provider.ts'
import type { CompletionAsk } from './complete-through-cache.ts'
import { shareStream } from './follow-stream.ts'
import type { StreamItem } from '../streaming/item-stream.ts'
import { mayHoldTokens } from '../guarding/may-hold-tokens.ts'
import type { RequestRecord } from '../request-record.ts'
import type { Services } from '../services.ts'

/** Characters of a streamed answer that are put together; a longer one is not kept. */
const MAX_ASSEMBLED_CHARACTERS = 1024 * 1024

/** At once. */
export function keepWhole(
  { result, bytes, format, deployment }: WholeAnswer,
  { request, reserved }: CompletionAsk,
  tokens: TokenOrdinals,
  keeper: Keeper,
): void {
  if (!isWorthKeeping(result, request, reserved.clampFor(deployment))) return keeper.drop()
  if (tokens.size === 0 || !mayHoldTokens(bytes)) return keeper.keep(bytes, format.name, deployment)
  // Written anew, so that no escape hides a token.
  const text = JSON.stringify(result.source.document)
  if (looksLikeOrdinal(text) || mayHideToken(text)) return keeper.drop()
  keeper.keep(Buffer.from(tokens.toOrdinals(text)), format.name, deployment)
}

/** When it has ended. @returns the stream to send on, which others may follow */
export function keepStream(
  answer: StreamAnswer,
  ask: CompletionAsk,
  tokens: TokenOrdinals,
  record: RequestRecord,
  services: Services,
  keeper: Keeper,
): StreamAnswer {
  const collected = new StreamCollector()
  const keep = (): void => {
    const result = collected.result(answer.format.name)
    const { reserved, request } = ask
    if (result === undefined || !isWorthKeeping(result, request, reserved.clampFor(answer.deployment)))
      return keeper.drop()
    const document = written(result, answer, request, record, services)
    if (document === undefined) return keeper.drop()
    keepWhole({ ...answer, type: 'whole', ...document }, ask, tokens, keeper)
  }
  /** What cannot be written, as arguments that are nested deeper than the stack is, is not kept: the answer is complete. */
  const finish = (): void => {
    try {
      keep()
    } catch (err) {
      services.log.warn({ requestId: record.incoming.requestId, err }, 'answer not kept')
      keeper.drop()
    }
  }
  answer.items.watch({
    saw: (items) => collected.push(items),
    ended(end) {
      if (end.type === 'complete') finish()
      else if (record.incoming.signal.aborted) keeper.leave()
      else keeper.drop()
    },
  })
  keeper.reads(answer.items)
  // What our own limit may cut is not for others.
  if (ask.reserved.clampFor(answer.deployment) !== undefined) return answer
  return shareStream(answer, tokens, record, keeper)
}

/** The assembled result as the provider's format would have said it whole; undefined where something would be lost. */
function written(
  result: CompletionResult,
  { format, deployment }: StreamAnswer,
  request: CompletionRequest,
  record: RequestRecord,
  services: Services,
): { result: CompletionResult; bytes: Uint8Array } | undefined {
  const { document, warnings } = format.renderResult(
    // A result that came from another format is written out; one of the same format would be its (empty) source.
    { ...result, source: { format: otherThan(format.name), document: {} } },
    {
      request,
      model: deployment.model.name,
      nowSeconds: Math.floor(services.wallNow() / 1_000),
      requestId: record.incoming.requestId,
      answeredIn: format.name,
    },
  )
  if (warnings.length > 0) return undefined
  return {
    result: { ...result, source: { format: format.name, document } },
    bytes: Buffer.from(JSON.stringify(document)),
  }
}

function otherThan(name: ProviderFormatName): ProviderFormatName {
  return name === 'messages' ? 'chat-completions' : 'messages'
}

/** Puts a stream together, within a bound. Gives up for good where it grows too long or says what cannot be kept. */
class StreamCollector {
  #assembler: ResultAssembler | undefined = new ResultAssembler()
  #characters = 0

  push(items: readonly StreamItem[]): void {
    if (this.#assembler === undefined) return
    for (const { parts } of items) for (const part of parts) this.#add(part)
  }

  #add(part: StreamPart): void {
    if ('delta' in part) this.#characters += part.delta.length
    if (part.type === 'unknown' || this.#characters > MAX_ASSEMBLED_CHARACTERS) this.#assembler = undefined
    this.#assembler?.push(part)
  }

  result(format: ProviderFormatName): CompletionResult | undefined {
    return this.#assembler?.result(format)
  }
}

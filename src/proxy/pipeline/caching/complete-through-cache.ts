/**
 * Completions through the cache. The key is made of the masked request, the answer is kept as the provider's whole
 * document (a stream is put together while it is relayed) and replayed in the shape and format that is asked for.
 *
 * Where a request has fields that only its own format knows (`logprobs`, a vendor's own tools), its answer may have
 * parts that the neutral stream cannot carry: such requests share whole answers only, and their streams are not kept.
 */
import type { CompletionRequest } from '../../../domain/completion/request.ts'
import type { CompletionResult } from '../../../domain/completion/result.ts'
import { mayHaveOwnParts } from '../../../domain/caching/own-parts.ts'
import { requestText, type RequestText } from '../../../domain/caching/request-text.ts'
import { NO_TOKENS, type TokenOrdinals } from '../../../domain/caching/token-ordinals.ts'
import type { ClientFormat, Format } from '../../../domain/formats/format.ts'
import { clientFormatOf, formatOf } from '../../../domain/formats/registry.ts'
import { unmodelledAnswer } from '../../../domain/formats/unmodelled-answer.ts'
import { parseJson } from '../../../domain/json-parse.ts'
import { isJsonObject } from '../../../domain/json.ts'
import type { RoutePlan } from '../../../domain/routing/route.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { isAskedFor } from '../planning/asked-model.ts'
import type { AnswerReservation } from '../quota/answer-reservation.ts'
import { passHeaders, type Answer, type WholeAnswer } from '../call-provider.ts'
import { followStream } from './follow-stream.ts'
import { beginLookUp, type LookUp } from './look-up.ts'
import { keepStream, keepWhole } from './keep-completion.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import { similarAnswers } from './similar-questions.ts'
import type { Cacheable } from './cacheable.ts'
import { throughCache } from './through-cache.ts'
import { asStream } from '../whole-answer.ts'

/** Larger requests are not worth a digest: nobody sends the same megabytes twice. */
const MAX_REQUEST_CHARACTERS = 2 * 1024 * 1024

/** A completion's look, begun before the request was admitted. */
export interface CompletionLookUp {
  readonly lookUp: LookUp
  readonly codec: ClientFormat
  /** Has parts that the neutral stream cannot carry. */
  readonly ownParts: boolean
  readonly text: RequestText
}

export interface CompletionAsk {
  /** Masked. */
  readonly request: CompletionRequest
  readonly plan: RoutePlan
  readonly reserved: AnswerReservation
}

/** @param tokens what was masked in the request; undefined: nothing */
export function beginCompletionLookUp(
  { source, model, stream, responseFormat }: CompletionRequest,
  tokens: TokenOrdinals = NO_TOKENS,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): CompletionLookUp {
  const { format, document } = source
  const codec = clientFormatOf(format)
  const ownParts = mayHaveOwnParts(format, codec.unmodelledFields(document))
  const text: RequestText = {
    format,
    document,
    model,
    policy: caller.policy,
    passHeaders: passHeaders(codec, record),
    shape: ownParts ? (stream ? 'stream' : 'whole') : undefined,
    tokens,
    schema: responseFormat?.type === 'json-schema' ? responseFormat.schema : undefined,
  }
  return { lookUp: beginLookUp(() => boundedText(text, record), caller, record, services), codec, ownParts, text }
}

function boundedText(request: RequestText, { bodyBytes }: RequestRecord): string | undefined {
  if (bodyBytes > MAX_REQUEST_CHARACTERS) return undefined
  const text = requestText(request)
  return text !== undefined && text.length <= MAX_REQUEST_CHARACTERS ? text : undefined
}

/** An answer from the cache, or `call`'s, which is then kept. Sets the record's cache fields. */
export function completeThroughCache(
  ask: CompletionAsk,
  begun: CompletionLookUp,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
  call: () => Promise<Answer>,
): Answer | Promise<Answer> {
  const cacheable = cacheableCompletion(ask, begun, caller, record, services)
  return throughCache(cacheable, begun.lookUp, caller, record, services, call)
}

function cacheableCompletion(
  ask: CompletionAsk,
  { codec, ownParts, text }: CompletionLookUp,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Cacheable<Answer> {
  const { request, plan } = ask
  const { tokens } = text
  return {
    plan,
    similar: similarAnswers(ask, codec, text, caller, record, services),
    // A backup's answer is for the time of the failure only: who asks the same meanwhile gets it, but it is not kept in the
    // name of the model that was asked.
    answers: (deployment) => isAskedFor(deployment, request.model),
    revive: (bytes, name, deployment) =>
      name === 'embeddings' ? undefined : revive(bytes, formatOf(name), deployment, request, tokens),
    follow: ownParts ? undefined : (live, deployment) => followStream(live, deployment, tokens, record),
    keep: (answer, keeper) => {
      if (answer.type === 'whole') {
        keepWhole(answer, ask, tokens, keeper)
        return answer
      }
      if (!ownParts) return keepStream(answer, ask, tokens, record, services, keeper)
      keeper.drop()
      return answer
    },
  }
}

function revive(
  stored: Uint8Array,
  format: Format,
  deployment: Deployment,
  request: CompletionRequest,
  tokens: TokenOrdinals,
): Answer | undefined {
  const bytes = tokens.size === 0 ? stored : Buffer.from(tokens.fromOrdinals(textOf(stored)))
  const result = parse(bytes, format)
  if (result === undefined) return undefined
  const answer: WholeAnswer = { type: 'whole', deployment, format, result, bytes }
  if (!request.stream) return answer
  // As a stream it would lose them.
  if (unmodelledAnswer(format.name, result.source.document).length > 0) return undefined
  return asStream(answer)
}

function parse(bytes: Uint8Array, format: Format): CompletionResult | undefined {
  try {
    const document = parseJson(textOf(bytes))
    return isJsonObject(document) ? format.parseResult(document) : undefined
  } catch {
    return undefined
  }
}

/** Without the byte order mark that an answer may begin with. */
function textOf(bytes: Uint8Array): string {
  return UTF8.decode(bytes)
}

const UTF8 = new TextDecoder()

/**
 * Stage: what the policy's guardrails say to the request's texts, before anything leaves. Injection is judged on the
 * texts as the client wrote them; masking then replaces values by tokens in the client's own document, so that every
 * rendering of it is masked. A guardrail that fails refuses the request.
 */
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { TextSpan } from '../../domain/completion/text-span.ts'
import type { ClientFormat } from '../../domain/formats/format.ts'
import type { JsonObject } from '../../domain/json.ts'
import { isOneStep, type RedactionMap } from '../../domain/guardrails/masking/restoring/redaction-map.ts'
import { StreamRestorer } from '../../domain/guardrails/masking/restoring/stream-restorer.ts'
import { takeAll, type Steps } from '../../domain/steps.ts'
import { failingClosed } from './guarding/failing-closed.ts'
import { GatheredSpans } from './guarding/gathered-spans.ts'
import { countBytes, MASKING_LABELS } from './guarding/guardrail-bytes.ts'
import { mayHoldTokens } from './guarding/may-hold-tokens.ts'
import type { ReadRequest } from './read-request.ts'
import { redactionsOf } from './guarding/redactions-of.ts'
import { refuseInjection } from './guarding/refuse-injection.ts'
import type { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import type { AnswerRestorer } from './respond.ts'
import type { Services } from './services.ts'
import { takeTurns } from './take-turns.ts'
import { traceFindings } from './trace-step.ts'

/** More than the records of a list have in common. */
const MOST_CLEAN_NAMES = 4_096
/** Texts that are masked in one step, in UTF-16 units, where one text is not longer. */
const UNITS_A_STEP = 4_096
/** What a text costs beside its units. */
const UNITS_PER_TEXT = 64

export interface GuardedRequest {
  readonly request: CompletionRequest
  /** The client's bytes; undefined where masking has changed the document. */
  readonly bytes: Uint8Array | undefined
  /** What was masked; undefined where masking is off. */
  readonly redactions: RedactionMap | undefined
  /** Present where values were masked and the key may have them back. */
  readonly restorer: AnswerRestorer | undefined
}

/** A small request, at once. @throws {GatewayError} 400 `prompt_injection_detected`, 503 `guardrail_failed`. */
export function guardRequest(
  read: ReadRequest,
  format: ClientFormat,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): GuardedRequest {
  return takeAll(failingClosed(guardInSteps(read, format, caller, record, services)))
}

/**
 * A request of any size, in turns with others: ten megabytes take the guardrails seconds.
 * @throws {GatewayError} as `guardRequest`, and `client_closed_request` where the client leaves meanwhile
 */
export function guardRequestInTurns(
  read: ReadRequest,
  format: ClientFormat,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<GuardedRequest> {
  const steps = failingClosed(guardInSteps(read, format, caller, record, services))
  return takeTurns(steps, services.now, record.incoming.signal)
}

function* guardInSteps(
  read: ReadRequest,
  format: ClientFormat,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Steps<GuardedRequest> {
  const { flags } = caller.policy
  const detects = flags.has('adversarial-detection')
  if (detects) yield* refuseInjection(new GatheredSpans(format, read.request.source.document), caller, record, services)
  const masks = flags.has('pii-safe')
  const guarded = masks ? yield* mask(read, format, caller, record, services) : unmasked(read)
  if (detects || masks) traceFindings(record, services)
  return guarded
}

function unmasked(read: ReadRequest): GuardedRequest {
  return { ...read, redactions: undefined, restorer: undefined }
}

function* mask(
  read: ReadRequest,
  format: ClientFormat,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Steps<GuardedRequest> {
  const { request } = read
  const { document } = request.source
  const redactions = redactionsOf(caller, services, record)
  // Without the privilege nothing is restored, so a token that the client writes back may stay its value's token.
  if (caller.key.privileges.demask && mayHoldTokens(read.bytes))
    visitOnly(format, request, (text) => redactions.reserve(text))
  const changed = yield* maskTexts(document, format, redactions, record)
  yield
  for (const [kind, count] of redactions.counts) record.findings[kind] = count
  return {
    request: changed ? format.parseRequest(document, record.incoming.hints) : request,
    bytes: changed ? undefined : read.bytes,
    redactions,
    restorer:
      redactions.size > 0 && caller.key.privileges.demask
        ? restorerOf(redactions, caller.policy.flags.has('force-json') || asksForJson(request, format))
        : undefined,
  }
}

/** Masks in the document. What is masked in steps is put there at once. @returns whether a text was changed */
function* maskTexts(
  document: JsonObject,
  format: ClientFormat,
  redactions: RedactionMap,
  record: RequestRecord,
): Steps<boolean> {
  const spans = new GatheredSpans(format, document)
  const masked = yield* maskSpans(spans, redactions, record)
  if (masked.size === 0) return false
  let next = 0
  const changed = format.visitRequestText(document, ({ text }) => {
    if (text !== spans.textAt(next)) throw otherTexts()
    return masked.get(next++) ?? text
  })
  // A text that is not seen again is not masked.
  if (next < spans.length) throw otherTexts()
  return changed
}

/** @returns the texts that masking has changed, by their places among the spans */
function* maskSpans(
  spans: Iterable<TextSpan>,
  redactions: RedactionMap,
  record: RequestRecord,
): Steps<Map<number, string>> {
  const masked = new Map<number, string>()
  /** The same few names stand in every record of a list. Made where there is one. */
  let cleanNames: Set<string> | undefined
  let index = 0
  let units = UNITS_A_STEP
  for (const span of spans) {
    units += span.text.length + UNITS_PER_TEXT
    if (units > UNITS_A_STEP) {
      yield
      units = 0
    }
    countBytes(record, MASKING_LABELS, span)
    const isClean = span.isName === true && cleanNames?.has(span.text) === true
    const masking = isClean ? span.text : maskSpan(span, redactions)
    const text = typeof masking === 'string' ? masking : yield* masking
    if (text !== span.text) masked.set(index, text)
    else if (span.isName === true && (cleanNames ??= new Set()).size < MOST_CLEAN_NAMES) cleanNames.add(text)
    index++
  }
  if (redactions.looksAgain) yield* redactions.maskAgain(spans, masked)
  return masked
}

function otherTexts(): Error {
  return new Error('the texts of the document have changed while it was masked')
}

/** Most texts are masked at once: steps of their own would cost each as much as is made for its tokens. */
function maskSpan({ scope, text, maxLength, fieldName }: TextSpan, redactions: RedactionMap): string | Steps<string> {
  const comesAgain = scope === 'system' || scope === 'tool-definition'
  return isOneStep(text)
    ? redactions.mask(text, comesAgain, maxLength, fieldName)
    : redactions.maskInSteps(text, comesAgain, maxLength, fieldName)
}

function visitOnly(format: ClientFormat, { source }: CompletionRequest, visit: (text: string) => void): void {
  format.visitRequestText(source.document, (span) => {
    visit(span.text)
    return span.text
  })
}

/** @param json the answer's text is JSON: what is put into it must be escaped like what it stands in */
function restorerOf(redactions: RedactionMap, json: boolean): AnswerRestorer {
  if (!json) {
    return {
      restore: (text) => redactions.restore(text),
      createStreamRewriter: () => new StreamRestorer(redactions),
    }
  }
  return {
    restore: (text, scope) => (scope === 'tool-input' ? redactions.restore(text) : redactions.restoreJson(text)),
    createStreamRewriter() {
      const restorer = new StreamRestorer(redactions)
      return {
        push: (channel, _kind, delta) => restorer.push(channel, 'json', delta),
        flush: (channel) => restorer.flush(channel),
      }
    },
  }
}

function asksForJson({ responseFormat, source }: CompletionRequest, format: ClientFormat): boolean {
  if (responseFormat !== undefined && responseFormat.type !== 'text') return true
  return format.asksForJson?.(source.document) === true
}

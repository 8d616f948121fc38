/**
 * Stage: asks the planned deployments in their order until one answers: whole, or with a stream whose first content has
 * come. Nothing has been sent to the client before it returns, so it never sees a failed try.
 */
import type { CompletionResult } from '../../domain/completion/result.ts'
import type { CompletionRequest } from '../../domain/completion/request.ts'
import type { ClientFormat, Format, RenderTarget } from '../../domain/formats/format.ts'
import { formatOf, renderRequestFor } from '../../domain/formats/registry.ts'
import { MAX_EVENT_CHARACTERS } from '../../domain/formats/sse.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../providers/registry.ts'
import { goesWithout, noteRefusal, refusesOptions } from './attempts/refused-options.ts'
import { refusesThinking } from './attempts/refused-thinking.ts'
import { statusErrorOf } from './attempts/status-error.ts'
import type { AnswerReservation } from './quota/answer-reservation.ts'
import { loweredMaximum } from './quota/need-at.ts'
import { attemptInOrder, type Exchanged } from './attempts/attempt-in-order.ts'
import { UNCOUNTED_BYTES, type AnswerShare } from './memory/answer-memory.ts'
import { Cohort } from './cohort.ts'
import type { ItemStream, StreamItem } from './streaming/item-stream.ts'
import { AttemptError, type ProviderReply } from './ports.ts'
import { isContent, providerItems } from './attempts/provider-stream.ts'
import { parseResult, readAnswer } from './attempts/read-whole.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'

export interface ProviderRequest {
  readonly request: CompletionRequest
  /** The client's bytes, sent as they are when rendering changes nothing and no guardrail did; else undefined. */
  readonly bytes: Uint8Array | undefined
  readonly plan: RoutePlan
  readonly reserved: AnswerReservation
  readonly stream: boolean
  /** The request as a deployment is to get it, where that is not the same for all. */
  readonly requestFor?: (deployment: Deployment) => CompletionRequest
}

/** How a request is put, where a provider may refuse it the usual way. */
type Form = Required<Pick<RenderTarget, 'asksUsage' | 'keepsThinking'>>

/** What one deployment is sent. */
type ProviderCall = ProviderRequest & Form

export type Answer = WholeAnswer | StreamAnswer

export interface WholeAnswer {
  readonly type: 'whole'
  readonly deployment: Deployment
  readonly format: Format
  result: CompletionResult
  /** The provider's bytes, passed on as they are where nothing changes. */
  bytes: Uint8Array
}

export interface StreamAnswer {
  readonly type: 'stream'
  readonly deployment: Deployment
  readonly format: Format
  /** From the first item on; the provider is read as this is pulled. */
  readonly items: ItemStream
  /** Where the answer is another request's: its redaction tokens, each with this request's own. */
  readonly foreignTokens?: ReadonlyMap<string, string> | undefined
  /** Of an answer that was known whole, and is held until its client has read it: its size. */
  readonly knownBytes?: number
}

/** @throws {GatewayError} where no deployment answers, or the provider refuses the request itself. */
export function callProvider(call: ProviderRequest, record: RequestRecord, services: Services): Promise<Answer> {
  return attemptInOrder<Answer>(call, record, services, (deployment) => exchange(deployment, call, record, services))
}

/** Whole answers have begun to come: mostly all of them has. */
const answered = new Cohort()

/** One exchange; a second one where the first was refused for what the gateway itself had added or changed. */
async function exchange(
  deployment: Deployment,
  call: ProviderRequest,
  record: RequestRecord,
  services: Services,
): Promise<Exchanged<Answer>> {
  const request = call.requestFor?.(deployment) ?? call.request
  const once = (form: Form) => exchangeOnce(deployment, { ...call, request, ...form }, record, services)
  const asksUsage = !call.stream || !goesWithout(deployment, request, services.now())
  const told = record.warnings.length
  try {
    return await once({ asksUsage, keepsThinking: true })
  } catch (error) {
    const withoutOptions = call.stream && asksUsage && refusesOptions(error, deployment, request)
    if (!withoutOptions && !refusesThinking(error, deployment, request, call.bytes !== undefined)) throw error
    // The same is told of the second.
    record.warnings.length = told
    const exchanged = await once({ asksUsage: asksUsage && !withoutOptions, keepsThinking: withoutOptions })
    if (withoutOptions) noteRefusal(deployment, request, services.now())
    return exchanged
  }
}

/** Throws for everything that is no usable answer. */
async function exchangeOnce(
  deployment: Deployment,
  call: ProviderCall,
  record: RequestRecord,
  services: Services,
): Promise<Exchanged<Answer>> {
  const started = services.now()
  const format = formatOf(familyOf(deployment.provider.type).format)
  const credential = record.caller?.configuration.credentialOf(deployment.provider.name)
  const reply = await services.transport.send({
    deployment,
    credential,
    operation: 'chat',
    stream: call.stream,
    body: renderBody(format, deployment, call, record),
    passHeaders: passHeaders(format, record),
    signal: record.upstreamSignal,
  })
  record.noteReply(reply)
  if (reply.status < 200 || reply.status > 299) {
    throw await statusErrorOf(reply, deployment, format, credential, services.wallNow())
  }
  const openShare = () => record.memory.openShare(services.answers, record.upstreamSignal)
  if (!call.stream) {
    const firstByteMs = services.now() - started
    await answered.join()
    const bytes = await readAnswer(reply, openShare)
    return { answer: wholeOf(bytes, reply, deployment, format), firstByteMs, sentAgain: reply.sentAgain }
  }
  const answer = await openStream(reply, deployment, format, openShare)
  return {
    answer,
    firstByteMs: services.now() - started,
    sentAgain: reply.sentAgain,
    onEnd: (ended) => answer.items.watch({ ended }),
  }
}

function renderBody(format: Format, deployment: Deployment, call: ProviderCall, record: RequestRecord) {
  const { request, asksUsage, keepsThinking } = call
  const family = familyOf(deployment.provider.type)
  const { document, warnings } = renderRequestFor(format.name, request, {
    model: deployment.model.upstreamName,
    provider: deployment.provider.name,
    maxOutputTokens: outputMaximum(deployment, call, record),
    defaultMaxOutputTokens: deployment.model.maxOutputTokens,
    stream: call.stream,
    outputLimitField: family.outputLimitField,
    dialect: family.dialect?.(deployment.provider.endpoint.baseUrl),
    asksUsage,
    keepsThinking,
  })
  for (const warning of warnings) record.warnings.push(warning)
  const unchanged = document === request.source.document
  return unchanged && call.bytes !== undefined ? call.bytes : JSON.stringify(document)
}

/** What the reservation leaves, or what is sent in the place of a larger maximum. Undefined: the client's own maximum. */
function outputMaximum(
  deployment: Deployment,
  { request, reserved }: ProviderCall,
  record: RequestRecord,
): number | undefined {
  const limit = reserved.limitFor(deployment)
  const asked = Math.min(request.sampling.maxOutputTokens ?? 0, limit ?? Infinity)
  const lowered = loweredMaximum(asked, { model: request.model, format: request.source.format }, deployment)
  if (lowered === undefined) return limit
  record.warnings.push({
    field: 'max_tokens',
    message: `it was lowered to ${lowered}, the most that ${deployment.model.name} can say`,
  })
  return lowered
}

/** Client headers that the adapter lists, and only to a provider that speaks the same format. */
export function passHeaders(format: ClientFormat, record: RequestRecord): Record<string, string> {
  const { adapter, rawHeaders } = record.incoming
  const passed: Record<string, string> = {}
  if (adapter.format !== format.name || adapter.passHeaders.length === 0) return passed
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    if (adapter.passHeaders.includes(name)) passed[name] = name in passed ? `${passed[name]},${value}` : value
  }
  return passed
}

function wholeOf(bytes: Uint8Array, reply: ProviderReply, deployment: Deployment, format: Format): WholeAnswer {
  reply.firstContentSeen()
  return { type: 'whole', deployment, format, bytes, result: parseResult(bytes, format) }
}

/** Reads up to the first content. What came before it is kept and replayed first. */
async function openStream(
  reply: ProviderReply,
  deployment: Deployment,
  format: Format,
  openShare: () => AnswerShare,
): Promise<StreamAnswer> {
  const items = providerItems(reply, format, openShare)
  try {
    await readToContent(items, openShare)
  } catch (error) {
    await items.return()
    throw error
  }
  reply.firstContentSeen()
  return { type: 'stream', deployment, format, items }
}

async function readToContent(items: ItemStream, openShare: () => AnswerShare): Promise<void> {
  const held: StreamItem[] = []
  let characters = 0
  let share: AnswerShare | undefined
  for (;;) {
    const { value, done } = await items.next()
    if (done === true) throw new AttemptError('cut', 'the stream ended before any content')
    for (const item of value) {
      held.push(item)
      characters += ITEM_CHARACTERS + (item.event?.data.length ?? 0)
    }
    if (characters > MAX_HELD_CHARACTERS) throw new AttemptError('protocol', 'too much came before any content')
    if (characters > UNCOUNTED_BYTES) await (share ??= openShare()).hold(characters)
    if (value.some(({ parts }) => parts.some(isContent))) break
  }
  items.unread(held)
  if (share !== undefined) releaseWhenWritten(share, items)
}

/** It goes out as the first batch; when another one comes, it has. */
function releaseWhenWritten(share: AnswerShare, items: ItemStream): void {
  let isOut = false
  items.watch({
    saw() {
      if (isOut) share.release()
      isOut = true
    },
    ended: () => share.release(),
  })
}

/**
 * Of what comes before the first content, with it: a few pings and what the gateway does not know, where a server is sound,
 * and an event as large as one may be. Four times of it must fit a heap of 128 MiB.
 */
const MAX_HELD_CHARACTERS = MAX_EVENT_CHARACTERS * 1.5
/** What an item takes beside its text, about. */
const ITEM_CHARACTERS = 128

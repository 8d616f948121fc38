/**
 * The way of a request. Each stage is one file, whose parts are in a folder beside it; what a stage returns is the proof that
 * it ran, and the next one takes nothing else. A refusal at any stage leaves by the one `catch`.
 *
 *   authenticate.ts             identity first: nothing about models, budgets or headers is told to a stranger
 *   resolve-request-policy.ts   a bad or forbidden control header is refused before the body is read; both by
 *                               govern-caller.ts, as for every kind of call
 *   read-request.ts             the body, bounded, as a neutral request
 *   plan-request.ts             candidates, rules, order; pure
 *   admit.ts                    rate limits, budgets and quotas in one question; what the first candidate may use is reserved
 *   guard-request.ts            injection is refused, personal data and secrets are masked in the client's own document;
 *                               for a small request while the quota store is asked
 *   caching/through-cache.ts    in masked space; a hit asks nobody, and identical requests wait for the first
 *   call-provider.ts            failover along the plan; nothing has been sent to the client yet. In its place, for
 *                               `force-json`: force-json.ts
 *   respond.ts, settle.ts       the answer in the client's format; the end is recorded exactly once
 */
import type { ClientFormat } from '../../domain/formats/format.ts'
import { clientFormatOf } from '../../domain/formats/registry.ts'
import type { RoutePlan } from '../../domain/routing/route.ts'
import { admissionOf, admit, type AdmittedRequest } from './admit.ts'
import { callProvider, type Answer } from './call-provider.ts'
import { Cohort } from './cohort.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { forgetContents } from './guarding/forget-request.ts'
import { callForJson, type ClientView } from './force-json.ts'
import { restorerFor } from './caching/follow-stream.ts'
import { governCaller } from './govern-caller.ts'
import { guardRequest, guardRequestInTurns, type GuardedRequest } from './guard-request.ts'
import { beginCompletionLookUp, completeThroughCache, type CompletionLookUp } from './caching/complete-through-cache.ts'
import { refuseAndSettle } from './refuse-and-settle.ts'
import { planRequest } from './plan-request.ts'
import { readRequest, SMALL_REQUEST_BYTES, type ReadRequest } from './read-request.ts'
import { RequestRecord } from './request-record.ts'
import type { GovernedCaller } from './resolve-request-policy.ts'
import { respond } from './respond.ts'
import type { Services } from './services.ts'
import { settlementOf } from './settle.ts'
import { ownTurn } from './take-turns.ts'
import { answerHeaders } from './answer-headers.ts'
import { traceBody, tracePolicy, traceStep } from './trace-step.ts'

/** Of requests whose bodies have come whole: they are parsed, planned and admitted together. @see cohort.ts */
const arrived = new Cohort()
/** Of those whose admissions have been asked for: guardrails and the look into the cache. */
const guarding = new Cohort()

/** A chat completion from the client's headers to its answer. Never throws. */
export async function completeChat(incoming: Incoming, services: Services): Promise<Outgoing> {
  const record = new RequestRecord(incoming, 'chat')
  const settle = settlementOf(record, services)
  try {
    const governed = governCaller(record, services)
    tracePolicy(governed, record, services)
    const format = clientFormatOf(incoming.adapter.format)
    const body = await record.waitFor(incoming.readBody(), services.now)
    await arrived.join()
    const read = await readRequest(body, format, incoming.hints)
    record.noteRequest(read.request)
    record.bodyBytes = read.bytes.length
    traceBody(read.bytes, record, services)

    if (read.bytes.length > SMALL_REQUEST_BYTES) await ownTurn()
    const route = planRequest(read.request, governed, record, services)
    const prepare = read.bytes.length > SMALL_REQUEST_BYTES ? admitThenPrepare : admitWhilePreparing
    const [admitted, prepared] = await prepare(read, format, route, governed, record, services)
    const answer = await answerThroughCache(prepared, admitted, governed, record, services)
    if (record.stream && read.bytes.length > SMALL_REQUEST_BYTES) forgetContents(prepared.guarded)
    const headers = answerHeaders(record)
    const { request } = prepared.guarded
    const restorer = restorerFor(answer, prepared.guarded.restorer)
    return await respond(answer, { request, format, headers, restorer, settle }, record, services)
  } catch (error) {
    return refuseAndSettle(error, record, settle, services)
  }
}

/** What a provider may be asked for; the cache has been asked. */
interface Prepared {
  readonly guarded: GuardedRequest
  readonly lookUp: CompletionLookUp
}

/**
 * The quota store's way and the guardrails' work take about as long, so a small request is guarded and looked for in
 * the shared cache while the store is asked. Of two refusals the store's is told, as if it had come first.
 */
async function admitWhilePreparing(
  read: ReadRequest,
  format: ClientFormat,
  route: RoutePlan,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<[AdmittedRequest, Prepared]> {
  const asked = admissionOf(read.request, caller.policy.flags.has('force-json'))
  const admitting = admit(asked, route, caller, record, services)
  // Its refusal may come before it is waited for.
  admitting.catch(() => undefined)
  // What has been asked of a store, by all in one turn, is written to its connection before the cohort goes on.
  await undefined
  await guarding.join()
  let prepared: Prepared
  let admitted: AdmittedRequest
  try {
    prepared = withLookUp(guardRequest(read, format, caller, record, services), caller, record, services)
  } finally {
    admitted = await admitting.catch((refusal: unknown) => {
      record.forgetGuardrails()
      throw refusal
    })
  }
  return [admitted, prepared]
}

/** A large request costs the guardrails so much that it waits for its admission; each piece of the work has a turn of its own. */
async function admitThenPrepare(
  read: ReadRequest,
  format: ClientFormat,
  route: RoutePlan,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<[AdmittedRequest, Prepared]> {
  await ownTurn()
  const asked = admissionOf(read.request, caller.policy.flags.has('force-json'))
  const admitted = await admit(asked, route, caller, record, services)
  await ownTurn()
  const guarded = await guardRequestInTurns(read, format, caller, record, services)
  await ownTurn()
  const prepared = withLookUp(guarded, caller, record, services)
  await ownTurn()
  return [admitted, prepared]
}

function withLookUp(
  guarded: GuardedRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Prepared {
  return { guarded, lookUp: beginCompletionLookUp(guarded.request, guarded.redactions, caller, record, services) }
}

/** From the cache, or from the first provider of the plan that answers. */
async function answerThroughCache(
  { guarded, lookUp }: Prepared,
  { plan, reserved }: AdmittedRequest,
  caller: GovernedCaller,
  record: RequestRecord,
  services: Services,
): Promise<Answer> {
  const { request, restorer } = guarded
  const call = () => ({ request, bytes: guarded.bytes, plan, reserved, stream: request.stream })
  const view: ClientView = {
    restore: (text) => restorer?.restore(text, 'message') ?? text,
    hide: (text) => guarded.redactions?.hide(text) ?? text,
  }
  const answer = await completeThroughCache({ request, plan, reserved }, lookUp, caller, record, services, () =>
    caller.policy.flags.has('force-json')
      ? callForJson(call(), view, record, services)
      : callProvider(call(), record, services),
  )
  record.served = answer.deployment
  traceStep(record, services, 'answer', () => ({
    served: answer.deployment.id,
    cache: record.cache,
    attempts: record.attempts,
  }))
  return answer
}

/**
 * The way of a request. Each stage is one file; what a stage returns is the proof that it ran, and the next one takes
 * nothing else. A refusal at any stage leaves by the one `catch`.
 *
 *   authenticate          identity first: nothing about models, budgets or headers is told to a stranger
 *   resolve policy        a bad or forbidden control header is refused before the body is read
 *   read request          the body, bounded, as a neutral request
 *   plan                  candidates, rules, order; pure
 *   admit                 rate limits, budgets and quotas in one question; the request's bound is reserved
 *   guard request         injection is refused, personal data and secrets are masked in the client's own document
 *   look up cache         in masked space; a hit asks nobody, and identical requests wait for the first
 *   call provider         failover along the plan; nothing has been sent to the client yet
 *   respond, settle       the answer in the client's format; the end is recorded exactly once
 */
import { GatewayError } from '../../domain/errors.ts'
import { formatOf } from '../../domain/formats/registry.ts'
import { admit } from './admit.ts'
import { authenticate } from './authenticate.ts'
import { callProvider } from './call-provider.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { callForJson } from './force-json.ts'
import { guardRequest } from './guard-request.ts'
import { completeThroughCache } from './look-up-cache.ts'
import { planRequest } from './plan-request.ts'
import type { Configuration } from './ports.ts'
import { readRequest } from './read-request.ts'
import { publicError, refuse } from './refuse.ts'
import { RequestRecord } from './request-record.ts'
import { resolveRequestPolicy } from './resolve-request-policy.ts'
import { respond } from './respond.ts'
import type { Services } from './services.ts'
import { settlementOf } from './settle.ts'
import { traceHeaders, traceStep } from './trace.ts'

/** A chat completion from the client's headers to its answer. Never throws. */
export async function completeChat(incoming: Incoming, services: Services): Promise<Outgoing> {
  const record = new RequestRecord(incoming, 'chat')
  const settle = settlementOf(record, services)
  try {
    const caller = authenticate(incoming, requireConfiguration(services), services.now())
    record.caller = caller
    const governed = resolveRequestPolicy(caller, incoming)
    record.policy = governed.policy
    traceStep(record, services, 'resolve-policy', {
      virtualKey: caller.key.id,
      flags: [...governed.policy.flags],
      scoringMethod: governed.policy.scoringMethod ?? 'priority',
    })

    const format = formatOf(incoming.adapter.format)
    const read = await readRequest(incoming, format)
    const { request } = read
    record.requestedModel = request.model
    record.stream = request.stream
    traceStep(record, services, 'read-request', { bytes: read.bytes.length, stream: request.stream })

    const plan = planRequest(request, governed, record, services)
    traceStep(record, services, 'plan-route', {
      candidates: plan.candidates.map(({ deployment }) => deployment.id),
      removed: plan.removed.map(({ deployment, rule }) => `${deployment.id}: ${rule}`),
    })
    const admitted = await admit(request, plan, governed, record, services)
    traceStep(record, services, 'admit', { reservation: admitted.reservation.origin, warnings: record.quotaWarnings })
    const guarded = guardRequest(read, format, governed, record, services)
    traceStep(record, services, 'guard-request', { findings: record.findings })
    const { plan: route, clampFor } = admitted
    const asked = { request: guarded.request, plan: route, clampFor, tokens: guarded.redactions }
    const call = { request: guarded.request, bytes: guarded.bytes, plan: route, clampFor, stream: request.stream }
    const shown = (text: string) => guarded.restorer?.restore(text, 'message') ?? text
    const answer = await completeThroughCache(asked, governed, record, services, () =>
      governed.policy.flags.has('force-json')
        ? callForJson(call, shown, record, services)
        : callProvider(call, record, services),
    )
    record.served = answer.deployment
    traceStep(record, services, 'look-up-cache', { cache: record.cache, ageSeconds: record.cacheAgeSeconds })
    traceStep(record, services, 'call-provider', { served: answer.deployment.id, attempts: record.attempts })
    const responding = {
      request: guarded.request,
      format,
      headers: traceHeaders(record),
      restorer: guarded.restorer,
      settle,
    }
    return await respond(answer, responding, record, services)
  } catch (error) {
    const shown = publicError(error)
    record.errorCode = shown.code
    if (shown.code === 'internal_error') {
      services.log.error({ requestId: incoming.requestId, err: error }, 'request failed inside the gateway')
    }
    await settle(outcomeOf(shown))
    return refuse(shown, incoming.adapter, incoming.requestId, traceHeaders(record))
  }
}

/** @throws {GatewayError} 503 `not_ready` before the first snapshot. */
export function requireConfiguration(services: Services): Configuration {
  const configuration = services.configuration.current()
  if (configuration === undefined) {
    throw new GatewayError('not_ready', 'The gateway has no configuration yet.', { retryAfterSeconds: 1 })
  }
  return configuration
}

/** What a refusal or failure means for the record. */
export function outcomeOf(error: GatewayError) {
  if (error.code === 'client_closed_request') return 'client-gone'
  return error.status >= 500 || error.code === 'provider_rejected_request' ? 'failed' : 'refused'
}

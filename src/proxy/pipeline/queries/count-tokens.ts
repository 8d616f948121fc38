/**
 * How many tokens a prompt has, without an answer. Governed like every call, guardrails included; nothing is reserved
 * and nothing charged.
 *
 * The first candidate of the plan is asked where its API speaks the client's format and counts. Otherwise, and where it
 * fails to answer, the number is the gateway's estimate: 4 bytes of ASCII or 2 bytes of other scripts a token, images
 * and role marks at their usual cost (domain/quota/prompt-size.ts). `x-gateway-token-count` says which of the two it is.
 */
import type { CompletionRequest } from '../../../domain/completion/request.ts'
import { UpstreamFormatError } from '../../../domain/errors.ts'
import { clientFormatOf, formatOf, renderRequestFor } from '../../../domain/formats/registry.ts'
import { hasCount } from '../../../domain/formats/usage-counts.ts'
import { estimateUsage } from '../../../domain/quota/estimate.ts'
import { measurePrompt } from '../../../domain/quota/prompt-size.ts'
import { AUTO_MODEL } from '../../../domain/routing/names.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../../providers/registry.ts'
import { judge, wasSent } from '../attempts/attempt-failure.ts'
import { statusErrorOf } from '../attempts/status-error.ts'
import { passHeaders } from '../call-provider.ts'
import type { Incoming, Outgoing } from '../exchange.ts'
import { governCaller } from '../govern-caller.ts'
import { guardRequestInTurns } from '../guard-request.ts'
import { refuseAndSettle } from '../refuse-and-settle.ts'
import { planRequest } from '../plan-request.ts'
import { readRequest } from '../read-request.ts'
import { parseAnswer, readWhole } from '../attempts/read-whole.ts'
import { RequestRecord } from '../request-record.ts'
import type { Services } from '../services.ts'
import { settlementOf } from '../settle.ts'
import { answerHeaders } from '../answer-headers.ts'
import { traceBody, tracePolicy } from '../trace-step.ts'

/** A longer answer to «how many» is none. */
const MAX_COUNT_BYTES = 64 * 1024

/** From the client's headers to the number. Never throws. */
export async function countTokens(incoming: Incoming, services: Services): Promise<Outgoing> {
  const record = new RequestRecord(incoming, 'count-tokens')
  const settle = settlementOf(record, services)
  try {
    const governed = governCaller(record, services)
    tracePolicy(governed, record, services)
    const format = clientFormatOf(incoming.adapter.format)
    const body = await record.waitFor(incoming.readBody(), services.now)
    const read = await readRequest(body, format, incoming.hints)
    record.requestedModel = read.request.model ?? AUTO_MODEL
    traceBody(read.bytes, record, services)
    const plan = planRequest(read.request, governed, record, services)
    const { request } = await guardRequestInTurns(read, format, governed, record, services)
    const first = plan.candidates[0]?.deployment
    const counted = first && (await countAt(first, request, record, services))
    const outgoing = counted === undefined ? estimated(request, record) : answer(counted, 'provider', record)
    await settle('answered')
    return outgoing
  } catch (error) {
    return refuseAndSettle(error, record, settle, services)
  }
}

function estimated(request: CompletionRequest, record: RequestRecord): Outgoing {
  const tokens = estimateUsage(measurePrompt(request), '').usage.input
  return answer(JSON.stringify(record.incoming.adapter.renderTokenCount?.(tokens) ?? {}), 'estimate', record)
}

function answer(body: string | Uint8Array, source: 'provider' | 'estimate', record: RequestRecord): Outgoing {
  const headers = {
    ...answerHeaders(record),
    'content-type': 'application/json',
    'x-gateway-token-count': source,
  }
  return { type: 'whole', status: 200, headers, body }
}

/**
 * The provider's own answer; undefined where it has none.
 * @throws {GatewayError} where it refuses the request itself.
 */
async function countAt(
  deployment: Deployment,
  request: CompletionRequest,
  record: RequestRecord,
  services: Services,
): Promise<Uint8Array | undefined> {
  const { format: name, countsTokens } = familyOf(deployment.provider.type)
  if (countsTokens !== true || name !== request.source.format) return undefined
  const leave = services.health.enter(deployment)
  if (leave === undefined) return undefined
  const started = services.now()
  try {
    const bytes = await exchange(deployment, request, record, services)
    record.served = deployment
    const ms = Math.round(services.now() - started)
    record.attempts.push({ deploymentId: deployment.id, result: 'ok', status: 200, ms })
    return bytes
  } catch (error) {
    leave(wasSent(error))
    const failure = judge(error, request.source.format)
    const ms = Math.round(services.now() - started)
    record.attempts.push({ deploymentId: deployment.id, ms, ...failure.attempt })
    if (failure.type === 'rejection') throw failure.error
    return undefined
  } finally {
    leave()
    record.waitedMs += services.now() - started
  }
}

async function exchange(
  deployment: Deployment,
  request: CompletionRequest,
  record: RequestRecord,
  services: Services,
): Promise<Uint8Array> {
  const format = formatOf(familyOf(deployment.provider.type).format)
  const credential = record.caller?.configuration.credentialOf(deployment.provider.name)
  const { document } = renderRequestFor(format.name, request, {
    model: deployment.model.upstreamName,
    provider: deployment.provider.name,
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: undefined,
    stream: false,
  })
  const reply = await services.transport.send({
    deployment,
    credential,
    operation: 'count-tokens',
    stream: false,
    body: JSON.stringify(document),
    passHeaders: passHeaders(format, record),
    signal: record.incoming.signal,
  })
  if (reply.status < 200 || reply.status > 299) {
    throw await statusErrorOf(reply, deployment, format, credential, services.wallNow())
  }
  reply.firstContentSeen()
  return countIn(await readWhole(reply, MAX_COUNT_BYTES))
}

/** `bytes`, where they are one of the vendors' counts. @throws {UpstreamFormatError} several servers answer every path */
function countIn(bytes: Uint8Array): Uint8Array {
  const { input_tokens, totalTokens } = parseAnswer(bytes)
  if (!hasCount(input_tokens, totalTokens))
    throw new UpstreamFormatError('The provider sent an answer without a count.')
  return bytes
}

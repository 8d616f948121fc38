/** The models lists: authenticated, control headers checked as in every call; no body, no provider, no audit record. */
import { authenticate } from './authenticate.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { getModel, listModels } from './list-models.ts'
import { requireConfiguration } from './pipeline.ts'
import { publicError, refuse } from './refuse.ts'
import { RequestRecord } from './request-record.ts'
import { resolveReadingPolicy } from './resolve-request-policy.ts'
import type { Services } from './services.ts'
import { traceHeaders } from './trace.ts'

/** The list, or one model where `incoming.hints.model` names it. Never throws. */
export async function readModels(incoming: Incoming, services: Services): Promise<Outgoing> {
  const { adapter, requestId, hints } = incoming
  const record = new RequestRecord(incoming, 'models')
  try {
    record.caller = authenticate(incoming, requireConfiguration(services), services.wallNow())
    const caller = resolveReadingPolicy(record.caller, incoming)
    record.policy = caller.policy
    const document =
      hints.model === undefined
        ? adapter.renderModels(listModels(caller, adapter), new URLSearchParams(incoming.query))
        : adapter.renderModel(getModel(caller, adapter, hints.model))
    return {
      type: 'whole',
      status: 200,
      headers: { ...traceHeaders(record), 'content-type': 'application/json' },
      body: JSON.stringify(document),
    }
  } catch (error) {
    return refuse(publicError(error), adapter, requestId, traceHeaders(record))
  }
}

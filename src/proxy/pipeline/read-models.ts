/** The models lists: authenticated and governed like every call, without a body and without a provider. */
import { authenticate } from './authenticate.ts'
import type { Incoming, Outgoing, ResponseHeaders } from './exchange.ts'
import { getModel, listModels } from './list-models.ts'
import { requireConfiguration } from './pipeline.ts'
import { publicError, refuse } from './refuse.ts'
import { resolveRequestPolicy } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/** The list, or one model where `incoming.hints.model` names it. Never throws. */
export async function readModels(incoming: Incoming, services: Services): Promise<Outgoing> {
  const { adapter, requestId, hints } = incoming
  const headers: ResponseHeaders = { 'x-request-id': requestId }
  if (adapter.requestIdHeader !== undefined) headers[adapter.requestIdHeader] = requestId
  try {
    const caller = authenticate(incoming, requireConfiguration(services), services.now())
    resolveRequestPolicy(caller, incoming)
    const document =
      hints.model === undefined
        ? adapter.renderModels(listModels(caller), new URLSearchParams(incoming.query))
        : adapter.renderModel(getModel(caller, hints.model))
    return {
      type: 'whole',
      status: 200,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(document),
    }
  } catch (error) {
    return refuse(publicError(error), adapter, requestId, headers)
  }
}

/** The models lists. */
import type { JsonObject } from '../../../domain/json.ts'
import { answerReading } from './answer-reading.ts'
import type { Incoming, Outgoing } from '../exchange.ts'
import { findModel, listModels } from './list-models.ts'
import { refuseModel } from '../planning/refuse-plan.ts'
import type { RequestRecord } from '../request-record.ts'
import type { GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'

/** The list, or one model where `incoming.hints.model` names it. Never throws. */
export function readModels(incoming: Incoming, services: Services): Promise<Outgoing> {
  const { adapter, hints, query } = incoming
  return answerReading(incoming, 'models', services, (caller, record) =>
    hints.model === undefined
      ? adapter.renderModels(listModels(caller, adapter), new URLSearchParams(query))
      : readModel(hints.model, caller, record, services),
  )
}

/** @throws {GatewayError} 404 `model_not_found`, also for models that exist and this key may not use. */
function readModel(id: string, caller: GovernedCaller, record: RequestRecord, services: Services): JsonObject {
  const { adapter } = record.incoming
  const found = findModel(caller, adapter, id)
  if (found !== undefined) return adapter.renderModel(found)
  record.requestedModel = id
  throw refuseModel(caller, record, services)
}

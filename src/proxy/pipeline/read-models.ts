/** The models lists. */
import { answerReading } from './answer-reading.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { getModel, listModels } from './list-models.ts'
import type { Services } from './services.ts'

/** The list, or one model where `incoming.hints.model` names it. Never throws. */
export function readModels(incoming: Incoming, services: Services): Promise<Outgoing> {
  const { adapter, hints, query } = incoming
  return answerReading(incoming, 'models', services, (caller) =>
    hints.model === undefined
      ? adapter.renderModels(listModels(caller, adapter), new URLSearchParams(query))
      : adapter.renderModel(getModel(caller, adapter, hints.model)),
  )
}

/** What of a route a budget can pay for. */
import type { GatewayError } from '../../../domain/errors.ts'
import type { QuotaPlan } from '../../../domain/quota/limits.ts'
import { canAfford, unpricedModelError } from '../../../domain/quota/unpriced.ts'
import { noHealthyProvider } from '../../../domain/routing/refusals.ts'
import { AUTO_MODEL } from '../../../domain/routing/names.ts'
import type { Candidate, Removal, RoutePlan } from '../../../domain/routing/route.ts'
import type { RequestRecord } from '../request-record.ts'
import type { Services } from '../services.ts'

/**
 * The route without what has no price, where a budget must know it; what it loses goes to the record's removals.
 * @param model as the client wrote it
 * @throws {GatewayError} where nothing is left: 503 `no_healthy_provider` where something that has a price is only
 * cooling down, else 400 `unpriced_model`.
 */
export function affordablePlan(
  route: RoutePlan,
  quotas: QuotaPlan,
  model: string | undefined,
  record: RequestRecord,
  services: Services,
): RoutePlan {
  if (!quotas.blocksOnCost) return route
  const lost = route.candidates.filter(({ deployment }) => !canAfford(deployment, quotas))
  const judged = judgedByPrice(route.removed, quotas)
  if (lost.length === 0 && judged === route.removed) return route
  const removed = [...judged, ...lost.map(unpricedRemoval)]
  record.removed = removed
  const [first, ...others] = route.candidates.filter(({ deployment }) => canAfford(deployment, quotas))
  if (first === undefined) throw refusalUnderBudget(removed, model, services)
  return { ...route, candidates: [first, ...others], removed }
}

/**
 * The refusal of a route of which nothing was left, where a budget must know the price: what has none is not waited for.
 * @param error the refusal without a budget
 */
export function affordableRefusal(
  error: GatewayError,
  quotas: QuotaPlan,
  record: RequestRecord,
  services: Services,
): GatewayError {
  const judged = judgedByPrice(record.removed, quotas)
  if (judged === record.removed) return error
  record.removed = judged
  return refusalUnderBudget(judged, record.requestedModel, services)
}

function refusalUnderBudget(
  removed: readonly Removal[],
  model: string | undefined,
  { health, now }: Services,
): GatewayError {
  return noHealthyProvider(removed, health, now()) ?? unpricedModelError(model === AUTO_MODEL ? undefined : model)
}

/** The same, where what has no price is not only cooling down: of no use after that either. */
function judgedByPrice(removed: readonly Removal[], quotas: QuotaPlan): readonly Removal[] {
  const isMisjudged = ({ rule, deployment }: Removal) => rule === 'cooling-down' && !canAfford(deployment, quotas)
  if (!removed.some(isMisjudged)) return removed
  return [
    ...removed.filter((removal) => !isMisjudged(removal)),
    ...removed.filter((removal) => isMisjudged(removal)).map(unpricedRemoval),
  ]
}

/** What the budget took out of the route. */
export function unpricedOf({ removed }: RoutePlan): Removal[] {
  return removed.filter(({ rule }) => rule === 'unpriced')
}

function unpricedRemoval({ deployment }: Candidate | Removal): Removal {
  return { deployment, rule: 'unpriced', detail: 'no price, and a budget applies to this key' }
}

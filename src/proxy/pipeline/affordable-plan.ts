/** What of a route a budget can pay for. */
import type { QuotaPlan } from '../../domain/quota/limits.ts'
import { canAfford, unpricedModelError } from '../../domain/quota/unpriced.ts'
import { noHealthyProvider } from '../../domain/routing/refusals.ts'
import type { Candidate, Removal, RoutePlan } from '../../domain/routing/route.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'

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
  const isAffordable = ({ deployment }: Candidate | Removal) => canAfford(deployment, quotas)
  // Of no use after its cool-down either: then that is not what keeps it out.
  const isMisjudged = (removal: Removal) => removal.rule === 'cooling-down' && !isAffordable(removal)
  const lost = [...route.candidates.filter(not(isAffordable)), ...route.removed.filter(isMisjudged)]
  if (lost.length === 0) return route
  const removed = [...route.removed.filter(not(isMisjudged)), ...lost.map(unpricedRemoval)]
  record.removed = removed
  const [first, ...others] = route.candidates.filter(isAffordable)
  if (first === undefined)
    throw (
      noHealthyProvider(removed, services.health, services.now()) ?? unpricedModelError((model ?? 'auto').slice(0, 128))
    )
  return { ...route, candidates: [first, ...others], removed }
}

/** What the budget took out of the route. */
export function unpricedOf({ removed }: RoutePlan): Removal[] {
  return removed.filter(({ rule }) => rule === 'unpriced')
}

function unpricedRemoval({ deployment }: Candidate | Removal): Removal {
  return { deployment, rule: 'unpriced', detail: 'no price, and a budget applies to this key' }
}

function not<T>(holds: (item: T) => boolean): (item: T) => boolean {
  return (item) => !holds(item)
}
